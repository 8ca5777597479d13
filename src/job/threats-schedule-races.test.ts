/** Threat: schedules that are set at the same moment pass the limit of their user, or replace those of another. */
import { describe, expect, it } from 'vitest';
import type { JobSchedule, StoredSchedule } from '../contract/queue.ts';
import { type JobScheduleDeps, JobSchedules } from './job-schedules.ts';
import { JobTypes } from './job-types.ts';

const NOW = Date.UTC(2026, 10, 16, 12);
const DAILY = { cron: '@daily', type: 'report' };
const ada = { userId: 'ada', roles: ['operator'] };
const bo = { userId: 'bo', roles: ['operator'] };

/** A queue whose answers take a turn of the event loop, as those of a store do. */
const slowQueue = () => {
  const stored = new Map<string, StoredSchedule>();
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    schedules: async () => {
      await turn();
      return [...stored.values()];
    },
    setSchedule: async (schedule: JobSchedule) => {
      await turn();
      const entry = { ...schedule, nextAt: NOW };
      stored.set(schedule.id, entry);
      return entry;
    },
    removeSchedule: async (id: string) => {
      await turn();
      return stored.delete(id);
    },
  };
};

type SlowQueue = ReturnType<typeof slowQueue>;

/** The schedules as one process sees them. */
const processOf = (queue: SlowQueue): JobSchedules => {
  const types = new JobTypes();
  types.register('report', () => 'done');
  return new JobSchedules({
    types,
    settings: { retries: 3, queues: {} },
    runtime: { now: () => NOW },
    countStart: async () => undefined,
    seal: async () => undefined,
    queue: async () => queue,
  } as unknown as JobScheduleDeps);
};

const codesOf = async (sets: readonly Promise<unknown>[]): Promise<readonly string[]> =>
  (await Promise.allSettled(sets)).map((set) =>
    set.status === 'fulfilled' ? 'set' : (set.reason as { code: string }).code,
  );

const setMany = (schedules: JobSchedules, name: string, count: number) =>
  Array.from({ length: count }, (_, at) => schedules.set(`${name}-${at}`, { ...DAILY, ...ada }));

const countOf = (codes: readonly string[], code: string): number =>
  codes.filter((each) => each === code).length;

describe('schedules that are set at the same moment', () => {
  it('threat: are no more than one user may have', async () => {
    const queue = slowQueue();
    const codes = await codesOf(setMany(processOf(queue), 'a', 120));
    expect([countOf(codes, 'set'), countOf(codes, 'RATE_LIMITED')]).toEqual([100, 20]);
    expect(await queue.schedules()).toHaveLength(100);
  });

  it('threat: are no more than one user may have where two processes set them', async () => {
    const queue = slowQueue();
    await Promise.all(setMany(processOf(queue), 'a', 99));
    const sets = [processOf(queue), processOf(queue)].flatMap((each, at) =>
      setMany(each, `b${at}`, 1),
    );
    expect((await codesOf(sets)).toSorted()).toEqual(['RATE_LIMITED', 'set']);
    expect(await queue.schedules()).toHaveLength(100);
  });

  it('threat: under one id by two users do not replace each other', async () => {
    const queue = slowQueue();
    const schedules = processOf(queue);
    const sets = [ada, bo].map((as) => schedules.set('nightly', { ...DAILY, ...as }));
    expect(await codesOf(sets)).toEqual(['set', 'PERMISSION_DENIED']);
    expect((await queue.schedules()).map(({ job }) => job.caller.userId)).toEqual(['ada']);
  });

  it('are replaced by their own user, and go on after one that was refused', async () => {
    const schedules = processOf(slowQueue());
    const sets = [ada, bo, ada].map((as) => schedules.set('nightly', { ...DAILY, ...as }));
    expect(await codesOf(sets)).toEqual(['set', 'PERMISSION_DENIED', 'set']);
  });
});
