/** Says on a terminal what is waited for, once that takes longer than a moment. */
import type { Timer } from '../../contract/runtime.ts';
import type { Io } from '../io.ts';

const SHOWN_EVERY_MS = 1000;
const CLEAR_LINE = '\r\u001B[2K';

/** Runs the work. After a second a line of stderr tells what it is and how long it has taken. */
export const whileShown = async <T>(
  io: Io,
  what: string | (() => string),
  work: () => Promise<T>,
): Promise<T> => {
  if (io.stderr.isTTY !== true) return work();
  const { runtime } = io;
  const from = runtime.elapsed();
  let isShown = false;
  let timer: Timer | undefined;
  const wait = (): void => {
    timer = runtime.after(SHOWN_EVERY_MS, () => {
      isShown = true;
      const seconds = Math.round((runtime.elapsed() - from) / 1000);
      const text = typeof what === 'string' ? what : what();
      io.stderr.write(`${CLEAR_LINE}${io.noteInk.dim(`${text}: ${seconds} s`)}`);
      wait();
    });
    timer?.keepAlive(false);
  };
  wait();
  try {
    return await work();
  } finally {
    timer?.cancel();
    if (isShown) io.stderr.write(CLEAR_LINE);
  }
};
