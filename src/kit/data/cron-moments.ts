/** Reads cron patterns: five fields, six with seconds in front, or a shorthand such as `@daily`. */
import { Cron } from 'croner';
import { ToolFailure } from '../../contract/errors.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import { reasonOf } from './reason-of.ts';

export interface CronSpec {
  readonly cron: string;
  /** An IANA name; UTC when absent. */
  readonly timeZone?: string;
}

const MAX_PATTERN = 200;
const FIELDS = 'it needs five fields between spaces, or six with seconds in front.';

/** Says whether the platform knows a time zone. */
const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

/**
 * Reads the reason from an error of the library, which names its classes and repeats the pattern.
 */
const patternFault = (error: unknown): string =>
  /space separated parts|exactly 5 or 6 parts/.test(reasonOf(error))
    ? FIELDS
    : `${reasonOf(error).replace(/^Cron\w+: /, '')}.`;

const unknownZone = (timeZone: string): ToolFailure => {
  const zone = timeZone.slice(0, MAX_PATTERN);
  const meant = didYouMean(zone, Intl.supportedValuesOf('timeZone'));
  return new ToolFailure('VALIDATION_ERROR', `There is no time zone ${zone}${meant || '.'}`, {
    suggestions: ['Name a zone of the IANA list, such as Europe/Berlin, or UTC.'],
  });
};

const refuse = ({ cron, timeZone = 'UTC' }: CronSpec, why: string): never => {
  const message = `The schedule ${JSON.stringify(cron.slice(0, MAX_PATTERN))} in ${timeZone.slice(0, MAX_PATTERN)} is not valid: ${why}`;
  throw new ToolFailure('VALIDATION_ERROR', message, {
    suggestions: [
      'Write minute, hour, day, month and weekday, as in "30 4 * * 1-5", or a word such as @daily.',
    ],
  });
};

/**
 * Returns the first moment after another one, in milliseconds since the epoch. Throws VALIDATION_ERROR
 * with the reason for a pattern or time zone that makes no sense, or that has no such moment.
 */
export const nextCronMoment = (spec: CronSpec, after: number): number => {
  const { cron, timeZone = 'UTC' } = spec;
  if (cron.length > MAX_PATTERN) refuse(spec, 'it is too long.');
  // The library takes any text with a colon for one date, after which nothing comes.
  if (cron.includes(':')) refuse(spec, FIELDS);
  if (!isTimeZone(timeZone)) throw unknownZone(timeZone);
  let next: Date | null = null;
  try {
    next = new Cron(cron, { timezone: timeZone, mode: '5-or-6-parts' }).nextRun(new Date(after));
  } catch (error) {
    refuse(spec, patternFault(error));
  }
  return next?.getTime() ?? refuse(spec, 'it has no moment to come.');
};

/**
 * Returns the last moment that is not after another one. Throws VALIDATION_ERROR for a pattern or time zone
 * that makes no sense, or that has no such moment.
 */
export const lastCronMoment = (spec: CronSpec, notAfter: number): number => {
  const { cron, timeZone = 'UTC' } = spec;
  // Checks the pattern, too.
  nextCronMoment(spec, notAfter);
  const runs = new Cron(cron, { timezone: timeZone, mode: '5-or-6-parts' });
  // The second after: a reference is not among its previous moments.
  const [last] = runs.previousRuns(1, new Date(Math.floor(notAfter / 1_000) * 1_000 + 1_000));
  return last?.getTime() ?? refuse(spec, 'it has no moment before.');
};
