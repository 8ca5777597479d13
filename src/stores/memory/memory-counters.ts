/** Rate limit counters in memory. Old windows are removed whenever their number has doubled. */
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

  const find = (ofKey: readonly Count[] | undefined, { sizeMs, start }: OpenWindow) =>
    ofKey?.findLast((count) => count.start === start && count.sizeMs === sizeMs);
  const judge = (ofKey: readonly Count[] | undefined, open: readonly OpenWindow[], now: number) =>
    judgeHits(open, now, (window) => find(ofKey, window)?.hits ?? 0);
  const add = (key: string, open: readonly OpenWindow[]): void => {
    let ofKey = counts.get(key);
    if (!ofKey) {
      ofKey = [];
      counts.set(key, ofKey);
    }
    for (const window of open) {
      const count = find(ofKey, window);
      if (count) count.hits += 1;
      else {
        ofKey.push({ sizeMs: window.sizeMs, start: window.start, hits: 1 });
        windowCount += 1;
      }
    }
  };
  const sweep = (now: number): void => {
    if (windowCount < sweepAt) return;
    windowCount = 0;
    for (const [key, ofKey] of counts) {
      const open = ofKey.filter((count) => !isOver(count, now));
      if (open.length === 0) counts.delete(key);
      else counts.set(key, open);
      windowCount += open.length;
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
