/** Tabs by the usual pattern: the arrow keys move between them, one panel is shown. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';

export interface Tab {
  readonly id: string;
  readonly title: ReactNode;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selected: string;
  onSelect(id: string): void;
  /** The panel of the selected tab. */
  readonly children: ReactNode;
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowRight', 1],
  ['ArrowLeft', -1],
]);

/** Scrolls the selected tab into sight where the tabs are wider than the screen; the page stays. */
const useInSight = (selected: string) => {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is selected
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (!list.current || !tab) return;
    list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.offsetWidth) / 2;
  }, [selected]);
  return list;
};

export const Tabs = ({ label, tabs, selected, onSelect, children }: TabsProps) => {
  const base = useId();
  const list = useInSight(selected);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const step = STEPS.get(event.key);
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex(({ id }) => id === selected);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    onSelect(next.id);
    document.getElementById(`${base}-${next.id}`)?.focus();
  };
  return (
    <>
      <div ref={list} className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ id, title }) => (
          <button
            key={id}
            id={`${base}-${id}`}
            type="button"
            role="tab"
            aria-selected={id === selected}
            aria-controls={`${base}-panel`}
            tabIndex={id === selected ? 0 : -1}
            onClick={() => onSelect(id)}
          >
            {title}
          </button>
        ))}
      </div>
      <div
        id={`${base}-panel`}
        className="tab-panel"
        role="tabpanel"
        aria-labelledby={`${base}-${selected}`}
      >
        {children}
      </div>
    </>
  );
};
