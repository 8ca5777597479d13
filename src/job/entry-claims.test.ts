import { describe, expect, it, vi } from 'vitest';
import { sampleJob } from '../../test/conformance/queue-samples.ts';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import type { Job, JobEnd } from '../contract/queue.ts';
import type { ReplayClaim } from '../contract/store.ts';
import { LateWrites } from '../pipeline/record/late-writes.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';
import { claimedAtEntry } from './entry-claims.ts';

const job = (id: string): Job => ({ ...sampleJob(id), state: 'active', attempts: 1 });

const open = () => {
  const { replays } = createMemoryStore();
  const ids: string[] = [];
  const nextId = (): string => `x${ids.push('')}`;
  const runtime = fakeRuntime();
  const deps = { replays, runtime, nextId, late: new LateWrites(runtime) };
  return {
    deps,
    runtime,
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

  it('a job whose attempt broke may be entered again', async () => {
    const { enter } = open();
    await expect(enter('one', async () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
    expect(await enter('one', completed)).toMatchObject({ state: 'completed' });
  });

  it('another job under the id of one that has run is refused for good', async () => {
    const { deps, enter } = open();
    await enter('one', completed);
    const other = { ...job('one'), payload: 'other' };
    expect(await claimedAtEntry(other, deps, completed)).toMatchObject({
      state: 'failed',
      retryable: false,
      error: { code: 'CONFLICT' },
    });
  });

  it('a job that another request has added anew, under the same key, is the job that has run', async () => {
    const { deps } = open();
    const added = (traceId: string) => ({ ...job('one'), traceId });
    await claimedAtEntry(added('request-1'), deps, completed);
    const again = await claimedAtEntry(added('request-2'), deps, async () => ({
      state: 'completed',
    }));
    expect(again).toEqual({ state: 'completed', result: { n: 1 } });
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

  it.each<['finish' | 'abandon', JobEnd]>([
    ['finish', { state: 'completed', result: { n: 1 } }],
    ['abandon', { state: 'postponed', retryAfterMs: 1 }],
  ])(
    'an attempt ends as it has when the store does not take its %s, which is written later',
    async (method, end) => {
      const { deps, runtime } = open();
      const write = vi.spyOn(deps.replays, method).mockRejectedValueOnce(new Error('away'));
      expect(await claimedAtEntry(job('one'), deps, async () => end)).toEqual(end);
      expect(await claimedAtEntry(job('one'), deps, completed)).toMatchObject({
        state: 'postponed',
      });
      await runtime.advance(1_000);
      expect(write).toHaveBeenCalledTimes(2);
      expect(await claimedAtEntry(job('one'), deps, completed)).toMatchObject({
        state: 'completed',
      });
    },
  );

  it('a claim that the store took without an answer is given back later, and the job is not held up', async () => {
    const { deps, runtime, enter } = open();
    const { claim } = deps.replays;
    vi.spyOn(deps.replays, 'claim').mockImplementationOnce(async (request) => {
      await claim(request);
      throw new Error('away');
    });
    await expect(enter('one', completed)).rejects.toThrow('away');
    expect(await enter('one', completed)).toMatchObject({ state: 'postponed' });
    await runtime.advance(1_000);
    expect(await enter('one', completed)).toMatchObject({ state: 'completed' });
  });
});
