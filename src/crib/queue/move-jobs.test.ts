/** Jobs move from the database of a store to Redis: all of them, once, also when a run is cut off. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  completed,
  failed,
  sampleJob,
  jobs as sampleJobs,
  until,
  untilState,
  work,
} from '../../../test/conformance/queue-samples.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import { type RealRedis, startRedis } from '../../../test/fixtures/real-redis.ts';
import type { Job, JobEnd, Queue } from '../../contract/queue.ts';
import { createBullmqQueue } from '../../queues/bullmq/create-bullmq-queue.ts';
import { createSqliteQueue } from '../../queues/sqlite/create-sqlite-queue.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { sqliteDepsOf } from '../../stores/sqlite/sqlite-store.ts';
import { createRuntime } from '../create-runtime.ts';
import { countJobs, moveJobs } from './move-jobs.ts';

/** A handler that runs until it is told to stop. */
const aborted = (signal: AbortSignal): Promise<JobEnd> =>
  new Promise((done) => {
    signal.addEventListener('abort', () => done(failed('stopped')));
  });

describe.skipIf(isMissing('redis-server'))('moving jobs to Redis', () => {
  const runtime = createRuntime();
  let redis: RealRedis;
  let folder = '';
  let from = '';
  let count = 0;
  let redisQueue: Queue;
  beforeAll(async () => {
    redis = await startRedis();
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'toolcrib-move-'));
    from = join(folder, 'state.db');
    redisQueue = await createBullmqQueue(
      { address: redis.url, prefix: `{move-${count++}}` },
      { runtime },
    );
  });
  afterEach(async () => {
    await redisQueue.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterAll(() => redis.close());

  /** Uses the queue in the file, as the process before the move. */
  const inFile = async <T>(use: (queue: Queue) => Promise<T>): Promise<T> => {
    const store = await createSqliteStore({ path: from, runtime });
    const deps = sqliteDepsOf(store);
    if (!deps) throw new Error('The store is not in SQLite.');
    const queue = createSqliteQueue({ ...deps, runtime });
    try {
      return await use(queue);
    } finally {
      await queue.close();
      await store.close();
    }
  };

  /** Leaves a job of each state, and a schedule that is due, in the file. */
  const fillFile = (): Promise<readonly Job[]> =>
    inFile(async (queue) => {
      const { id: _id, runAt: _runAt, createdAt: _createdAt, ...job } = sampleJob('x');
      const worker = work(queue, async (each, run) => {
        await run.progress({ at: each.id });
        if (each.id === 'done') return completed({ sum: 42 });
        if (each.id === 'silent') return completed();
        if (each.id === 'between') return failed('later', { retryAfterMs: 3_600_000 });
        return failed('never', { retryable: false });
      });
      await queue.add(['done', 'silent', 'between', 'dead'].map((id) => sampleJob(id)));
      for (const id of ['done', 'silent']) await untilState(queue, id, 'completed');
      await untilState(queue, 'dead', 'dead');
      await untilState(queue, 'between', 'delayed');
      await worker.close();
      await queue.add([
        sampleJob('second', { priority: 5, seal: 'seal', dailyUsd: 2 }),
        sampleJob('first', { priority: 1, payload: { deep: ['ü', null] } }),
        sampleJob('later', { runAt: Date.now() + 3_600_000 }),
        sampleJob('cancelled'),
        sampleJob('other', { queue: 'other', caller: { ...job.caller, userId: 'ada' } }),
      ]);
      await queue.cancel('cancelled');
      await queue.setSchedule({ id: 'nightly', cron: '@daily', job });
      return queue.list();
    });

  it('moves every job unchanged, in any state, and the times of schedules', async () => {
    const before = await fillFile();
    const schedules = await inFile((queue) => queue.schedules());
    expect(await countJobs({ path: from }, runtime)).toEqual({ jobs: 9, schedules: 1 });
    const moved = await moveJobs({ from: { path: from }, to: redisQueue, runtime });
    expect(moved).toEqual({ jobs: 9, schedules: 1, present: 0 });
    for (const job of before) expect(await redisQueue.get(job.id)).toEqual(job);
    expect((await redisQueue.list()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(await redisQueue.schedules()).toEqual(schedules);
    expect(await redisQueue.counts()).toEqual({
      main: { waiting: 2, delayed: 2, active: 0, completed: 2, dead: 1, cancelled: 1 },
      other: { waiting: 1, delayed: 0, active: 0, completed: 0, dead: 0, cancelled: 0 },
    });
    expect(await countJobs({ path: from }, runtime)).toEqual({ jobs: 0, schedules: 0 });
    expect((await redisQueue.list({ userId: 'ada' })).map(({ id }) => id)).toEqual(['other']);
  });

  it('workers continue where the old ones stopped, and repeat no finished job', async () => {
    await fillFile();
    await moveJobs({ from: { path: from }, to: redisQueue, runtime });
    const begun: string[] = [];
    work(redisQueue, ({ id }) => {
      begun.push(id);
      return completed();
    });
    await untilState(redisQueue, 'second', 'completed');
    expect(begun).toEqual(['first', 'second']);
    expect(await redisQueue.requeue('dead')).toBe(true);
    await untilState(redisQueue, 'dead', 'completed');
    expect(await redisQueue.requeue('cancelled')).toBe(true);
    await untilState(redisQueue, 'cancelled', 'completed');
    expect(begun.toSorted()).toEqual(['cancelled', 'dead', 'first', 'second']);
    expect(await redisQueue.remove('done')).toBe(true);
  });

  it('a run that is cut off after Redis took a page loses and doubles none when it is run again', async () => {
    await inFile((queue) => queue.add(sampleJobs(120)));
    let pages = 0;
    const cutOff: Queue = Object.assign(Object.create(redisQueue) as Queue, {
      adopt: async (...[jobs, schedules]: Parameters<NonNullable<Queue['adopt']>>) => {
        const taken = await redisQueue.adopt?.(jobs, schedules);
        pages += 1;
        if (pages === 3) throw new Error('cut off');
        return taken;
      },
    });
    await expect(moveJobs({ from: { path: from }, to: cutOff, runtime })).rejects.toThrow();
    expect(await countJobs({ path: from }, runtime)).toMatchObject({ jobs: 70 });
    const runs = new Map<string, number>();
    work(
      redisQueue,
      ({ id }) => {
        runs.set(id, (runs.get(id) ?? 0) + 1);
        return completed();
      },
      { concurrency: 8 },
    );
    await until(() => runs.size === 100);
    expect(await moveJobs({ from: { path: from }, to: redisQueue, runtime })).toEqual({
      ...{ jobs: 20, schedules: 0, present: 50 },
    });
    await until(() => runs.size === 120);
    await until(async () => (await redisQueue.counts()).main?.completed === 120);
    expect([...runs.values()].every((each) => each === 1)).toBe(true);
  });

  it('a job whose worker died waits again, and one whose third worker died is dead', async () => {
    await inFile((queue) => queue.add([sampleJob('once'), sampleJob('thrice')]));
    const store = await createSqliteStore({ path: from, runtime });
    const deps = sqliteDepsOf(store);
    await deps?.writer.write(() => {
      deps.database.exec("UPDATE jobs SET state = 'active', owner = 'gone', attempts = 1");
      deps.database.exec("UPDATE jobs SET deaths = 2 WHERE id = 'thrice'");
    });
    await store.close();
    await moveJobs({ from: { path: from }, to: redisQueue, runtime });
    expect(await redisQueue.get('once')).toMatchObject({ state: 'waiting', attempts: 1 });
    const dead = await redisQueue.get('thrice');
    expect(dead).toMatchObject({ state: 'dead', error: { code: 'EXECUTION_FAILED' } });
  });

  it('a file that a living process uses is refused, and nothing moves', async () => {
    await inFile(async (queue) => {
      await queue.add(sampleJobs(2));
      const worker = work(queue, (_, { signal }) => aborted(signal));
      await untilState(queue, 'job-0', 'active');
      const moving = moveJobs({ from: { path: from }, to: redisQueue, runtime });
      await expect(moving).rejects.toMatchObject({ code: 'CONFLICT' });
      await worker.close(1);
    });
    expect(await redisQueue.list()).toEqual([]);
    expect(await countJobs({ path: from }, runtime)).toMatchObject({ jobs: 2 });
  });
});
