/** Schedules in Redis, and one among them whose record cannot be read. */
import { afterEach, describe, expect, it } from 'vitest';
import { completed, until, work } from '../../../test/conformance/queue-samples.ts';
import { sampleSchedule } from '../../../test/conformance/queue-schedules.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import { type RealRedis, startRedis } from '../../../test/fixtures/real-redis.ts';
import type { Queue } from '../../contract/queue.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createBullmqQueue } from './create-bullmq-queue.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

describe.skipIf(isMissing('redis-server'))('schedules of a BullMQ queue', () => {
  const opened: { queue?: Queue; redis?: RealRedis } = {};
  afterEach(async () => {
    await opened.queue?.close();
    await opened.redis?.close();
  });

  const open = async () => {
    const redis = await startRedis();
    const runtime = createRuntime({ log: QUIET });
    const queue = await createBullmqQueue({ address: redis.url }, { runtime });
    Object.assign(opened, { queue, redis });
    const ran: string[] = [];
    work(queue, ({ id }) => {
      ran.push(id);
      return completed();
    });
    return { queue, ran, client: redis.connect() };
  };

  /** Finds the key of the schedules, whatever its prefix. */
  const schedulesKey = async (client: ReturnType<RealRedis['connect']>): Promise<string> => {
    const [key = ''] = await client.keys('*:schedules');
    return key;
  };

  it('make their jobs although the record of one that is due cannot be read', async () => {
    const { queue, ran, client } = await open();
    await queue.setSchedule(sampleSchedule('broken'));
    await client.hset(await schedulesKey(client), 'broken', '{');
    await queue.setSchedule(sampleSchedule('sound'));
    await until(() => ran.length >= 2);
    expect(ran.every((id) => id.startsWith('sound@'))).toBe(true);
    expect(new Set(ran).size).toBe(ran.length);
  });
});
