/**
 * Where the focus goes when a window closes: to what opened it; and where that goes away, too, as a
 * button does once its work is done, to the part of the page around it. It must never be lost.
 */

/** What the window did may show a little later. */
const WATCHED_MS = 5_000;

const isFree = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;

/** To be called while the window opens; what it returns, when it has closed. */
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
