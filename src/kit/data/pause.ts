/** Waits by the clock that is handed in, so that tests own the time. */
import type { Runtime } from '../../contract/runtime.ts';

/** Resolves after a while. */
export const pause = (ms: number, runtime: Pick<Runtime, 'after'>): Promise<void> =>
  new Promise((resolve) => void runtime.after(ms, resolve));
