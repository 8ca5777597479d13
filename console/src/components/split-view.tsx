/** A list with the opened entry beside it; on narrow screens the entry takes the place of the list. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { goTo } from '../router/route.ts';
import { LinkButton } from './button.tsx';

interface SplitProps {
  readonly list: ReactNode;
  /** Names the opened entry; changes with it. */
  readonly label: string;
  /** Where closing leads. */
  readonly back: string;
  /** Absent while nothing is opened. */
  readonly detail?: ReactNode;
}

const Detail = (props: Omit<SplitProps, 'list'>) => {
  const ref = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows what is opened
  useEffect(() => ref.current?.focus(), [props.label]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const isTyping = (event.target as HTMLElement).matches('input, textarea, select');
    if (event.key !== 'Escape' || isTyping || event.defaultPrevented) return;
    event.preventDefault();
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
      <LinkButton kind="quiet" icon="close" href={props.back} aria-label="Close the details" />
      {props.detail}
    </section>
  );
};

export const SplitView = (props: SplitProps) => (
  <div className={props.detail ? 'split split-open' : 'split'}>
    <div className="split-list">{props.list}</div>
    {props.detail && <Detail {...props} />}
  </div>
);
