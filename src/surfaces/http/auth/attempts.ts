/**
 * Counts failed attempts to get in, by address. Who fails too often is told to wait. A good secret is
 * let in all the same: none can be guessed, and nobody is locked out by a stranger's failures.
 */
import type { Runtime } from '../../../contract/runtime.ts';
import { BoundedMap } from '../../../kit/data/bounded-map.ts';

export interface Attempts {
  /** Notes one failure. Milliseconds to wait once there were too many, otherwise 0. */
  failed(address: string): number;
}

const WINDOW_MS = 60_000;
const MOST_ADDRESSES = 10_000;

export const createAttempts = (runtime: Pick<Runtime, 'now'>, most: number): Attempts => {
  const windows = new BoundedMap<string, { start: number; count: number }>(MOST_ADDRESSES);
  const windowOf = (address: string, now: number) => {
    const known = windows.get(address);
    if (known && now - known.start < WINDOW_MS) return known;
    const fresh = { start: now, count: 0 };
    windows.set(address, fresh);
    return fresh;
  };
  return {
    failed(address) {
      const now = runtime.now();
      const window = windowOf(address, now);
      window.count += 1;
      return window.count > most ? window.start + WINDOW_MS - now : 0;
    },
  };
};
