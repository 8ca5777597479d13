/** The stretches of time to look at, each with the size of its steps. */
import { utcDay } from '../components/format.ts';

export type BucketSize = 'minute' | 'hour' | 'day';

export interface Period {
  readonly id: string;
  readonly title: string;
  readonly bucket: BucketSize;
  /** How many steps it has, the present one among them. */
  readonly steps: number;
}

export interface Span {
  readonly from: number;
  /** Exclusive: the end of the present step. */
  readonly to: number;
  readonly bucket: BucketSize;
}

export const BUCKET_MS: Readonly<Record<BucketSize, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

const DAY: Period = { id: '24h', title: '24 hours', bucket: 'hour', steps: 24 };

/** For those who have just begun: in hours all their calls would be one bar. */
export const HOUR: Period = { id: '1h', title: 'hour', bucket: 'minute', steps: 60 };

export const PERIODS: readonly Period[] = [
  HOUR,
  DAY,
  { id: '7d', title: '7 days', bucket: 'hour', steps: 168 },
  { id: '30d', title: '30 days', bucket: 'day', steps: 30 },
  { id: '90d', title: '90 days', bucket: 'day', steps: 90 },
];

/** Finds a period by its id; the last 24 hours for an unknown one. */
export const periodOf = (id: string | undefined): Period =>
  PERIODS.find((period) => period.id === id) ?? DAY;

/** Tells whether all calls lie in the last hour: its minutes then show more than one bar of a day. */
export const isFresh = (first: number | undefined, now: number): boolean =>
  first !== undefined && first > spanOf(HOUR, now).from - BUCKET_MS.hour;

/** A chart shows at least so many steps. */
const MIN_STEPS = 12;

/** Leaves out the time before the first call: a few bars at the edge of an empty chart say little. */
export const trimSpan = (span: Span, first: number | undefined): Span => {
  const size = BUCKET_MS[span.bucket];
  const start = Math.min((first ?? span.from) - size, span.to - MIN_STEPS * size);
  return { ...span, from: Math.max(span.from, start) };
};

/** Makes the span of a period, in whole steps: the first bar must not stand for less time than the others. */
export const spanOf = ({ bucket, steps }: Period, now: number): Span => {
  const size = BUCKET_MS[bucket];
  const to = (Math.floor(now / size) + 1) * size;
  return { from: to - steps * size, to, bucket };
};

/** Days are those of UTC, as the server counts them; hours are those of the reader. */
export const stepName = (at: number, bucket: BucketSize): string =>
  bucket === 'day'
    ? utcDay(at)
    : new Date(at).toLocaleString('en-GB', {
        day: 'numeric',
        month: 'short',
        hour: '2-digit',
        minute: '2-digit',
      });
