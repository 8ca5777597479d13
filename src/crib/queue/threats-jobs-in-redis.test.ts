/** Threat: whoever can write to Redis changes jobs that wait there, or puts old ones back. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import { type RealRedis, startRedis } from '../../../test/fixtures/real-redis.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { Job } from '../../contract/queue.ts';
import { createBullmqQueue } from '../../queues/bullmq/create-bullmq-queue.ts';
import { keyIdOf, queueKeys } from '../../queues/bullmq/queue-keys.ts';
import { createCribHost } from '../create-crib.ts';
import { createRuntime } from '../create-runtime.ts';

const PREFIX = '{threats}';

describe.skipIf(isMissing('redis-server'))('jobs that wait in Redis', () => {
  let redis: RealRedis;
  const cleanup: (() => unknown)[] = [];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());
  afterEach(async () => {
    for (const each of cleanup.splice(0).reverse()) await each();
    await redis.connect().flushall();
  });

  const open = async () => {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-forgery-'));
    cleanup.push(() => rmSync(root, { recursive: true, force: true }));
    const sent: string[] = [];
    const send = aTool({
      ...{ name: 'send', tier: 'write' },
      run: ({ text }: never) => {
        sent.push(text);
        return null;
      },
    });
    const crib = await createCribHost({
      ...{ root, home: join(root, 'home'), store: { sqlite: join(root, 'state.db') } },
      ...{ builtins: false, tools: [send] },
      config: { jobs: { url: redis.url, prefix: 'threats' } },
      policy: { version: 1, rules: [{ name: 'all', effect: 'allow', tools: ['send'] }] },
    });
    cleanup.push(() => crib.close());
    const payload = { tool: 'send', input: { text: 'pay bo' } };
    const jobId = await crib.jobs.enqueue('tool', payload, { userId: 'ada' });
    return { crib, sent, jobId };
  };

  it.each<[string, (job: Job) => object]>([
    ['another payload', (job) => ({ ...job, payload: { tool: 'send', input: { text: 'eve' } } })],
    ['another type', (job) => ({ ...job, type: 'flow', payload: { flow: 'any' } })],
    ['another caller', (job) => ({ ...job, caller: { ...job.caller, userId: 'eve' } })],
    ['another id', (job) => ({ ...job, id: 'again' })],
    ['more retries', (job) => ({ ...job, retries: 90 })],
    [
      'the moments of a schedule',
      (job) => ({ ...job, scheduleId: 's', cadence: { cron: '* * * * * *', since: 0 } }),
    ],
  ])('a worker does not run a job that was given %s', async (_, forge) => {
    const { crib, sent, jobId } = await open();
    const key = queueKeys(PREFIX).jobOf('default', keyIdOf(jobId));
    const client = redis.connect();
    const job = JSON.parse((await client.hget(key, 'data')) ?? '') as Job;
    await client.hset(key, 'data', JSON.stringify(forge(job)));
    await crib.jobs.work();
    await expect.poll(async () => (await crib.jobs.counts()).default?.dead).toBe(1);
    const [dead] = await crib.jobs.list({ state: 'dead' });
    expect(dead?.error?.code).toBe('SECURITY_VIOLATION');
    expect(sent).toEqual([]);
  });

  it('a job that ran, was removed and is put back has no second effect', async () => {
    const { crib, sent, jobId } = await open();
    const runtime = createRuntime();
    const queue = await createBullmqQueue({ address: redis.url, prefix: PREFIX }, { runtime });
    cleanup.push(() => queue.close());
    const key = queueKeys(PREFIX).jobOf('default', keyIdOf(jobId));
    const record = JSON.parse((await redis.connect().hget(key, 'data')) ?? '') as Job;
    const isOver = async () => (await crib.jobs.get(jobId))?.state;
    await crib.jobs.work();
    await expect.poll(isOver).toBe('completed');
    expect(await queue.remove(jobId)).toBe(true);
    expect(await queue.add([record])).toEqual([true]);
    await expect.poll(isOver).toBe('completed');
    expect(sent).toEqual(['pay bo']);
  });
});
