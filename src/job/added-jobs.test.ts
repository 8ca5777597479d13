import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../contract/errors.ts';
import type { Job, NewJob } from '../contract/queue.ts';
import { JobService, type JobServiceDeps } from './job-service.ts';
import { JobTypes } from './job-types.ts';

const NOW = 1_000;

/** A service over a queue that takes every job and answers reads as told. */
const serviceOf = (get: (id: string) => Promise<Job | undefined>) => {
  const added: NewJob[] = [];
  const types = new JobTypes();
  types.register('report', () => 'done', { queue: 'mail' });
  const add = async (jobs: readonly NewJob[]) => jobs.map((job) => added.push(job) > 0);
  const deps = {
    types,
    settings: { retries: 3, queues: {} },
    runtime: { now: () => NOW },
    nextId: () => 'job-1',
    countStart: async () => undefined,
    seal: async () => undefined,
    queue: async () => ({ add, get }),
  } as unknown as JobServiceDeps;
  return { service: new JobService(deps), added };
};

describe('adding a job and reading it back', () => {
  it.each([
    ['does not show it yet', async () => undefined],
    ['cannot be read', () => Promise.reject(new ToolFailure('STORE_UNAVAILABLE'))],
  ])('the job is returned as it was added where the queue %s', async (_, get) => {
    const { service, added } = serviceOf(get);
    const job = await service.add('report', { n: 1 }, { delayMs: 50 });
    expect(added).toHaveLength(1);
    expect(job).toMatchObject({
      id: 'job-1',
      type: 'report',
      queue: 'mail',
      payload: { n: 1 },
      retries: 3,
      state: 'delayed',
      attempts: 0,
      createdAt: NOW,
      runAt: NOW + 50,
    });
    expect((await service.add('report', {})).state).toBe('waiting');
  });

  it('the job is returned as the queue shows it where it does', async () => {
    const shown = { id: 'job-1', state: 'active', attempts: 1 } as Job;
    expect(await serviceOf(async () => shown).service.add('report', {})).toBe(shown);
  });
});
