import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  completed,
  failed,
  gate,
  jobs,
  pause,
  sampleJob,
  until,
  untilState,
  work,
} from '../../../test/conformance/queue-samples.ts';
import { sampleSchedule } from '../../../test/conformance/queue-schedules.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import { type RealRedis, startRedis } from '../../../test/fixtures/real-redis.ts';
import type { Queue } from '../../contract/queue.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createBullmqQueue } from './create-bullmq-queue.ts';
import { keyIdOf, queueKeys } from './queue-keys.ts';

describe.skipIf(isMissing('redis-server'))('BullMQ: what lies in Redis', () => {
  let redis: RealRedis;
  let count = 0;
  const opened: Queue[] = [];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((queue) => queue.close()));
  });
  afterAll(() => redis.close());

  const start = async () => {
    const prefix = `{odd-${count++}}`;
    const open = async (): Promise<Queue> => {
      const queue = await createBullmqQueue(
        { address: redis.url, prefix },
        { runtime: createRuntime() },
      );
      opened.push(queue);
      return queue;
    };
    const client = redis.connect();
    const loseLocks = async (): Promise<void> => {
      const locks = await client.keys(`${prefix}:*:lock`);
      if (locks.length > 0) await client.del(...locks);
    };
    return { queue: await open(), open, client, prefix, loseLocks };
  };

  it('a page of a long list reads only the jobs that are on it', async () => {
    const { queue, client } = await start();
    for (let part = 0; part < 3; part++) await queue.add(jobs(1_000, `part-${part}`));
    await queue.add([sampleJob('rare', { type: 'rare', createdAt: 1_000 })]);
    await queue.cancel('part-0-500');
    await client.config('RESETSTAT');
    expect(await queue.list({ limit: 10 })).toHaveLength(10);
    expect((await queue.list({ type: 'rare' })).map(({ id }) => id)).toEqual(['rare']);
    expect((await queue.list({ state: 'cancelled' })).map(({ id }) => id)).toEqual(['part-0-500']);
    expect(await queue.list({ state: 'waiting', limit: 10, before: 2_000 })).toHaveLength(1);
    const [, reads] = /cmdstat_hgetall:calls=(\d+)/.exec(await client.info('commandstats')) ?? [];
    expect(Number(reads)).toBeLessThanOrEqual(25);
  });

  it('a job whose worker died three times is dead, and has all its chances when requeued', async () => {
    const { queue, loseLocks } = await start();
    await queue.add([sampleJob('deadly', { retries: 9 })]);
    let begun = 0;
    let isMended = false;
    work(queue, async (_, { signal }) => {
      begun += 1;
      if (isMended) return completed();
      await new Promise<void>((done) => signal.addEventListener('abort', () => done()));
      return failed('of no use');
    });
    for (let death = 1; death <= 3; death++) {
      await until(() => begun === death);
      await loseLocks();
    }
    await untilState(queue, 'deadly', 'dead');
    expect(begun).toBe(3);
    expect((await queue.get('deadly'))?.error?.message).toContain('died');
    isMended = true;
    expect(await queue.requeue('deadly')).toBe(true);
    await untilState(queue, 'deadly', 'completed');
  });

  it('runs jobs of two queues one after the other whose next death is their last', async () => {
    const { queue, client, prefix } = await start();
    const names = ['one', 'two'];
    await queue.add(names.map((name) => sampleJob(name, { queue: name })));
    const keys = queueKeys(prefix);
    for (const name of names) await client.hset(keys.jobOf(name, keyIdOf(name)), 'stc', 2);
    let running = 0;
    let most = 0;
    const run = async () => {
      running += 1;
      most = Math.max(most, running);
      // Longer than a job that may kill its worker waits before it begins.
      await pause(700);
      running -= 1;
      return completed();
    };
    for (const name of names) queue.work({ queue: name, concurrency: 1, run });
    for (const name of names) await untilState(queue, name, 'completed');
    expect(most).toBe(1);
  });

  it('does not write what a worker reports about a job that it has lost', async () => {
    const { queue, loseLocks } = await start();
    await queue.add([sampleJob('lost')]);
    const go = gate();
    const reported = gate();
    let begun = 0;
    work(
      queue,
      async (_, run) => {
        begun += 1;
        if (begun > 1) {
          await go.passed;
          return completed('second');
        }
        await until(() => begun === 2);
        await run.progress('late');
        reported.open();
        return completed('first');
      },
      { concurrency: 2 },
    );
    await until(() => begun === 1);
    await loseLocks();
    await reported.passed;
    expect((await queue.get('lost'))?.progress).toBeUndefined();
    go.open();
    await untilState(queue, 'lost', 'completed');
    expect((await queue.get('lost'))?.result).toBe('second');
  });

  it('the same id added to two queues at once is one job', async () => {
    const { queue, open } = await start();
    const other = await open();
    const ran: string[] = [];
    for (const name of ['a', 'b']) {
      work(
        queue,
        (job) => {
          ran.push(job.queue);
          return completed();
        },
        { queue: name },
      );
    }
    const twins = Array.from({ length: 40 }, (_, n) => `twin-${n}`);
    const added = await Promise.all(
      twins.flatMap((id) => [
        queue.add([sampleJob(id, { queue: 'a' })]),
        other.add([sampleJob(id, { queue: 'b' })]),
      ]),
    );
    expect(added.flat().filter(Boolean)).toHaveLength(40);
    await until(async () => (await queue.list({ state: 'completed' })).length === 40);
    await pause(100);
    expect(ran).toHaveLength(40);
  });

  it('jobs of two workers that are cancelled while their locks are lost end as cancelled, and no worker has them after', async () => {
    const { queue, open, loseLocks } = await start();
    const other = await open();
    const running = new Set<string>();
    let begun = 0;
    for (const [place, each] of [queue, other].entries()) {
      work(
        each,
        async ({ id }, { signal }) => {
          const name = `${id} at ${place}`;
          running.add(name);
          begun += 1;
          await new Promise((done) => signal.addEventListener('abort', done));
          running.delete(name);
          return completed('too late');
        },
        { concurrency: 10 },
      );
    }
    await queue.add(jobs(20));
    await until(() => running.size === 20);
    // Without their locks the engine may hand them to the other worker at the same moment.
    const ids = jobs(20).map(({ id }) => id);
    const [, ...cancelled] = await Promise.all([loseLocks(), ...ids.map((id) => queue.cancel(id))]);
    expect(cancelled).toEqual(ids.map(() => true));
    await until(() => running.size === 0);
    const begunThen = begun;
    await pause(4_000);
    expect(begun).toBe(begunThen);
    expect(await queue.counts()).toEqual({
      main: { waiting: 0, delayed: 0, active: 0, completed: 0, dead: 0, cancelled: 20 },
    });
  }, 60_000);

  it('a job that was marked as cancelled by a process that died then is dropped by the worker', async () => {
    const { queue, client, prefix } = await start();
    await queue.add([sampleJob('half')]);
    const job = await queue.get('half');
    const record = JSON.stringify({ ...job, state: 'cancelled', finishedAt: Date.now() });
    await client.hset(`${prefix}:cancelled`, 'j.half', record);
    await client.zadd(`${prefix}:cancelled:q.main`, Date.now(), 'j.half');
    const ran: string[] = [];
    work(queue, ({ id }) => {
      ran.push(id);
      return completed();
    });
    await queue.add([sampleJob('next')]);
    await untilState(queue, 'next', 'completed');
    expect(ran).toEqual(['next']);
    expect((await queue.get('half'))?.state).toBe('cancelled');
    expect(await queue.add([sampleJob('half')])).toEqual([false]);
    expect(await queue.requeue('half')).toBe(true);
    await untilState(queue, 'half', 'completed');
    expect(ran).toEqual(['next', 'half']);
  });

  it('a job whose removal was interrupted can be added again', async () => {
    const { queue, client, prefix } = await start();
    const keys = queueKeys(prefix);
    await queue.add([sampleJob('half')]);
    const entry = (await client.hget(keys.jobs, keyIdOf('half'))) ?? '';
    const added = (await client.zscore(keys.added(), keyIdOf('half'))) ?? '';
    await queue.remove('half');
    // As a process leaves it that dies after the job is deleted, and before its entries are.
    await client.hset(keys.jobs, keyIdOf('half'), entry);
    await client.zadd(keys.added(), added, keyIdOf('half'));
    expect(await queue.get('half')).toBeUndefined();
    expect(await queue.add([sampleJob('half', { queue: 'other' })])).toEqual([true]);
    expect(await queue.add([sampleJob('half')])).toEqual([false]);
    work(queue, () => completed(), { queue: 'other' });
    await untilState(queue, 'half', 'completed');
    expect(await queue.list()).toHaveLength(1);
  });

  it('a job that is removed and added again by many at once is there and runs', async () => {
    const { queue, open } = await start();
    const other = await open();
    for (let round = 0; round < 20; round++) {
      await queue.add([sampleJob('twin')]);
      const adds = Array.from({ length: 5 }, () => other.add([sampleJob('twin')]));
      await Promise.all([queue.remove('twin'), ...adds]);
      await queue.add([sampleJob('twin')]);
      expect((await queue.get('twin'))?.state).toBe('waiting');
    }
    work(queue, () => completed());
    await untilState(queue, 'twin', 'completed');
  });

  it('a removed or forgotten job leaves nothing behind', async () => {
    const { queue, client, prefix } = await start();
    await queue.add([sampleJob('gone'), sampleJob('done'), sampleJob('waits')]);
    await queue.cancel('gone');
    expect(await queue.remove('waits')).toBe(true);
    const worker = work(queue, () => completed());
    await untilState(queue, 'done', 'completed');
    await worker.close();
    expect(await queue.expire(Date.now() + 1_000)).toBe(2);
    const left = await client.keys(`${prefix}:*`);
    const own = left.filter(
      (key) => !/:q\.main:(?:id|meta|events|stalled-check|pc|marker)$/.test(key),
    );
    expect(own.sort()).toEqual([`${prefix}:queues`, `${prefix}:sequence`]);
  });

  it('a schedule in a zone that this machine does not know stays, and stops no other', async () => {
    const { queue, client, prefix } = await start();
    const keys = queueKeys(prefix);
    const foreign = { ...sampleSchedule('foreign'), timeZone: 'Mars/Base' };
    await client.hset(keys.schedules, 'foreign', JSON.stringify(foreign));
    await client.zadd(keys.due, 1, 'foreign');
    await queue.setSchedule(sampleSchedule('tick'));
    const ran: unknown[] = [];
    work(queue, ({ scheduleId }) => {
      ran.push(scheduleId);
      return completed();
    });
    await until(() => ran.length >= 2);
    expect(new Set(ran)).toEqual(new Set(['tick']));
    expect((await queue.schedules()).map(({ id }) => id)).toEqual(['foreign', 'tick']);
  });
});
