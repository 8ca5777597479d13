import { expect, it } from 'vitest';
import type { Job, JobEnd, WorkOptions } from '../contract/queue.ts';
import { HOUR_MS } from '../kit/data/durations.ts';
import { JobService, type JobServiceDeps } from './job-service.ts';
import { JobTypes } from './job-types.ts';

const DAYS_KEPT = 30;

/** A worker on a queue that notes before which moment old jobs are forgotten. */
const workerAt = async (expire: (before: number) => Promise<number>) => {
  const clock = { hours: 0 };
  const warnings: string[] = [];
  let run: WorkOptions['run'] = async () => ({ state: 'completed' });
  const queue = {
    handsOutOnce: true,
    expire,
    work: (options: WorkOptions) => {
      run = options.run;
      return { close: async () => undefined };
    },
  };
  const deps = {
    types: new JobTypes(),
    settings: { retries: 3, queues: {} },
    runtime: {
      now: () => clock.hours * HOUR_MS,
      log: { warn: (message: string) => void warnings.push(message) },
    },
    queue: async () => queue,
  } as unknown as JobServiceDeps;
  await new JobService(deps).work({ queues: ['default'] });
  const attemptAt = (hours: number): Promise<JobEnd> => {
    clock.hours = hours;
    return run({ type: 'unknown' } as Job, {} as never);
  };
  return { attemptAt, warnings };
};

it('a worker forgets old jobs every hour, also after its clock was set back', async () => {
  const forgotten: number[] = [];
  const { attemptAt } = await workerAt(async (before) => forgotten.push(before / HOUR_MS));
  for (const hours of [1_000, 1_000.5, 900, 900.5]) await attemptAt(hours);
  const kept = DAYS_KEPT * 24;
  expect(forgotten).toEqual([1_000 - kept, 900 - kept]);
});

it('a worker runs its jobs also where old ones cannot be forgotten, and says so', async () => {
  const { attemptAt, warnings } = await workerAt(() => Promise.reject(new Error('down')));
  expect((await attemptAt(1_000)).state).toBe('failed');
  await expect.poll(() => warnings).toEqual(['Old jobs could not be forgotten.']);
});
