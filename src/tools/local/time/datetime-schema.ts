/** Input and output of `datetime`. */
import { z } from 'zod';

export const UNITS = [
  'years',
  'quarters',
  'months',
  'weeks',
  'days',
  'hours',
  'minutes',
  'seconds',
  'milliseconds',
] as const;
export type Unit = (typeof UNITS)[number];

const date = () => z.union([z.string().min(1).max(200), z.number()]);
const unit = () =>
  z.preprocess(
    (value) => (typeof value === 'string' && !value.endsWith('s') ? `${value}s` : value),
    z.enum(UNITS),
  );

export const datetimeInput = () =>
  z
    .strictObject({
      operation: z.enum(['now', 'parse', 'format', 'diff', 'add']).describe('What to do.'),
      timezone: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe('IANA zone of the result, and of dates that name none, e.g. "Africa/Kigali".'),
      date: date()
        .optional()
        .describe(
          'The date: ISO 8601, RFC 2822, HTTP, SQL, "1 March 2026" or Unix time. Default: now (not for parse).',
        ),
      inputFormat: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe('How the date is written, e.g. "dd/MM/yyyy", when it is none of the above.'),
      format: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe('How to write the result, e.g. "yyyy-MM-dd HH:mm" or "YYYY-MM-DD HH:mm".'),
      locale: z.string().max(35).default('en').describe('Language of month and day names.'),
      date1: date().optional().describe('For diff: from.'),
      date2: date().optional().describe('For diff: to.'),
      unit: unit()
        .optional()
        .describe('For diff and add: years to milliseconds. Default for diff: days.'),
      amount: z.number().optional().describe('For add: how many; negative goes back.'),
    })
    .superRefine((value, context) => {
      for (const field of REQUIRED[value.operation]) {
        if (value[field] !== undefined) continue;
        context.addIssue({ code: 'custom', path: [field], message: `${value.operation} needs it` });
      }
    });

const REQUIRED: Readonly<
  Record<
    'now' | 'parse' | 'format' | 'diff' | 'add',
    readonly ('date' | 'date1' | 'date2' | 'unit' | 'amount')[]
  >
> = {
  now: [],
  parse: ['date'],
  format: [],
  diff: ['date1', 'date2'],
  add: ['amount', 'unit'],
};

export const datetimeOutput = () =>
  z.strictObject({
    iso: z.string().optional().describe('ISO 8601 with the offset of the zone.'),
    formatted: z.string().optional().describe('The date in the format asked for.'),
    timezone: z.string().optional().describe('The zone of iso and formatted.'),
    timestamp: z.number().optional().describe('Milliseconds since 1970 in UTC.'),
    weekday: z.string().optional().describe('The day of the week.'),
    difference: z.number().optional().describe('date2 minus date1 in the unit.'),
    unit: z.string().optional().describe('The unit of difference.'),
    breakdown: z
      .record(z.string(), z.number())
      .optional()
      .describe('The difference in years, months, days, hours, minutes and seconds.'),
    original: z.string().optional().describe('add: the date before, ISO 8601.'),
    result: z.string().optional().describe('add: the date after, ISO 8601.'),
  });

export type DatetimeInput = z.infer<ReturnType<typeof datetimeInput>>;
export type DatetimeOutput = z.infer<ReturnType<typeof datetimeOutput>>;
