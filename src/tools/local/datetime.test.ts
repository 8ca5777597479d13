import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeContext } from '../../../test/fixtures/tool-context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { defineDatetime } from './datetime.ts';
import { toLuxonFormat } from './time/format-tokens.ts';

const NOW = Date.UTC(2026, 2, 1, 12, 30, 5);
const tool = defineDatetime({ defaultZone: 'UTC', now: () => NOW });
const schema = (tool.input as () => unknown)() as {
  parse(value: unknown): never;
  safeParse(value: unknown): { success: boolean };
};
const run = (input: unknown) =>
  tool.run(schema.parse(input), fakeContext()) as Promise<Record<string, unknown>>;

describe('datetime', () => {
  it.each(tool.examples ?? [])('example: $title', async ({ input, output }) => {
    expect(await run(input)).toMatchObject(output as object);
  });

  it('tells the time in the zone asked for, or the default one', async () => {
    expect(await run({ operation: 'now' })).toMatchObject({
      iso: '2026-03-01T12:30:05.000Z',
      formatted: '2026-03-01 12:30:05',
      timezone: 'UTC',
      timestamp: NOW,
    });
    expect(await run({ operation: 'now', timezone: 'Asia/Kolkata' })).toMatchObject({
      formatted: '2026-03-01 18:00:05',
    });
  });

  it.each([
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T10:00:00+02:00', '2026-03-01T08:00:00.000Z'],
    ['Sun, 01 Mar 2026 10:00:00 +0200', '2026-03-01T08:00:00.000Z'],
    ['Sun, 01 Mar 2026 08:00:00 GMT', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01 08:00:00', '2026-03-01T08:00:00.000Z'],
    ['1772352000', '2026-03-01T08:00:00.000Z'],
    [1772352000, '2026-03-01T08:00:00.000Z'],
    [1772352000000, '2026-03-01T08:00:00.000Z'],
    ['@1772352000.5', '2026-03-01T08:00:00.500Z'],
    ['March 1, 2026', '2026-03-01T00:00:00.000Z'],
    ['1 Mar 2026 8:05 pm', '2026-03-01T20:05:00.000Z'],
    ['2026/03/01 08:00', '2026-03-01T08:00:00.000Z'],
  ])('reads %j', async (date, iso) => {
    expect(await run({ operation: 'parse', date })).toMatchObject({ iso });
  });

  it('reads a notation of its own with inputFormat', async () => {
    const input = { operation: 'parse', date: '01/03/2026', inputFormat: 'DD/MM/YYYY' };
    expect(await run(input)).toMatchObject({ iso: '2026-03-01T00:00:00.000Z' });
  });

  it('takes the format of parse for reading where it fits, for writing otherwise', async () => {
    const format = 'DD/MM/YYYY';
    const expected = { iso: '2026-03-13T00:00:00.000Z', formatted: '13/03/2026' };
    expect(await run({ operation: 'parse', date: '13/03/2026', format })).toMatchObject(expected);
    expect(await run({ operation: 'parse', date: '2026-03-13', format })).toMatchObject(expected);
    const ordinal = { operation: 'parse', date: 'March 3rd 2026', inputFormat: 'MMMM Do YYYY' };
    expect(await run(ordinal)).toMatchObject({ iso: '2026-03-03T00:00:00.000Z' });
  });

  it.each([
    ['Europe/Olso', 'Europe/Oslo'],
    ['Kigali', 'Africa/Kigali'],
    ['kigalli', 'Africa/Kigali'],
    ['new york', 'America/New_York'],
    ['Europe/Kigali', 'Africa/Kigali'],
    ['America/Sao Paulo', 'America/Sao_Paulo'],
  ])('for the zone %s it proposes %s', async (timezone, meant) => {
    await expect(run({ operation: 'now', timezone })).rejects.toMatchObject({
      extras: { suggestions: [expect.stringContaining(meant)] },
    });
  });

  it.each([
    ['YYYY-MM-DDTHH:mm:ssZ', '2026-03-02T13:05:09+00:00'],
    ['yyyy-MM-ddTHH:mm', '2026-03-02T13:05'],
    ['yyyy-MM-DD', '2026-03-02'],
    ['dddd, MMMM Do YYYY', 'Monday, March 2nd 2026'],
    ['h:mm A', '1:05 PM'],
    ['hh:mm a, dd D', '01:05 pm, Mo 2'],
    ['[day] DDDD [of] YYYY, [Q]Q', 'day 061 of 2026, Q1'],
    ['DD', '02'],
    ['SSS SS S YY', '123 12 1 26'],
    ['DD T', 'Mar 2, 2026 13:05'],
    ["EEEE 'at' H", 'Monday at 13'],
  ])('writes %s', async (format, formatted) => {
    const input = { operation: 'format', date: '2026-03-02T13:05:09.123Z', format };
    expect(await run(input)).toMatchObject({ formatted });
  });

  it('counts hours across daylight saving, and days by the calendar', async () => {
    const night = { date1: '2026-03-28T12:00', date2: '2026-03-29T12:00', timezone: 'Europe/Oslo' };
    expect(await run({ operation: 'diff', ...night, unit: 'hours' })).toMatchObject({
      difference: 23,
    });
    expect(await run({ operation: 'diff', ...night, unit: 'day' })).toMatchObject({
      difference: 1,
    });
    expect(
      await run({ operation: 'diff', date1: '2026-03-02', date2: '2026-01-01', unit: 'months' }),
    ).toMatchObject({ breakdown: { months: -2, days: -1 } });
  });

  it('adds and subtracts, keeping the end of the month', async () => {
    const end = { operation: 'add', date: '2024-01-31', unit: 'months', format: 'yyyy-MM-dd' };
    expect(await run({ ...end, amount: 1 })).toMatchObject({ formatted: '2024-02-29' });
    expect(await run({ ...end, amount: -2 })).toMatchObject({ formatted: '2023-11-30' });
    expect(await run({ operation: 'add', amount: 1.5, unit: 'hours' })).toMatchObject({
      original: '2026-03-01T12:30:05.000Z',
      result: '2026-03-01T14:00:05.000Z',
    });
  });

  it.each([
    [{ operation: 'parse', date: 'next tuesday-ish' }, 'date'],
    [{ operation: 'parse', date: '2026-02-30' }, 'date'],
    [{ operation: 'parse', date: '01/02/2026' }, 'date'],
    [{ operation: 'parse', date: '12:30' }, 'date'],
    [{ operation: 'parse', date: 'T12' }, 'date'],
    [{ operation: 'parse', date: '2026-03-01', inputFormat: 'DD/MM/YYYY' }, 'date'],
    [{ operation: 'now', timezone: 'Mars/Olympus' }, 'timezone'],
    [{ operation: 'now', timezone: 'local' }, 'timezone'],
    [{ operation: 'now', timezone: 'UTC+2' }, 'timezone'],
    [{ operation: 'now', timezone: '+02:00' }, 'timezone'],
    [{ operation: 'add', amount: 0.5, unit: 'months' }, 'amount'],
    [{ operation: 'add', amount: 1e12, unit: 'years' }, 'amount'],
    [{ operation: 'now', locale: 'not_a locale!' }, 'locale'],
  ])('refuses %o', async (input, field) => {
    await expect(run(input)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      extras: { issues: [{ path: [field] }] },
    });
  });

  it.each([
    { operation: 'parse' },
    { operation: 'diff', date1: '2026-01-01' },
    { operation: 'add', amount: 1 },
    { operation: 'add', amount: 1, unit: 'fortnights' },
    { operation: 'dance' },
    { operation: 'now', extra: 1 },
  ])('the schema refuses %o', (input) => expect(schema.safeParse(input).success).toBe(false));

  it('answers or fails with a code, whatever it is given', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('parse', 'format', 'diff', 'add'),
        fc.string({ unit: 'binary', maxLength: 30 }),
        fc.double(),
        async (operation, text, amount) => {
          const input = {
            operation,
            date: text || 'x',
            date1: text || 'x',
            date2: text || 'x',
            format: text || 'x',
            amount: Number.isFinite(amount) ? amount : 1,
            unit: 'days',
          };
          try {
            expect(await run(input)).toBeTypeOf('object');
          } catch (error) {
            expect(error).toBeInstanceOf(ToolFailure);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('formats', () => {
  it.each([
    ['YYYY-MM-DD HH:mm:ss', 'yyyy-MM-dd HH:mm:ss'],
    ['dddd D MMM YY', 'cccc d MMM yy'],
    ['[Week] YYYY', "'Week' yyyy"],
    ['YYYY-MM-DDTHH:mm:ssZ', "yyyy-MM-dd'T'HH:mm:ssZZ"],
    ['yyyy-MM-ddTHH:mm', "yyyy-MM-dd'T'HH:mm"],
    ['DD t', 'DD t'],
    ['yyyy-MM-dd', 'yyyy-MM-dd'],
    ["d 'of' MMMM", "d 'of' MMMM"],
  ])('%s is %s', (from, to) => expect(toLuxonFormat(from)).toBe(to));
});
