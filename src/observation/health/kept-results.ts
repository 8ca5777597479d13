/**
 * Keeps results of checks in the store: the last one of each subject, and the changes of its state. The
 * process that records a change emits its event, so that each is emitted once.
 */
import type { Events } from '../../contract/events.ts';
import {
  HEALTH_KINDS,
  type HealthChange,
  type HealthCheck,
  type HealthCheckResult,
  type HealthHistory,
  type HealthState,
} from '../../contract/health.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { MemoryStore } from '../../contract/store.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { isRecord } from '../../kit/data/is-record.ts';

/** Out of reach for tools and callers, whose memory spaces start with a scope. */
export const HEALTH_SPACE = 'toolcrib:health';
const LAST = 'last';
const MAX_CHANGES = 50;
/** A subject that was not checked for this long is forgotten. */
const FORGET_MS = 30 * DAY_MS;

interface Last {
  /** When all subjects were last checked; 0 for never. */
  readonly allAt: number;
  readonly results: Readonly<Record<string, HealthCheckResult>>;
}

const STATES: readonly unknown[] = ['well', 'limited', 'unwell'] satisfies HealthState[];
const FINDINGS: readonly unknown[] = ['ok', 'warning', 'broken'] satisfies HealthCheck['state'][];

const isState = (value: unknown): value is HealthState => STATES.includes(value);

const isFinding = (value: unknown): value is HealthCheck =>
  isRecord(value) &&
  typeof value.name === 'string' &&
  typeof value.message === 'string' &&
  FINDINGS.includes(value.state);

/** Checks the shape of a result: a store that came with a cloned folder may hold anything. */
const isResult = (value: unknown): value is HealthCheckResult =>
  isRecord(value) &&
  typeof value.subject === 'string' &&
  typeof value.name === 'string' &&
  Object.hasOwn(HEALTH_KINDS, String(value.kind)) &&
  isState(value.state) &&
  typeof value.timestamp === 'number' &&
  Array.isArray(value.checks) &&
  value.checks.every(isFinding);

const readLast = (value: unknown): Last => {
  const { allAt, results } = isRecord(value) ? value : {};
  const entries = isRecord(results) ? Object.entries(results) : [];
  return {
    allAt: typeof allAt === 'number' ? allAt : 0,
    results: Object.fromEntries(
      entries.filter((entry): entry is [string, HealthCheckResult] => isResult(entry[1])),
    ),
  };
};

const isChange = (value: unknown): value is HealthChange =>
  isRecord(value) && isState(value.state) && typeof value.timestamp === 'number';

const readChanges = (value: unknown): readonly HealthChange[] =>
  Array.isArray(value) ? value.filter(isChange) : [];

const changeOf = ({ timestamp, state, checks }: HealthCheckResult): HealthChange => {
  const reason = checks.find((check) => check.state !== 'ok')?.message;
  return { timestamp, state, ...(reason !== undefined && { reason }) };
};

export interface KeptResultsDeps {
  readonly memory: MemoryStore;
  readonly events: Pick<Events, 'emit'>;
  readonly runtime: Pick<Runtime, 'now'>;
}

/** Keeps results. `isAll` means that all subjects were checked. */
export const keepResults = async (
  results: readonly HealthCheckResult[],
  isAll: boolean,
  { memory, events, runtime }: KeptResultsDeps,
): Promise<void> => {
  const now = runtime.now();
  let before: Last['results'] = {};
  await memory.update({ space: HEALTH_SPACE, key: LAST, now }, (value): Last => {
    const last = readLast(value);
    before = last.results;
    const recent = Object.entries(before).filter(
      ([, { timestamp }]) => now - timestamp < FORGET_MS,
    );
    return {
      allAt: isAll ? now : last.allAt,
      results: Object.fromEntries([
        ...recent,
        ...results.map((result) => [result.subject, result] as const),
      ]),
    };
  });
  for (const result of results) {
    const { subject, kind, name, state, healthy } = result;
    const earlier = before[subject]?.state;
    if (earlier === state) continue;
    await memory.update({ space: HEALTH_SPACE, key: `changes:${subject}`, now }, (value) =>
      [changeOf(result), ...readChanges(value)].slice(0, MAX_CHANGES),
    );
    // That a new subject works is no change.
    if (earlier === undefined && state === 'well') continue;
    const was = earlier === undefined ? {} : { before: earlier };
    events.emit('health.changed', { subject, kind, name, state, healthy, ...was });
  }
};

/** Reads the last results, and when all subjects were last checked. */
export const readResults = async (
  memory: MemoryStore,
  now: number,
): Promise<{ readonly allAt: number; readonly results: readonly HealthCheckResult[] }> => {
  const { allAt, results } = readLast(await memory.read(HEALTH_SPACE, LAST, now));
  return { allAt, results: Object.values(results) };
};

export const readHistory = async (
  memory: MemoryStore,
  subject: string,
  now: number,
): Promise<HealthHistory> => {
  const { results } = readLast(await memory.read(HEALTH_SPACE, LAST, now));
  const last = Object.hasOwn(results, subject) ? results[subject] : undefined;
  const changes = readChanges(await memory.read(HEALTH_SPACE, `changes:${subject}`, now));
  return { ...(last && { last }), changes };
};
