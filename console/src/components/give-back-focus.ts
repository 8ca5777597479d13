/**
 * Where the focus goes when a window closes: to what opened it; and where that goes away, too, as a
 * button does once its work is done, to the part of the page around it. It must never be lost.
 */

/** What the window did may show a little later. */
const WATCHED_MS = 5_000;

const isFree = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;

/** Gives the focus to a part of the page when a control in it goes away that had it; returns what ends this. */
export const keepFocusIn = (part: HTMLElement): (() => void) => {
  let last: Element | undefined;
  const note = ({ target }: FocusEvent): void => {
    // A window gives the focus back itself.
    if (target instanceof Element && !target.closest('dialog')) last = target;
  };
  const watch = new MutationObserver(() => {
    if (last?.isConnected !== false) return;
    if (isFree()) part.focus();
    last = undefined;
  });
  part.addEventListener('focusin', note);
  watch.observe(part, { childList: true, subtree: true });
  return () => {
    part.removeEventListener('focusin', note);
    watch.disconnect();
  };
};

/** Notes the focus while a window opens. Returns a function to call when the window has closed. */
export const giveBackFocus = (): (() => void) => {
  const opener = document.activeElement;
  const around = opener?.closest<HTMLElement>('section[tabindex], main');
  const settle = (): void => {
    if (!isFree()) return;
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    if (isFree() && around?.isConnected) around.focus();
    if (isFree()) document.getElementById('content')?.focus();
  };
  return () => {
    setTimeout(settle);
    const watch = new MutationObserver(() => {
      if (!opener?.isConnected) settle();
    });
    watch.observe(document.body, { childList: true, subtree: true });
    setTimeout(() => watch.disconnect(), WATCHED_MS);
  };
};
