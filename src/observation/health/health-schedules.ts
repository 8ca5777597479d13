/**
 * Stores the schedules of checks. The process that moves the next time of a schedule forward runs it, so
 * that only one process on a store does each time.
 */
import type { HealthSchedule } from '../../contract/health.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { MemoryStore } from '../../contract/store.ts';
import { nextCronMoment } from '../../kit/data/cron-moments.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { HEALTH_SPACE } from './kept-results.ts';

const SCHEDULES = 'schedules';
const CLAIMS = 'claims';
const MAX_SCHEDULES = 1000;
/** A claim whose time passed this long ago belongs to a schedule that was removed. */
const FORGET_MS = 40 * DAY_MS;

export interface ScheduleDeps {
  readonly memory: MemoryStore;
  readonly runtime: Pick<Runtime, 'now'>;
}

const isSchedule = (value: unknown): value is HealthSchedule =>
  isRecord(value) &&
  typeof value.subject === 'string' &&
  typeof value.cron === 'string' &&
  (value.timeZone === undefined || typeof value.timeZone === 'string');

const readAll = (value: unknown): readonly HealthSchedule[] =>
  Array.isArray(value) ? value.filter(isSchedule).slice(0, MAX_SCHEDULES) : [];

export const readSchedules = async ({
  memory,
  runtime,
}: ScheduleDeps): Promise<readonly HealthSchedule[]> =>
  readAll(await memory.read(HEALTH_SPACE, SCHEDULES, runtime.now()));

/** Adds a schedule, or replaces that of its subject. Throws VALIDATION_ERROR for an invalid pattern. */
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

/** Removes a schedule; false when there was none. */
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

/** Claims and returns the schedules that are due and that no other process has claimed. */
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
  // Mostly nothing is due: then a read is enough.
  const claims = await memory.read(HEALTH_SPACE, CLAIMS, now);
  const isIdle = schedules.every((schedule) => {
    const at = isRecord(claims) ? claims[claimKey(schedule)] : undefined;
    return typeof at === 'number' && isAhead(at, schedule, now);
  });
  if (isIdle) return [];
  await memory.update({ space: HEALTH_SPACE, key: CLAIMS, now }, claim);
  return due;
};

/**
 * Tells whether the next check is still ahead. A claim beyond the next time of the schedule does not
 * count: it was planted, or made before the clock was set back.
 */
const isAhead = (at: number | undefined, schedule: HealthSchedule, now: number): boolean =>
  at !== undefined && at > now && at <= nextMoment(schedule, now);

/** Returns the next time of a schedule. An invalid one, from a store that somebody changed, is never due. */
const nextMoment = (schedule: HealthSchedule, now: number): number => {
  try {
    return nextCronMoment(schedule, now);
  } catch {
    return now + FORGET_MS;
  }
};
