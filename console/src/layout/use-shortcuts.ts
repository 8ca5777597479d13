/** The keys that work everywhere: `?` for help, `/` for the search box, `j` for the first row, `g` and a letter for a page. */
import { useEffect, useRef } from 'react';
import { PAGES } from '../pages/page-table.ts';
import { goTo, hrefOf } from '../router/route.ts';

/** How long after `g` the letter may come. */
const CHORD_MS = 1_500;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select'));

const focusSearch = (): boolean => {
  const box = document.querySelector<HTMLInputElement>('[data-search]');
  box?.focus();
  box?.select();
  return box !== null;
};

/** Focuses the first row, unless a row has the focus: the table moves on from that by itself. */
const focusFirstRow = (): boolean => {
  if (document.activeElement?.closest('tbody')) return false;
  const row = document.querySelector<HTMLElement>('a.row-link');
  row?.focus();
  return row !== null;
};

export const useShortcuts = (onHelp: () => void): void => {
  const pressedG = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const go = (letter: string): boolean => {
      const page = PAGES.find((entry) => entry.letter === letter);
      if (page) goTo(hrefOf([page.id]));
      return page !== undefined;
    };
    const act = (event: KeyboardEvent): boolean => {
      const isChord = event.timeStamp - pressedG.current < CHORD_MS;
      pressedG.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (isChord && go(event.key)) return true;
      if (event.key === '?') onHelp();
      if (event.key === 'j') return focusFirstRow();
      return event.key === '?' || (event.key === '/' && focusSearch());
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      const isOurs = !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
      if (isOurs && !document.querySelector('dialog[open]') && act(event)) event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [onHelp]);
};
