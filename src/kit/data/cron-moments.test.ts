import { describe, expect, it } from 'vitest';
import { nextCronMoment } from './cron-moments.ts';

const at = (text: string): number => Date.parse(text);

describe('nextCronMoment', () => {
  it.each([
    ['30 4 * * *', 'UTC', '2026-01-15T12:00:00Z', '2026-01-16T04:30:00Z'],
    ['30 4 * * *', 'Europe/Berlin', '2026-01-15T12:00:00Z', '2026-01-16T03:30:00Z'],
    ['30 4 * * *', 'Europe/Berlin', '2026-07-15T12:00:00Z', '2026-07-16T02:30:00Z'],
    ['* * * * * *', 'UTC', '2026-01-15T12:00:00Z', '2026-01-15T12:00:01Z'],
    ['@daily', 'UTC', '2026-01-15T12:00:00Z', '2026-01-16T00:00:00Z'],
    ['0 9 * * MON', 'UTC', '2026-01-15T12:00:00Z', '2026-01-19T09:00:00Z'],
    ['0 0 29 2 *', 'UTC', '2026-01-15T12:00:00Z', '2028-02-29T00:00:00Z'],
  ])('finds the moment of %s in %s after %s', (cron, timeZone, after, expected) => {
    expect(nextCronMoment({ cron, timeZone }, at(after))).toBe(at(expected));
  });

  it('a time that a change of clocks skips comes once, on that day', () => {
    const spec = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' };
    const next = nextCronMoment(spec, at('2026-03-29T00:00:00Z'));
    expect(new Date(next).toISOString().slice(0, 10)).toBe('2026-03-29');
    const following = nextCronMoment(spec, next);
    expect(new Date(following).toISOString().slice(0, 10)).toBe('2026-03-30');
  });

  it('a time that a change of clocks repeats comes once, on that day', () => {
    const spec = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' };
    const next = nextCronMoment(spec, at('2026-10-24T22:00:00Z'));
    expect(new Date(next).toISOString()).toBe('2026-10-25T00:30:00.000Z');
    expect(new Date(nextCronMoment(spec, next)).toISOString()).toBe('2026-10-26T01:30:00.000Z');
  });

  it.each([
    ['30 4 * *', 'UTC', 'it needs five fields between spaces, or six with seconds in front.'],
    ['61 4 * * *', 'UTC', 'is not valid: Invalid value for minute: 61.'],
    ['2027-01-01T00:00:00', 'UTC', 'it needs five fields between spaces'],
    ['0 0 1 1 * 2027-01-01T00:00', 'UTC', 'it needs five fields between spaces'],
    ['0 0 31 2 *', 'UTC', 'it has no moment to come.'],
    ['* * * * *', 'Europe/Vena', 'There is no time zone Europe/Vena; did you mean Europe/Vienna?'],
    ['* * * * *', 'Nowhere', 'There is no time zone Nowhere.'],
  ])('says what is wrong with %s in %s', (cron, timeZone, message) => {
    expect(() => nextCronMoment({ cron, timeZone }, 0)).toThrow(message);
  });

  it.each([
    ['', 'UTC'],
    ['every day', 'UTC'],
    ['61 * * * *', 'UTC'],
    ['* * * *', 'UTC'],
    ['* * * * * * *', 'UTC'],
    ['0 0 30 2 *', 'UTC'],
    ['* * * * *', 'Mars/Base'],
    ['* '.repeat(1000), 'UTC'],
  ])('refuses %j in %s with the reason', (cron, timeZone) => {
    expect(() => nextCronMoment({ cron, timeZone }, at('2026-01-15T12:00:00Z'))).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
  });
});
