/** Rate limit counters in memory. Windows that are over go when the map has doubled. */
import type { Counters } from '../../contract/store.ts';
import { judgeHits, type OpenWindow, openWindows } from '../counting-windows.ts';

interface Count {
  hits: number;
  readonly ends: number;
}

export const memoryCounters = (): Counters => {
  const counts = new Map<string, Count>();
  let sweepAt = 1024;

  const nameOf = (key: string, { sizeMs, start }: OpenWindow): string =>
    `${sizeMs}:${start}:${key}`;
  const hitsOf = (key: string) => (window: OpenWindow) =>
    counts.get(nameOf(key, window))?.hits ?? 0;
  const sweep = (now: number): void => {
    if (counts.size < sweepAt) return;
    for (const [name, count] of counts) if (count.ends <= now) counts.delete(name);
    sweepAt = Math.max(1024, counts.size * 2);
  };

  return {
    async hit(key, windows, now) {
      const open = openWindows(windows, now);
      const outcome = judgeHits(open, now, hitsOf(key));
      if (!outcome.ok) return outcome;
      for (const window of open) {
        const name = nameOf(key, window);
        const count = counts.get(name) ?? { hits: 0, ends: window.start + window.sizeMs };
        count.hits += 1;
        counts.set(name, count);
      }
      sweep(now);
      return outcome;
    },
    peek: async (key, windows, now) => judgeHits(openWindows(windows, now), now, hitsOf(key)),
  };
};
