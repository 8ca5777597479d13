/** Reads a point in time from an option: a date, or a span before or after now. */
import { spanMs } from '../../kit/data/durations.ts';
import { misuse } from './misuse.ts';

/** Reads a time in the future, in ms since the epoch: `8h` is eight hours from now. Fails with VALIDATION_ERROR. */
export const readDeadline = (option: string, text: string, now: number): number => {
  const moment = readMoment(option, text, now);
  return /^\d{4}-/.test(text) ? moment : now + (now - moment);
};

const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** Reads a time in the past, in ms since the epoch: `2h` is two hours ago; a date without a zone is UTC. */
export const readMoment = (option: string, text: string, now: number): number => {
  const span = spanMs(text);
  if (span !== undefined) return now - span;
  const zoned = /T|\s/.test(text) && !/(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? `${text}Z` : text;
  const moment = DATE.test(text) ? Date.parse(zoned.replace(' ', 'T')) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw misuse(
    `${option} takes a date or a time span.`,
    /^\d+$/.test(text)
      ? 'A span needs its unit, as in 3s, 90m, 2h or 7d; a date looks like 2026-11-15.'
      : 'Such as 2026-11-15, 2026-11-15T09:30Z, 3s, 90m, 2h or 7d.',
  );
};
