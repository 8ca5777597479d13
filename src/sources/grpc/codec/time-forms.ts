/** Timestamps and durations as texts, to the nanosecond. */
import { Unfit } from './scalars.ts';
import { MalformedMessage } from './wire-reader.ts';

const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const SECONDS = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;

/** From the year 1 to the year 9999. */
const MIN_SECONDS = -62_135_596_800;
const MAX_SECONDS = 253_402_300_799;
const MAX_DURATION_SECONDS = 315_576_000_000;
const MAX_NANOS = 999_999_999;

/** Writes 3, 6 or 9 digits, as many as are needed; none for a whole second. */
const fraction = (nanos: number): string => {
  if (nanos === 0) return '';
  const digits = String(nanos).padStart(9, '0');
  if (digits.endsWith('000000')) return `.${digits.slice(0, 3)}`;
  return digits.endsWith('000') ? `.${digits.slice(0, 6)}` : `.${digits}`;
};

const nanosOf = (digits = ''): number => Number(digits.padEnd(9, '0'));

export const timestampText = (seconds: string, nanos: number): string => {
  const whole = Number(seconds);
  if (whole < MIN_SECONDS || whole > MAX_SECONDS || nanos < 0 || nanos > MAX_NANOS) {
    throw new MalformedMessage('a timestamp is not between the years 1 and 9999');
  }
  const text = new Date(whole * 1000).toISOString().slice(0, 19);
  return `${text}${fraction(nanos)}Z`;
};

const NO_TIME = 'expected a time such as 2026-01-31T12:00:00Z';

export const timestampFields = (value: unknown): { seconds: string; nanos: number } => {
  const parts = typeof value === 'string' ? RFC_3339.exec(value) : null;
  if (!parts) throw new Unfit(NO_TIME);
  const [, day, time, digits, sign, hours, minutes] = parts;
  const local = Date.parse(`${day}T${time}Z`);
  // A day that is not there, such as 31 April, would be read as another one.
  if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 10) !== day) {
    throw new Unfit(NO_TIME);
  }
  const offset =
    sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  const seconds = local / 1000 - offset * 60;
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) throw new Unfit(NO_TIME);
  return { seconds: String(seconds), nanos: nanosOf(digits) };
};

export const durationText = (seconds: string, nanos: number): string => {
  const whole = Number(seconds);
  const isMixed = whole !== 0 && nanos !== 0 && whole < 0 !== nanos < 0;
  if (Math.abs(whole) > MAX_DURATION_SECONDS || Math.abs(nanos) > MAX_NANOS || isMixed) {
    throw new MalformedMessage('a duration is out of range');
  }
  const sign = whole < 0 || nanos < 0 ? '-' : '';
  return `${sign}${Math.abs(whole)}${fraction(Math.abs(nanos))}s`;
};

export const durationFields = (value: unknown): { seconds: string; nanos: number } => {
  const parts = typeof value === 'string' ? SECONDS.exec(value) : null;
  if (!parts) throw new Unfit('expected a duration in seconds such as 1.5s');
  const [, sign, whole, digits] = parts;
  if (Number(whole) > MAX_DURATION_SECONDS) throw new Unfit('expected a shorter duration');
  const nanos = nanosOf(digits);
  return { seconds: `${sign}${whole}`, nanos: sign === '-' ? -nanos : nanos };
};
