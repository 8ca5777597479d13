/** A screen of lines on a terminal: rewrites only the lines that changed, and leaves the terminal as it was. */
import type { Io } from '../../io.ts';

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';

export interface LiveScreen {
  size(): { readonly columns: number; readonly rows: number };
  show(lines: readonly string[]): void;
  /** Forgets what is shown: after a change of the terminal's size, lines may be elsewhere. */
  forget(): void;
  close(): void;
}

/** Writes the escape sequences that turn the shown lines into the new ones. */
export const changes = (shown: readonly string[], next: readonly string[]): string =>
  Array.from({ length: Math.max(shown.length, next.length) }, (_, at) => {
    const line = next[at] ?? '';
    return shown[at] === line ? '' : `\u001b[${at + 1};1H${line}\u001b[K`;
  }).join('');

/** Opens the screen; it is restored however the process ends. */
export const openScreen = (io: Pick<Io, 'stdin' | 'stdout' | 'signals'>): LiveScreen => {
  const { stdin, stdout, signals } = io;
  let shown: readonly string[] = [];
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    signals.off('exit', close);
    if (stdin.isTTY) stdin.setRawMode(false);
    stdout.write(LEAVE);
  };
  signals.on('exit', close);
  if (stdin.isTTY) stdin.setRawMode(true);
  stdout.write(ENTER);
  return {
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    show: (lines) => {
      const text = changes(shown, lines);
      shown = lines;
      if (isOpen && text !== '') stdout.write(text);
    },
    forget: () => {
      shown = [];
      if (isOpen) stdout.write('\u001b[2J');
    },
    close,
  };
};
