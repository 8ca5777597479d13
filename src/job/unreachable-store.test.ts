/** Attempts that the store keeps from beginning: they wait for it, whatever the retries of their jobs. */
import { describe, expect, it, vi } from 'vitest';
import { sampleJob } from '../../test/conformance/queue-samples.ts';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import { type ToolError, ToolFailure } from '../contract/errors.ts';
import type { Job, JobEnd } from '../contract/queue.ts';
import { LateWrites } from '../pipeline/record/late-writes.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';
import { JobRunner, type JobRunnerDeps } from './job-runner.ts';
import { JobTypes } from './job-types.ts';

const job: Job = { ...sampleJob('one'), state: 'active', attempts: 1 };

const open = (deps: Partial<JobRunnerDeps> = {}) => {
  const runtime = fakeRuntime();
  const { replays, memory } = createMemoryStore();
  const types = new JobTypes();
  const handler = vi.fn();
  types.register(job.type, handler);
  const ids: string[] = [];
  const runner = new JobRunner({
    ...{ types, runtime, replays, memory, late: new LateWrites(runtime) },
    tools: { get: () => undefined },
    execute: () => Promise.reject(new Error('no call is made')),
    approval: async () => undefined,
    isOurs: async () => true,
    refusal: async () => undefined,
    redactError: (error: ToolError) => error,
    nextId: () => `x${ids.push('')}`,
    ...deps,
  });
  const run = (handsOutOnce: boolean): Promise<JobEnd> => {
    const { signal } = new AbortController();
    return runner.run(job, { signal, progress: async () => undefined }, handsOutOnce);
  };
  return { run, replays, handler };
};

const away = () => Promise.reject(new ToolFailure('STORE_UNAVAILABLE', 'The store is away.'));

describe('a job that a worker takes while the store cannot be reached', () => {
  it('waits and keeps its attempts when it cannot be claimed, and runs once the store is back', async () => {
    const { run, replays, handler } = open();
    vi.spyOn(replays, 'claim').mockImplementationOnce(away);
    const end = await run(false);
    expect(end).toEqual({ state: 'postponed', retryAfterMs: 2_000, reason: 'The store is away.' });
    expect(handler).not.toHaveBeenCalled();
    expect(await run(false)).toEqual({ state: 'completed' });
  });

  it('waits and keeps its attempts when the rights of its caller cannot be read', async () => {
    const { run, handler } = open({ refusal: away });
    expect(await run(true)).toMatchObject({ state: 'postponed' });
    expect(handler).not.toHaveBeenCalled();
  });

  it('uses an attempt when its handler has begun', async () => {
    const { run, handler } = open();
    handler.mockImplementationOnce(away);
    expect(await run(false)).toMatchObject({ state: 'failed', retryable: true });
  });

  it('uses an attempt when waiting would not help', async () => {
    const refusal = () =>
      Promise.reject(new ToolFailure('STORE_UNAVAILABLE', 'Closed.', { retryable: false }));
    expect(await open({ refusal }).run(true)).toMatchObject({ state: 'failed' });
  });
});
