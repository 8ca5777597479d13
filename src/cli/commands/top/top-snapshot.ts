/** What `toolcrib top` shows of one moment, composed from the answers of a crib or a server. */
import type { UsageLine } from '../../../contract/crib-members.ts';
import type { CallFigures, MetricHistory, MetricLine } from '../../../contract/metrics.ts';
import type { JobCounts } from '../../../contract/queue.ts';
import type { ServerStatus } from '../../../contract/servers.ts';
import { HOUR_MS, MINUTE_MS } from '../../../kit/data/durations.ts';

export interface RunningCalls {
  readonly tool: string;
  readonly count: number;
}

/** Where the figures come from: the store of a folder, or a running server. */
export interface TopSource {
  /** The name shown to people. */
  readonly label: string;
  /** Reads the figures of each minute from then on. */
  history(from: number): Promise<MetricHistory>;
  total(from: number): Promise<CallFigures>;
  tools(from: number): Promise<readonly MetricLine[]>;
  running(now: number): Promise<readonly RunningCalls[]>;
  /** Lists when each waiting approval was requested. */
  waiting(): Promise<readonly number[]>;
  usage(): Promise<readonly UsageLine[]>;
  servers(): Promise<readonly Pick<ServerStatus, 'name' | 'state' | 'tools'>[]>;
  jobs(): Promise<Readonly<Record<string, JobCounts>>>;
  close(): Promise<void>;
}

export interface ToolFigures {
  readonly name: string;
  readonly calls: number;
  readonly running: number;
  /** From 0 to 1. */
  readonly errorRate: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly costUsd: number;
}

export interface MinuteFigures {
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly calls: number;
  readonly errorRate: number;
}

export interface TopSnapshot {
  readonly at: number;
  readonly source: string;
  /** Calls a second over the last minutes. */
  readonly perSecond: number;
  /** The last hour, a point a minute, oldest first. */
  readonly minutes: readonly MinuteFigures[];
  /** Over the same minutes as the tools. */
  readonly errorRate: number;
  readonly p95Ms: number;
  readonly tools: readonly ToolFigures[];
  readonly running: number;
  readonly waiting: { readonly count: number; readonly oldestAt?: number };
  /** Today, in UTC; `highest` is the user who is nearest to a limit. */
  readonly spend: {
    readonly usd: number;
    readonly highest?: { readonly user: string; readonly usd: number; readonly limitUsd: number };
  };
  readonly servers: readonly Pick<ServerStatus, 'name' | 'state' | 'tools'>[];
  readonly jobs: Pick<JobCounts, 'waiting' | 'active' | 'delayed' | 'dead'>;
}

/** Tools are compared over this time. */
export const WINDOW_MS = 15 * MINUTE_MS;
const MINUTES = HOUR_MS / MINUTE_MS;

const minutesOf = ({ points }: MetricHistory, now: number): readonly MinuteFigures[] => {
  const byStart = new Map(points.map((point) => [point.start, point]));
  const last = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  return Array.from({ length: MINUTES }, (_, at) => {
    const start = last - (MINUTES - 1 - at) * MINUTE_MS;
    const { calls = 0, errorRate = 0 } = byStart.get(start) ?? {};
    return { start, calls, errorRate };
  });
};

const spendOf = (lines: readonly UsageLine[]): TopSnapshot['spend'] => {
  const users = lines.filter(({ kind }) => kind === 'user');
  const usd = users.reduce((sum, line) => sum + line.usd, 0);
  const limited = users.flatMap(({ name: user, usd: spent, limit }) =>
    limit.usd === undefined ? [] : [{ user, usd: spent, limitUsd: limit.usd }],
  );
  const share = ({ usd: spent, limitUsd }: (typeof limited)[number]) =>
    limitUsd > 0 ? spent / limitUsd : 1;
  const [highest] = limited.sort((one, other) => share(other) - share(one));
  return { usd, ...(highest && { highest }) };
};

const jobsOf = (queues: Readonly<Record<string, JobCounts>>): TopSnapshot['jobs'] => {
  const sum = (state: keyof JobCounts): number =>
    Object.values(queues).reduce((total, counts) => total + counts[state], 0);
  return {
    waiting: sum('waiting'),
    active: sum('active'),
    delayed: sum('delayed'),
    dead: sum('dead'),
  };
};

const toolsOf = (
  lines: readonly MetricLine[],
  running: readonly RunningCalls[],
): readonly ToolFigures[] => {
  const counts = new Map(running.map(({ tool, count }) => [tool, count]));
  const shown = lines.map((line) => ({
    name: line.name,
    calls: line.calls,
    running: counts.get(line.name) ?? 0,
    errorRate: line.errorRate,
    medianMs: line.medianExecutionTime,
    p95Ms: line.p95ExecutionTime,
    costUsd: line.costUsd,
  }));
  const names = new Set(shown.map(({ name }) => name));
  const first = running
    .filter(({ tool, count }) => count > 0 && !names.has(tool))
    .map(({ tool: name, count }) => ({
      name,
      calls: 0,
      running: count,
      errorRate: 0,
      medianMs: 0,
      p95Ms: 0,
      costUsd: 0,
    }));
  return [...shown, ...first];
};

/** Computes calls a second over the last two whole minutes, for the first reading of a process. */
const paceOf = (minutes: readonly MinuteFigures[]): number => {
  const whole = minutes.slice(-3, -1);
  const calls = whole.reduce((sum, minute) => sum + minute.calls, 0);
  return (calls * 1000) / (Math.max(1, whole.length) * MINUTE_MS);
};

const waitingOf = (moments: readonly number[]): TopSnapshot['waiting'] => ({
  count: moments.length,
  ...(moments.length > 0 && { oldestAt: Math.min(...moments) }),
});

/** Reads everything at once. Rejects when one of the parts cannot be read. */
export const readSnapshot = async (source: TopSource, now: number): Promise<TopSnapshot> => {
  const from = now - WINDOW_MS;
  const [history, total, lines, running, waiting, usage, servers, jobs] = await Promise.all([
    source.history(now - HOUR_MS),
    source.total(from),
    source.tools(from),
    source.running(now),
    source.waiting(),
    source.usage(),
    source.servers(),
    source.jobs(),
  ]);
  const minutes = minutesOf(history, now);
  return {
    at: now,
    source: source.label,
    perSecond: paceOf(minutes),
    minutes,
    errorRate: total.errorRate,
    p95Ms: total.p95ExecutionTime,
    tools: toolsOf(lines, running),
    running: running.reduce((sum, { count }) => sum + count, 0),
    waiting: waitingOf(waiting),
    spend: spendOf(usage),
    servers,
    jobs: jobsOf(jobs),
  };
};

/** Counts the calls between two snapshots, in the minutes that both have or that came after. */
export const callsBetween = (before: TopSnapshot, after: TopSnapshot): number => {
  const counts = new Map(before.minutes.map(({ start, calls }) => [start, calls]));
  const oldest = before.minutes[0]?.start ?? 0;
  return after.minutes
    .filter(({ start }) => start >= oldest)
    .reduce((sum, { start, calls }) => sum + Math.max(0, calls - (counts.get(start) ?? 0)), 0);
};
