import { afterAll, beforeAll, describe } from 'vitest';
import { describeQueue } from '../../../test/conformance/queue.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import { type RealRedis, startRedis } from '../../../test/fixtures/real-redis.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createBullmqQueue } from './create-bullmq-queue.ts';

describe.skipIf(isMissing('redis-server'))('BullMQ on Redis', () => {
  let redis: RealRedis;
  let count = 0;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  describeQueue(
    'BullMQ',
    async () => {
      const prefix = `{suite-${count++}}`;
      const open = () =>
        createBullmqQueue({ address: redis.url, prefix }, { runtime: createRuntime() });
      const inspector = redis.connect();
      return {
        queue: await open(),
        another: open,
        abandon: async () => {
          const locks = await inspector.keys(`${prefix}:*:lock`);
          if (locks.length > 0) await inspector.del(...locks);
        },
        cleanup: async () => inspector.disconnect(),
      };
    },
    { isShared: true },
  );
});
