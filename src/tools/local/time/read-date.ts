/** Reads a date however it is likely to be written, and says no to everything else. */
import type { DateTime as LuxonDateTime } from 'luxon';
import { ToolFailure } from '../../../contract/errors.ts';
import { toLuxonFormat } from './format-tokens.ts';

type Luxon = typeof import('luxon');

export interface ReadDateOptions {
  readonly luxon: Luxon;
  readonly zone: string;
  readonly locale: string;
  readonly inputFormat?: string | undefined;
}

/** Seconds up to the year 5138 have eleven digits; more digits are milliseconds. */
const MOST_SECONDS = 99_999_999_999;

const unreadable = (field: string, why: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `${field}: this is not a date that can be read: ${why}.`, {
    issues: [{ path: [field], message: why }],
    suggestions: [
      'Use ISO 8601, e.g. 2026-03-01T12:30:00Z, a Unix timestamp, or give inputFormat.',
    ],
  });

const fromNumber = (value: number, { luxon, zone }: ReadDateOptions): LuxonDateTime =>
  Math.abs(value) <= MOST_SECONDS
    ? luxon.DateTime.fromSeconds(value, { zone })
    : luxon.DateTime.fromMillis(value, { zone });

const fromText = (text: string, options: ReadDateOptions): LuxonDateTime => {
  const { luxon, zone, locale, inputFormat } = options;
  const { DateTime } = luxon;
  if (inputFormat !== undefined) {
    return DateTime.fromFormat(text, toLuxonFormat(inputFormat), { zone, locale });
  }
  if (/^-?\d{9,16}$/.test(text)) return fromNumber(Number(text), options);
  const ways = [DateTime.fromISO, DateTime.fromRFC2822, DateTime.fromHTTP, DateTime.fromSQL];
  const read = ways.map((way) => way(text, { zone })).find(({ isValid }) => isValid);
  return read ?? DateTime.invalid('no known notation');
};

/** `field` names the place in the input for the message. */
export const readDate = (
  value: string | number,
  field: string,
  options: ReadDateOptions,
): LuxonDateTime => {
  const date =
    typeof value === 'number' ? fromNumber(value, options) : fromText(value.trim(), options);
  if (date.isValid) return date;
  throw unreadable(field, date.invalidReason ?? 'no known notation');
};
