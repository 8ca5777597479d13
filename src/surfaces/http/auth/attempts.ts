/**
 * Counts failed attempts to authenticate, by address, and makes an address with too many wait. A
 * valid secret is accepted all the same: it cannot be guessed, and no client can lock others out.
 */
import type { Runtime } from '../../../contract/runtime.ts';
import { BoundedMap } from '../../../kit/data/bounded-map.ts';

export interface Attempts {
  /** Counts one failure. Returns the milliseconds to wait after too many, otherwise 0. */
  failed(address: string): number;
}

const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 10_000;

export const createAttempts = (runtime: Pick<Runtime, 'now'>, max: number): Attempts => {
  const windows = new BoundedMap<string, { readonly start: number; count: number }>(MAX_ADDRESSES);
  const windowOf = (address: string, now: number) => {
    const current = windows.get(address);
    if (current && now - current.start < WINDOW_MS) return current;
    const next = { start: now, count: 0 };
    windows.set(address, next);
    return next;
  };
  return {
    failed(address) {
      const now = runtime.now();
      const window = windowOf(address, now);
      window.count += 1;
      return window.count > max ? window.start + WINDOW_MS - now : 0;
    },
  };
};
