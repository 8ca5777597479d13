/** Counts rows of the audit trail by minute, hour and day: in total, and by tool, source and user. */
import type { AuditEntry } from '../../contract/audit.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import {
  type CallCounts,
  type CountedStatus,
  METRIC_GRAINS,
  type MetricGrain,
  type MetricKind,
  type RollUp,
  UNKNOWN_TOOL,
} from '../../contract/metrics.ts';
import { addCounts } from '../../kit/metrics/add-counts.ts';
import { bucketOf } from '../../kit/metrics/duration-buckets.ts';

const [MINUTE] = METRIC_GRAINS;

/** Longer names are cut, because callers may choose their names and each is kept for years. */
const MAX_NAME = 200;

const BUILTIN = 'builtin';

/** Statuses of calls whose tool was started or whose result came from the cache. */
const RAN: ReadonlySet<string> = new Set(['success', 'failure', 'timeout', 'cancelled', 'unknown']);
const COUNTED: ReadonlySet<string> = new Set([...RAN, 'denied', 'pending']);

const numberIn = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;

/** Tells whether a row counts: an outcome that is no dry run. An undo is an event, not a call. */
const isCounted = ({ kind, status, detail }: AuditEntry): boolean =>
  kind === 'outcome' && COUNTED.has(status) && detail.dryRun !== true;

/** What is counted of a row. */
export type CountedRow = Pick<
  AuditEntry,
  'status' | 'code' | 'durationMs' | 'costMicros' | 'detail'
>;

/** The growing counts of one series in one period. */
export class Counting {
  readonly #byStatus: Partial<Record<CountedStatus, number>> = {};
  readonly #byCode: Partial<Record<ErrorCode, number>> = {};
  readonly #durations = new Map<number, number>();
  #retries = 0;
  #cacheHits = 0;
  #costMicros = 0;
  tokens = 0;
  #totalMs = 0;
  #maxMs = 0;
  #cpuMs = 0;
  #peakMemoryBytes = 0;

  note(row: CountedRow, bucket = bucketOf(row.durationMs)): void {
    const { status, code, durationMs, costMicros, detail } = row;
    const name = status as CountedStatus;
    this.#byStatus[name] = (this.#byStatus[name] ?? 0) + 1;
    if (code !== '') this.#byCode[code] = (this.#byCode[code] ?? 0) + 1;
    this.#costMicros += costMicros;
    this.tokens += numberIn(detail.tokens);
    if (!RAN.has(status)) return;
    this.#retries += Math.max(0, numberIn(detail.attempts) - 1);
    if (detail.cached === true) this.#cacheHits += 1;
    this.#cpuMs += numberIn(detail.cpuMs);
    this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, numberIn(detail.peakMemoryBytes));
    this.#totalMs += durationMs;
    if (durationMs > this.#maxMs) this.#maxMs = durationMs;
    this.#durations.set(bucket, (this.#durations.get(bucket) ?? 0) + 1);
  }

  counts(): CallCounts {
    return {
      byStatus: this.#byStatus,
      byCode: this.#byCode,
      retries: this.#retries,
      cacheHits: this.#cacheHits,
      costMicros: this.#costMicros,
      tokens: this.tokens,
      totalMs: this.#totalMs,
      maxMs: this.#maxMs,
      cpuMs: this.#cpuMs,
      peakMemoryBytes: this.#peakMemoryBytes,
      durations: [...this.#durations].sort(([one], [other]) => one - other).flat(),
    };
  }
}

/** The minutes of one series. */
class Series {
  readonly #minutes = new Map<number, Counting>();

  of(minute: number): Counting {
    let counting = this.#minutes.get(minute);
    if (!counting) {
      counting = new Counting();
      this.#minutes.set(minute, counting);
    }
    return counting;
  }

  /** Returns the counts by period of a grain, as sums of the minutes. */
  periods(grain: MetricGrain): ReadonlyMap<number, CallCounts> {
    const periods = new Map<number, CallCounts>();
    for (const [minute, counting] of this.#minutes) {
      const start = minute - (minute % grain);
      const counts = counting.counts();
      const before = periods.get(start);
      periods.set(start, before ? addCounts(before, counts) : counts);
    }
    return periods;
  }
}

const shortName = (name: string): string =>
  name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 1)}…`;

const toolOf = ({ tool, version }: AuditEntry): string => (version === '' ? UNKNOWN_TOOL : tool);

/** Returns the source that a row names; rows of tools that ship name none. */
const sourceOf = ({ detail }: AuditEntry): string =>
  typeof detail.source === 'string' ? detail.source : BUILTIN;

/** The fields that decide in which counts a row belongs, and these counts. */
interface RowCountings {
  readonly minute: number;
  readonly tool: string;
  readonly source: string;
  readonly userId: string;
  readonly countings: readonly Counting[];
}

export class RowCounter {
  readonly #series = new Map<MetricKind, Map<string, Series>>();
  /** Those of the row before, kept because most rows belong to the same counts. */
  #latest: RowCountings | undefined = undefined;

  note(row: AuditEntry): void {
    if (!isCounted(row)) return;
    const bucket = bucketOf(row.durationMs);
    for (const counting of this.#countingsOf(row)) counting.note(row, bucket);
  }

  #countingsOf(row: AuditEntry): readonly Counting[] {
    const { userId } = row;
    const minute = row.at - (row.at % MINUTE);
    const tool = toolOf(row);
    const source = sourceOf(row);
    const before = this.#latest;
    if (
      before?.minute === minute &&
      before.tool === tool &&
      before.source === source &&
      before.userId === userId
    ) {
      return before.countings;
    }
    const series = [
      this.#of('overall', ''),
      this.#of('tool', tool),
      this.#of('source', source),
      this.#of('caller', userId),
    ];
    const countings = series.map((one) => one.of(minute));
    this.#latest = { minute, tool, source, userId, countings };
    return countings;
  }

  rollUps(): readonly RollUp[] {
    const rollUps: RollUp[] = [];
    for (const [kind, names] of this.#series) {
      for (const [name, series] of names) {
        for (const grain of METRIC_GRAINS) {
          for (const [start, counts] of series.periods(grain)) {
            rollUps.push({ kind, name, grain, start, counts });
          }
        }
      }
    }
    return rollUps;
  }

  #of(kind: MetricKind, name: string): Series {
    let names = this.#series.get(kind);
    if (!names) {
      names = new Map();
      this.#series.set(kind, names);
    }
    const short = shortName(name);
    let series = names.get(short);
    if (!series) {
      series = new Series();
      names.set(short, series);
    }
    return series;
  }
}
