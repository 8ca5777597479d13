/** Judges the fixed windows of rate limits: which are open now, and when a full one is over. */
import { ToolFailure } from '../contract/errors.ts';
import type { HitOutcome, Window } from '../contract/store.ts';

export interface OpenWindow {
  readonly sizeMs: number;
  readonly start: number;
  readonly limit: number;
}

/** Returns the windows that contain `now`, each size once with its strictest limit. */
export const openWindows = (windows: readonly Window[], now: number): readonly OpenWindow[] => {
  const open: OpenWindow[] = [];
  for (const { sizeMs, limit } of windows) {
    if (!Number.isSafeInteger(sizeMs) || sizeMs <= 0) {
      throw new ToolFailure(
        'INTERNAL',
        'A rate limit window is not a whole number of milliseconds.',
      );
    }
    const start = Math.floor(now / sizeMs) * sizeMs;
    const index = open.findIndex((other) => other.sizeMs === sizeMs);
    if (index < 0) open.push({ sizeMs, start, limit });
    else open[index] = { sizeMs, start, limit: Math.min(limit, open[index]?.limit ?? limit) };
  }
  return open;
};

/** Refuses when one more hit does not fit, and says when all the full windows are over. */
export const judgeHits = (
  windows: readonly OpenWindow[],
  now: number,
  hitsIn: (window: OpenWindow) => number,
): HitOutcome => {
  let retryAfterMs = -1;
  for (const window of windows) {
    if (hitsIn(window) + 1 <= window.limit) continue;
    retryAfterMs = Math.max(retryAfterMs, window.start + window.sizeMs - now);
  }
  return retryAfterMs < 0 ? { ok: true } : { ok: false, retryAfterMs };
};
