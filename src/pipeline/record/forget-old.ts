/** Removes old entries of a store, at most once an hour and without delaying the work that occasions it. */
import type { Runtime } from '../../contract/runtime.ts';
import { HOUR_MS } from '../../kit/data/durations.ts';
import { thrownText } from '../../kit/data/reason-of.ts';

export interface ForgetOldDeps {
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  readonly keepMs: number;
  /** For the log, e.g. `results`. */
  readonly what: string;
  expire(before: number): Promise<number>;
}

/** Returns a function to be called as often as there is work. */
export const forgetOld = ({ runtime, keepMs, what, expire }: ForgetOldDeps): (() => void) => {
  let clearedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = runtime.now();
    if (Math.abs(now - clearedAt) < HOUR_MS) return;
    clearedAt = now;
    expire(now - keepMs).catch((error: unknown) => {
      runtime.log.warn(`Old ${what} could not be forgotten.`, { error: thrownText(error) });
    });
  };
};
