/** `datetime`: the current time, and parsing, formatting, comparing and shifting dates in any time zone. */
import type { DateTime } from 'luxon';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Capability, Tool, ToolExample } from '../../contract/tool.ts';
import {
  datetimeInput,
  datetimeOutput,
  type DatetimeInput as Input,
  type DatetimeOutput as Output,
  type Unit,
} from './time/datetime-schema.ts';
import { writeDate } from './time/format-tokens.ts';
import { type ReadDateOptions, readDate } from './time/read-date.ts';

export interface DatetimeOptions {
  /** The zone when a call names none: an IANA name, `UTC` or `local`. */
  readonly defaultZone: string;
  now(): number;
}

/** Their length depends on the calendar, so they cannot be shifted by a fraction. */
const CALENDAR_UNITS: readonly Unit[] = ['years', 'quarters', 'months'];
const DEFAULT_FORMAT = 'yyyy-MM-dd HH:mm:ss';

const wrong = (field: keyof Input, message: string, suggestion: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `${field}: ${message}.`, {
    issues: [{ path: [field], message }],
    suggestions: [suggestion],
  });

/** What an operation works with: the input, its zone and locale, and the clock. */
interface DateJob extends ReadDateOptions {
  readonly input: Input;
  now(): DateTime;
}

const written = (moment: DateTime, { input: { format, locale } }: DateJob): string =>
  writeDate(moment.setLocale(locale), format ?? DEFAULT_FORMAT);

const described = (moment: DateTime, job: DateJob): Output => {
  const iso = moment.toISO();
  if (iso === null) throw wrong('date', 'is out of range', 'Use years from -271821 to 275760.');
  return {
    iso,
    formatted: written(moment, job),
    timezone: moment.zoneName ?? job.zone,
    timestamp: moment.toMillis(),
    weekday: moment.setLocale(job.locale).weekdayLong ?? '',
  };
};

const inputDate = (job: DateJob): DateTime =>
  job.input.date === undefined ? job.now() : readDate(job.input.date, 'date', job);

const diff = (job: DateJob): Output => {
  const { date1 = '', date2 = '', unit = 'days' } = job.input;
  const from = readDate(date1, 'date1', job);
  const to = readDate(date2, 'date2', job);
  const whole = ['years', 'months', 'days', 'hours', 'minutes', 'seconds'] as const;
  const { milliseconds: _rest, ...breakdown } = to
    .diff(from, [...whole, 'milliseconds'])
    .toObject();
  return {
    difference: to.diff(from, unit).as(unit),
    unit,
    breakdown: breakdown as Record<string, number>,
  };
};

const add = (job: DateJob): Output => {
  const { amount = 0, unit = 'days' } = job.input;
  if (CALENDAR_UNITS.includes(unit) && !Number.isInteger(amount)) {
    throw wrong('amount', `must be a whole number of ${unit}`, 'Use days or hours for fractions.');
  }
  const base = inputDate(job);
  const moved = base.plus({ [unit]: amount });
  if (!moved.isValid) throw wrong('amount', 'leads out of range', 'Use a smaller amount.');
  const { iso, ...rest } = described(moved, job);
  return { original: base.toISO() ?? '', result: iso, iso, ...rest };
};

const OPERATIONS: Readonly<Record<Input['operation'], (job: DateJob) => Output>> = {
  now: (job) => described(job.now(), job),
  parse: (job) => described(inputDate(job), job),
  format: (job) => ({ formatted: written(inputDate(job), job), timezone: job.zone }),
  diff,
  add,
};

/** Finds the zone closest to a wrong name: by its city first, then by the whole name. */
const nearestZone = (
  zone: string,
  zones: readonly string[],
  closest: (name: string, of: readonly string[]) => string,
): string => {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[\s_-]+/g, '');
  const cities = new Map(zones.map((name) => [plain(name.slice(name.lastIndexOf('/') + 1)), name]));
  const city = plain(zone.slice(zone.lastIndexOf('/') + 1)).slice(0, 64);
  const exact = cities.get(city);
  if (exact !== undefined || zone.includes('/')) return exact ?? closest(zone, zones);
  return cities.get(closest(city, [...cities.keys()])) ?? 'Europe/Vienna';
};

