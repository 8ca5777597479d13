/**
 * Keeps schedules in Redis and makes their jobs. The id of a job is made of schedule and moment, so
 * that any number of processes may make the same one: the first adds it, the others find it there.
 */
import type { JobSchedule, NewJob, StoredSchedule } from '../../contract/queue.ts';
import type { Timer } from '../../contract/runtime.ts';
import { nextCronMoment } from '../../kit/data/cron-moments.ts';
import { errorCodeOf, reasonOf } from '../../kit/data/reason-of.ts';
import { DueSchedules } from '../due-schedules.ts';
import type { BullmqDeps } from './bullmq-deps.ts';
import { isRedisError } from './redis-failure.ts';
import { runScript } from './redis-scripts.ts';

const LOOK_MS = 500;

/** So many schedules are moved on at a time: a thousand, one by one, took until they were due again. */
const MADE_AT_ONCE = 64;

type KeptSchedule = JobSchedule & { readonly lastAt?: number };

const withNext = (text: string, nextAt: string): StoredSchedule => ({
  ...(JSON.parse(text) as KeptSchedule),
  nextAt: Number(nextAt),
});

export const setSchedule = async (
  { connections: { client }, keys, runtime }: BullmqDeps,
  schedule: JobSchedule,
): Promise<StoredSchedule> => {
  const nextAt = nextCronMoment(schedule, runtime.now());
  await client
    .multi()
    .hset(keys.schedules, schedule.id, JSON.stringify(schedule))
    .zadd(keys.due, nextAt, schedule.id)
    .exec();
  return { ...schedule, nextAt };
};

export const readSchedules = async ({
  connections: { client },
  keys,
}: BullmqDeps): Promise<readonly StoredSchedule[]> => {
  const due = await client.zrange(keys.due, 0, '-1', 'WITHSCORES');
  const ids = due.filter((_, index) => index % 2 === 0);
  if (ids.length === 0) return [];
  const texts = await client.hmget(keys.schedules, ...ids);
  return texts
    .flatMap((text, index) => (text === null ? [] : [withNext(text, due[2 * index + 1] ?? '')]))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
};

export const removeSchedule = async (
  { connections: { client }, keys }: BullmqDeps,
  scheduleId: string,
): Promise<boolean> => {
  const answers = await client
    .multi()
    .hdel(keys.schedules, scheduleId)
    .zrem(keys.due, scheduleId)
    .exec();
  return answers?.[0]?.[1] === 1;
};

export interface ScheduleRunner {
  close(): void;
}

interface RunDeps extends BullmqDeps {
  readonly steps: DueSchedules;
  add(job: NewJob): Promise<unknown>;
}

/** Makes the job of one moment, then moves the schedule on to the first moment after now. */
const makeJob = async (deps: RunDeps, scheduleId: string): Promise<void> => {
  const { connections, keys, runtime } = deps;
  const { client } = connections;
  const [text, score] = await Promise.all([
    client.hget(keys.schedules, scheduleId),
    client.zscore(keys.due, scheduleId),
  ]);
  const now = runtime.now();
  // Another process may have been faster.
  if (text === null || score === null || Number(score) > now) return;
  const step = deps.steps.step(withNext(text, score), now);
  if (!step) return;
  await deps.add(step.job);
  const { nextAt, ...rest } = step.advanced;
  await runScript(client, 'toolcribAdvanceSchedule', [
    ...[keys.schedules, keys.due],
    ...[scheduleId, score, nextAt, JSON.stringify(rest)],
  ]);
};

const isAway = (error: unknown): boolean =>
  isRedisError(error) || errorCodeOf(error) === 'STORE_UNAVAILABLE';

/** Makes the jobs of schedules that are due. One that fails does not keep the others from theirs. */
const makeJobs = async (deps: RunDeps, due: readonly string[]): Promise<void> => {
  const failures: unknown[] = [];
  for (let at = 0; at < due.length; at += MADE_AT_ONCE) {
    const ids = due.slice(at, at + MADE_AT_ONCE);
    const made = await Promise.allSettled(ids.map((scheduleId) => makeJob(deps, scheduleId)));
    for (const each of made) if (each.status === 'rejected') failures.push(each.reason);
    if (failures.some(isAway)) break;
  }
  if (failures.length > 0) throw failures.find(isAway) ?? failures[0];
};

/** Looks for due schedules while this process works on jobs. */
export const runSchedules = (deps: BullmqDeps, add: RunDeps['add']): ScheduleRunner => {
  const { connections, keys, runtime } = deps;
  const runDeps = { ...deps, add, steps: new DueSchedules(runtime.log) };
  const { client } = connections;
  let timer: Timer | undefined;
  let isClosed = false;

  const look = async (): Promise<void> => {
    const due = await client.zrange(keys.due, '-inf', `${runtime.now()}`, 'BYSCORE');
    await makeJobs(runDeps, due);
  };
  const next = (): void => {
    if (isClosed) return;
    timer = runtime.after(LOOK_MS, () => {
      look()
        .catch((error: unknown) => {
          // While Redis is away nothing is due; the connection logs that it is.
          if (isAway(error)) return;
          runtime.log.warn('The schedules could not be read.', { error: reasonOf(error) });
        })
        .finally(next);
    });
    timer.keepAlive(false);
  };
  next();
  return {
    close: () => {
      isClosed = true;
      timer?.cancel();
    },
  };
};
