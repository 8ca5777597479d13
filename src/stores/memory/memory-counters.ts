/** Rate limit counters in memory. Windows that are over go when there are twice as many. */
import type { Counters } from '../../contract/store.ts';
import { judgeHits, type OpenWindow, openWindows } from '../counting-windows.ts';

interface Count {
  readonly sizeMs: number;
  readonly start: number;
  hits: number;
}

const isOver = ({ sizeMs, start }: Count, now: number): boolean => start + sizeMs <= now;

export const memoryCounters = (): Counters => {
  /** The windows of a key, the newest last. */
  const counts = new Map<string, Count[]>();
  let windowCount = 0;
  let sweepAt = 1024;

  const find = (kept: readonly Count[] | undefined, { sizeMs, start }: OpenWindow) =>
    kept?.findLast((count) => count.start === start && count.sizeMs === sizeMs);
  const judge = (kept: readonly Count[] | undefined, open: readonly OpenWindow[], now: number) =>
    judgeHits(open, now, (window) => find(kept, window)?.hits ?? 0);
  const add = (key: string, open: readonly OpenWindow[]): void => {
    let kept = counts.get(key);
    if (!kept) {
      kept = [];
      counts.set(key, kept);
    }
    for (const window of open) {
      const count = find(kept, window);
      if (count) count.hits += 1;
      else {
        kept.push({ sizeMs: window.sizeMs, start: window.start, hits: 1 });
        windowCount += 1;
      }
    }
  };
  const sweep = (now: number): void => {
    if (windowCount < sweepAt) return;
    windowCount = 0;
    for (const [key, kept] of counts) {
      const going = kept.filter((count) => !isOver(count, now));
      if (going.length === 0) counts.delete(key);
      else counts.set(key, going);
      windowCount += going.length;
    }
    sweepAt = Math.max(1024, windowCount * 2);
  };

  return {
    async hit(key, windows, now) {
      const open = openWindows(windows, now);
      const outcome = judge(counts.get(key), open, now);
      if (!outcome.ok) return outcome;
      add(key, open);
      sweep(now);
      return outcome;
    },
    peek: async (key, windows, now) => judge(counts.get(key), openWindows(windows, now), now),
  };
};
