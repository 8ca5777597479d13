/**
 * Schedules of checks, in the store. Whoever moves the next moment of a schedule on runs it: of several
 * processes on one store, one each time.
 */
import type { HealthSchedule } from '../../contract/health.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { MemoryStore } from '../../contract/store.ts';
import { nextCronMoment } from '../../kit/data/cron-moments.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { HEALTH_SPACE } from './kept-results.ts';

const SCHEDULES = 'schedules';
const CLAIMS = 'claims';
const MAX_SCHEDULES = 1000;
/** A claim whose moment passed this long ago belongs to a schedule that is gone. */
const FORGET_MS = 40 * 86_400_000;

export interface ScheduleDeps {
  readonly memory: MemoryStore;
  readonly runtime: Pick<Runtime, 'now'>;
}

const isSchedule = (value: unknown): value is HealthSchedule =>
  isRecord(value) &&
  typeof value['subject'] === 'string' &&
  typeof value['cron'] === 'string' &&
  (value['timeZone'] === undefined || typeof value['timeZone'] === 'string');

const readAll = (value: unknown): readonly HealthSchedule[] =>
  Array.isArray(value) ? value.filter(isSchedule).slice(0, MAX_SCHEDULES) : [];

export const readSchedules = async ({
  memory,
  runtime,
}: ScheduleDeps): Promise<readonly HealthSchedule[]> =>
  readAll(await memory.read(HEALTH_SPACE, SCHEDULES, runtime.now()));

/** Adds a schedule, or replaces that of its subject. Throws VALIDATION_ERROR for a pattern without sense. */
export const writeSchedule = async (
  { subject, cron, timeZone }: HealthSchedule,
  { memory, runtime }: ScheduleDeps,
): Promise<void> => {
  const schedule = { subject, cron, ...(timeZone !== undefined && { timeZone }) };
  nextCronMoment(schedule, runtime.now());
  await memory.update({ space: HEALTH_SPACE, key: SCHEDULES, now: runtime.now() }, (value) => [
    ...readAll(value)
      .filter((other) => other.subject !== subject)
      .slice(1 - MAX_SCHEDULES),
    schedule,
  ]);
};

/** False when there was none. */
export const removeSchedule = async (
  subject: string,
  { memory, runtime }: ScheduleDeps,
): Promise<boolean> => {
  let isThere = false;
  await memory.update({ space: HEALTH_SPACE, key: SCHEDULES, now: runtime.now() }, (value) => {
    const all = readAll(value);
    isThere = all.some((schedule) => schedule.subject === subject);
    return all.filter((schedule) => schedule.subject !== subject);
  });
  return isThere;
};

const claimKey = ({ subject, cron, timeZone = 'UTC' }: HealthSchedule): string =>
  `${subject} ${cron} ${timeZone}`;

/** Returns the schedules that are due and that no other process has taken; takes them. */
export const claimDue = async (
  schedules: readonly HealthSchedule[],
  { memory, runtime }: ScheduleDeps,
): Promise<readonly HealthSchedule[]> => {
  const now = runtime.now();
  let due: HealthSchedule[] = [];
  const claim = (value: unknown): Record<string, number> => {
    due = [];
    const entries = Object.entries(isRecord(value) ? value : {}).filter(
      (entry): entry is [string, number] =>
        typeof entry[1] === 'number' && now - entry[1] < FORGET_MS,
    );
    const claims = new Map(entries);
    for (const schedule of schedules) {
      const key = claimKey(schedule);
      const at = claims.get(key);
      if (isAhead(at, schedule, now)) continue;
      if (at !== undefined) due.push(schedule);
      claims.set(key, nextMoment(schedule, now));
    }
    return Object.fromEntries(claims);
  };
  // Most looks find nothing to do: a read is enough then.
  const known = await memory.read(HEALTH_SPACE, CLAIMS, now);
  const isIdle = schedules.every((schedule) => {
    const at = isRecord(known) ? known[claimKey(schedule)] : undefined;
    return typeof at === 'number' && isAhead(at, schedule, now);
  });
  if (isIdle) return [];
  await memory.update({ space: HEALTH_SPACE, key: CLAIMS, now }, claim);
  return due;
};

/** A claim beyond the next moment is planted, or was made before the clock was set back: the check is due. */
const isAhead = (at: number | undefined, schedule: HealthSchedule, now: number): boolean =>
  at !== undefined && at > now && at <= nextMoment(schedule, now);

/** A schedule in a store that somebody changed may make no sense: it is never due. */
const nextMoment = (schedule: HealthSchedule, now: number): number => {
  try {
    return nextCronMoment(schedule, now);
  } catch {
    return now + FORGET_MS;
  }
};
