/** A list with the opened entry beside it; on narrow screens the entry takes the place of the list. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { goTo } from '../router/route.ts';
import { LinkButton } from './button.tsx';
import { keepFocusIn } from './give-back-focus.ts';

interface SplitProps {
  readonly list: ReactNode;
  /** Names the opened entry; changes with it. */
  readonly label: string;
  /** Where closing leads. */
  readonly back: string;
  /** Absent while nothing is opened. */
  readonly detail?: ReactNode;
}

/** Finds the row whose entry is open. */
const currentRow = (): HTMLElement | null =>
  document.querySelector('.split-list a.row-link[aria-current]');

const Detail = (props: Omit<SplitProps, 'list'> & { onClosing(row: HTMLElement | null): void }) => {
  const ref = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows what is opened
  useEffect(() => ref.current?.focus(), [props.label]);
  useEffect(() => (ref.current ? keepFocusIn(ref.current) : undefined), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    // The key belongs to the box one types in, and to the window that lies above.
    const isElsewhere = (event.target as HTMLElement).closest('input, textarea, select, dialog');
    if (event.key !== 'Escape' || isElsewhere || event.defaultPrevented) return;
    event.preventDefault();
    props.onClosing(currentRow());
    goTo(props.back);
  };
  return (
    <section
      ref={ref}
      className="split-detail"
      aria-label={props.label}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <LinkButton
        kind="quiet"
        icon="close"
        href={props.back}
        aria-label="Close the details"
        onClick={() => props.onClosing(currentRow())}
      />
      {props.detail}
    </section>
  );
};

export const SplitView = (props: SplitProps) => {
  const isOpen = props.detail !== undefined;
  const left = useRef<HTMLElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // An answered question leaves the list a little later, when its row has the focus already.
  useEffect(() => (list.current ? keepFocusIn(list.current) : undefined), []);
  // Or it has left the list before.
  const keep = (row: HTMLElement | null): void => {
    left.current = row ?? document.getElementById('content');
  };
  // Back to where one came from, so that the arrow keys go on from there.
  useEffect(() => {
    if (isOpen) return;
    const row = left.current;
    (row?.isConnected === false ? document.getElementById('content') : row)?.focus();
    left.current = null;
  }, [isOpen]);
  return (
    <div className={isOpen ? 'split split-open' : 'split'}>
      <div ref={list} className="split-list" tabIndex={-1}>
        {props.list}
      </div>
      {isOpen && <Detail {...props} onClosing={keep} />}
    </div>
  );
};
