import { describe, expect, it } from 'vitest';
import { sampleJob } from '../../test/conformance/queue-samples.ts';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import type { Job, JobEnd } from '../contract/queue.ts';
import type { ReplayClaim } from '../contract/store.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';
import { claimedAtEntry } from './entry-claims.ts';

const job = (id: string): Job => ({ ...sampleJob(id), state: 'active', attempts: 1 });

const open = () => {
  const { replays } = createMemoryStore();
  const ids: string[] = [];
  const nextId = (): string => `x${ids.push('')}`;
  const deps = { replays, runtime: fakeRuntime(), nextId };
  return {
    deps,
    enter: (id: string, run: () => Promise<JobEnd>) => claimedAtEntry(job(id), deps, run),
  };
};

const completed = async (): Promise<JobEnd> => ({ state: 'completed', result: { n: 1 } });

describe('the claim at the entry of a handler', () => {
  it('a job that is delivered again after it was completed does not run, and answers the same', async () => {
    const { enter } = open();
    let runs = 0;
    const run = () => {
      runs += 1;
      return completed();
    };
    expect(await enter('one', run)).toEqual({ state: 'completed', result: { n: 1 } });
    expect(await enter('one', run)).toEqual({ state: 'completed', result: { n: 1 } });
    expect(runs).toBe(1);
  });

  it('of two deliveries at once one runs, and the other comes again later', async () => {
    const { enter } = open();
    let go = (): void => undefined;
    const gate = new Promise<void>((done) => {
      go = done;
    });
    const first = enter('one', async () => {
      await gate;
      return { state: 'completed' };
    });
    expect(await enter('one', completed)).toMatchObject({ state: 'postponed' });
    go();
    expect(await first).toEqual({ state: 'completed' });
  });

  it('a job that failed or was postponed may be entered again', async () => {
    const { enter } = open();
    const postponed: JobEnd = { state: 'postponed', retryAfterMs: 1 };
    expect(await enter('one', async () => postponed)).toEqual(postponed);
    expect(await enter('one', completed)).toMatchObject({ state: 'completed' });
  });

  it('another job under the id of one that has run is refused for good', async () => {
    const { deps, enter } = open();
    await enter('one', completed);
    const other = { ...job('one'), payload: 'other' };
    expect(await claimedAtEntry(other, deps, completed)).toMatchObject({
      ...{ state: 'failed', retryable: false, error: { code: 'CONFLICT' } },
    });
  });

  it('a job whose process died in it runs again: its calls have keys of their own', async () => {
    const { deps } = open();
    let isFirst = true;
    const claim = async (
      request: Parameters<typeof deps.replays.claim>[0],
    ): Promise<ReplayClaim> => {
      if (!isFirst) return deps.replays.claim(request);
      isFirst = false;
      return { state: 'unknown', executionId: 'x0' };
    };
    const replays = Object.assign(Object.create(deps.replays) as typeof deps.replays, { claim });
    const end = await claimedAtEntry(job('one'), { ...deps, replays }, completed);
    expect(end).toMatchObject({ state: 'completed' });
  });
});
