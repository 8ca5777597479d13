import { describe, expect, it } from 'vitest';
import { isFresh, PERIODS, periodOf, spanOf, stepName, trimSpan } from './period.ts';
import { timeLabels } from './time-labels.ts';

const NOW = Date.UTC(2026, 10, 15, 16, 20, 5);
const HOUR = 3_600_000;

describe('a period', () => {
  it('is found by its id, and is a day for an id that nobody knows', () => {
    expect(periodOf('30d').bucket).toBe('day');
    for (const id of [undefined, '', 'constructor', '1y']) expect(periodOf(id).id).toBe('24h');
  });

  it.each(PERIODS)('$id has whole steps and ends with the present one', (period) => {
    const { from, to, bucket } = spanOf(period, NOW);
    const size = { minute: HOUR / 60, hour: HOUR, day: 24 * HOUR }[bucket];
    expect((to - from) / size).toBe(period.steps);
    expect(from % size).toBe(0);
    expect(to - size).toBeLessThanOrEqual(NOW);
    expect(to).toBeGreaterThan(NOW);
  });

  it('names days as the server counts them, wherever the reader is', () => {
    expect(stepName(Date.UTC(2026, 10, 15), 'day')).toBe('15 Nov 2026');
  });
});

describe('a chart of someone who has just begun', () => {
  const day = spanOf(periodOf('24h'), NOW);

  it('looks at minutes when the first call was in the last hour', () => {
    expect(isFresh(Date.UTC(2026, 10, 15, 16), NOW)).toBe(true);
    expect(isFresh(Date.UTC(2026, 10, 15, 12), NOW)).toBe(false);
    expect(isFresh(undefined, NOW)).toBe(false);
  });

  it('leaves out the empty time before the first call, and keeps some steps', () => {
    expect((day.to - trimSpan(day, day.to - HOUR).from) / HOUR).toBe(12);
    expect((day.to - trimSpan(day, day.to - 15 * HOUR).from) / HOUR).toBe(16);
    expect(trimSpan(day, day.from)).toEqual(day);
    expect(trimSpan(day, undefined)).toEqual(day);
  });
});

describe('the marks below a chart', () => {
  const seconds = (...hours: number[]) =>
    hours.map((h) => new Date(2026, 10, 14, h).getTime() / 1_000);

  it('tell the date of hours once, and again where it changes', () => {
    expect(timeLabels(seconds(18, 21, 24, 27), 'hour')).toEqual([
      '18:00\n14 Nov',
      '21:00',
      '00:00\n15 Nov',
      '03:00',
    ]);
  });

  it('are dates only when they are days apart', () => {
    expect(timeLabels(seconds(0, 24, 48), 'hour')).toEqual(['14 Nov', '15 Nov', '16 Nov']);
    expect(timeLabels([Date.UTC(2026, 9, 17) / 1_000], 'day')).toEqual(['17 Oct']);
    expect(timeLabels([], 'hour')).toEqual([]);
  });
});