/** Checks for a name of the IANA database; offsets and "local" are allowed in the default zone only. */
const assertZone = async (zone: string, { IANAZone }: typeof import('luxon')): Promise<void> => {
  if (IANAZone.isValidZone(zone) && /^[A-Za-z]/.test(zone)) return;
  const { closest } = await import('fastest-levenshtein');
  const guess = nearestZone(zone, Intl.supportedValuesOf('timeZone'), closest);
  throw wrong('timezone', 'is not a time zone', `Use an IANA name such as ${guess}, or UTC.`);
};

const sceneOf = (
  request: Input,
  { defaultZone, now }: DatetimeOptions,
  luxon: typeof import('luxon'),
): DateJob => {
  const { locale, inputFormat, format, operation } = request;
  const zone = request.timezone ?? defaultZone;
  return {
    luxon,
    zone,
    locale,
    inputFormat,
    // A caller who parses "13/03/2026" with the format DD/MM/YYYY means the notation of the input.
    likelyFormat: operation === 'parse' ? format : undefined,
    input: request,
    now: () => luxon.DateTime.fromMillis(now(), { zone }),
  };
};

const run = async (request: Input, options: DatetimeOptions): Promise<Output> => {
  const luxon = await import('luxon');
  if (request.timezone !== undefined) await assertZone(request.timezone, luxon);
  try {
    return OPERATIONS[request.operation](sceneOf(request, options, luxon));
  } catch (error) {
    // Intl throws this for a locale that is not well formed.
    if (error instanceof RangeError)
      throw wrong('locale', 'is not a locale', 'Use e.g. "en" or "fr-CA".');
    throw error;
  }
};

const CAPABILITIES: readonly Capability[] = [
  { action: 'now', description: 'Tell the present time.' },
  { action: 'parse', description: 'Read a date.' },
  { action: 'format', description: 'Write a date in another form.' },
  { action: 'diff', description: 'Count the time between two dates.' },
  { action: 'add', description: 'Move a date.' },
];

const EXAMPLES: readonly ToolExample[] = [
  {
    title: 'Read a date in another zone',
    input: { operation: 'parse', date: '2026-03-01T12:00:00Z', timezone: 'Africa/Kigali' },
    output: { iso: '2026-03-01T14:00:00.000+02:00', weekday: 'Sunday' },
  },
  {
    title: 'Days between two dates',
    input: { operation: 'diff', date1: '2026-02-27', date2: '2026-03-02', unit: 'days' },
    output: { difference: 3 },
  },
  {
    title: 'The last day of the next month',
    input: {
      operation: 'add',
      date: '2026-01-31',
      amount: 1,
      unit: 'months',
      format: 'yyyy-MM-dd',
    },
    output: { formatted: '2026-02-28' },
  },
  {
    title: 'Another notation',
    input: {
      operation: 'format',
      date: '2026-03-01',
      format: 'dddd, D MMMM YYYY',
      locale: 'fr',
    },
    output: { formatted: 'dimanche, 1 mars 2026' },
  },
];

/** Defines the tool. The crib provides the clock and the default zone. */
export const defineDatetime = (options: DatetimeOptions): Tool<Input, Output> =>
  defineTool({
    name: 'datetime',
    version: '1.0.0',
    description:
      'Tell the time, parse and format dates, count the time between two dates, add or subtract time. Knows time zones and daylight saving.',
    source: 'builtin',
    category: 'development',
    tier: 'read_only',
    tags: ['date', 'time', 'timezone', 'calendar'],
    author: 'Toolcrib',
    license: 'MIT',
    aliases: ['date:time', 'time:now'],
    permissions: ['tool:datetime'],
    cost: { model: 'free' },
    actionField: 'operation',
    capabilities: CAPABILITIES,
    examples: EXAMPLES,
    input: datetimeInput,
    output: datetimeOutput,
    run: (request) => run(request, options),
  });
