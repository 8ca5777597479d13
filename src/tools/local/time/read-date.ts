/** Reads a date in the notations that are likely, and refuses everything else. */
import type { DateTime as LuxonDateTime } from 'luxon';
import { ToolFailure } from '../../../contract/errors.ts';
import { hasOrdinal, toLuxonFormat } from './format-tokens.ts';

type Luxon = typeof import('luxon');

export interface ReadDateOptions {
  readonly luxon: Luxon;
  readonly zone: string;
  readonly locale: string;
  /** The notation of the date; no other is tried. */
  readonly inputFormat?: string | undefined;
  /** A likely notation of the date; tried before the common ones. */
  readonly likelyFormat?: string | undefined;
}

/** Seconds have at most eleven digits until the year 5138; more digits are milliseconds. */
const MAX_SECONDS = 99_999_999_999;
const UNIX_TIME = /^@?(-?\d{9,16}(?:\.\d{1,9})?)$/;
/** Refused: a time without a day would take the day from the system clock instead of the crib's. */
const TIME_ONLY = /^T?\d{1,2}:\d{2}|^T\d/;

/** Common notations with one reading only; 01/02/2026 is not among them. */
const EVERYDAY = [
  'MMMM d, yyyy',
  'MMMM d yyyy',
  'd MMMM yyyy',
  'd. MMMM yyyy',
  'yyyy/M/d',
  'yyyy.M.d',
]
  .flatMap((day) => [day, day.replace('MMMM', 'MMM')])
  .flatMap((day) => [day, `${day} H:mm`, `${day} H:mm:ss`, `${day} h:mm a`]);

const unreadable = (field: string, why: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `${field}: this is not a date that can be read: ${why}.`, {
    issues: [{ path: [field], message: why }],
    suggestions: [
      'Use ISO 8601, e.g. 2026-03-01T12:30:00Z, a Unix timestamp, or give inputFormat.',
    ],
  });

const fromNumber = (value: number, { luxon, zone }: ReadDateOptions): LuxonDateTime =>
  Math.abs(value) <= MAX_SECONDS
    ? luxon.DateTime.fromSeconds(value, { zone })
    : luxon.DateTime.fromMillis(value, { zone });

const fromFormat = (text: string, format: string, options: ReadDateOptions): LuxonDateTime => {
  const { luxon, zone, locale } = options;
  const bare = hasOrdinal(format) ? text.replaceAll(/(\d)(?:st|nd|rd|th)\b/gi, '$1') : text;
  return luxon.DateTime.fromFormat(bare, toLuxonFormat(format), { zone, locale });
};

function* readings(text: string, options: ReadDateOptions): Generator<LuxonDateTime> {
  const { luxon, zone, likelyFormat } = options;
  const { DateTime } = luxon;
  if (likelyFormat !== undefined) yield fromFormat(text, likelyFormat, options);
  const [, unix] = UNIX_TIME.exec(text) ?? [];
  if (unix !== undefined) yield fromNumber(Number(unix), options);
  if (TIME_ONLY.test(text)) return;
  yield DateTime.fromISO(text, { zone });
  yield DateTime.fromRFC2822(text, { zone });
  yield DateTime.fromHTTP(text, { zone });
  yield DateTime.fromSQL(text, { zone });
  for (const format of EVERYDAY) yield DateTime.fromFormat(text, format, { zone, locale: 'en' });
}

const fromText = (text: string, options: ReadDateOptions): LuxonDateTime => {
  if (options.inputFormat !== undefined) return fromFormat(text, options.inputFormat, options);
  for (const reading of readings(text, options)) if (reading.isValid) return reading;
  const why = TIME_ONLY.test(text) ? 'it names no day' : 'no known notation';
  return options.luxon.DateTime.invalid(why);
};

/** Reads a date. `field` names its place in the input for the message. */
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
