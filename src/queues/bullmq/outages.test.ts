import { afterEach, describe, expect, it } from 'vitest';
import { sampleJob, until, untilState, work } from '../../../test/conformance/queue-samples.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import { type RealRedis, startRedis } from '../../../test/fixtures/real-redis.ts';
import type { Queue } from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createBullmqQueue } from './create-bullmq-queue.ts';

const SECRET = 'correct-horse';

/** A runtime whose log is kept. */
const loggedRuntime = (): { readonly runtime: Runtime; readonly lines: string[] } => {
  const lines: string[] = [];
  const log = (message: string, fields?: unknown): void => {
    lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
  };
  const runtime = createRuntime({ log: { debug: log, info: log, warn: log, error: log } });
  return { runtime, lines };
};

const failureOf = async (promise: Promise<unknown>): Promise<Record<string, unknown>> =>
  promise.then(
    () => ({}),
    (error: unknown) => error as Record<string, unknown>,
  );

describe.skipIf(isMissing('redis-server'))('BullMQ: outages of Redis', () => {
  const servers: RealRedis[] = [];
  const queues: Queue[] = [];
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => queue.close()));
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  const start = async (options: Parameters<typeof startRedis>[0] = {}): Promise<RealRedis> => {
    const redis = await startRedis(options);
    servers.push(redis);
    return redis;
  };
  const open = async (address: string, runtime = loggedRuntime().runtime): Promise<Queue> => {
    const queue = await createBullmqQueue({ address }, { runtime });
    queues.push(queue);
    return queue;
  };

  it('adding a job fails within seconds, and says what to do, when no Redis is there', async () => {
    const redis = await start();
    await redis.kill();
    const queue = await open(`redis://boss:${SECRET}@127.0.0.1:${redis.port}`);
    const error = await failureOf(queue.add([sampleJob('a')]));
    expect(error).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `The queue is unavailable: Redis at 127.0.0.1:${redis.port} cannot be reached.`,
      extras: { suggestions: [expect.stringContaining('Start Redis')] },
    });
  });

  it('a wrong password is named at once, and is in no message and no log', async () => {
    const redis = await start({ password: SECRET });
    const { runtime, lines } = loggedRuntime();
    const queue = await open(`redis://:wrong-${SECRET}@127.0.0.1:${redis.port}`, runtime);
    work(queue, () => ({ state: 'completed' }));
    const error = await failureOf(queue.add([sampleJob('a')]));
    expect(error).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('refuses the password'),
    });
    expect(JSON.stringify([error, lines])).not.toContain(SECRET);
    expect(lines.join('\n')).toContain('refuses the password');
    const right = await open(redis.url);
    expect(await right.add([sampleJob('a')])).toEqual([true]);
  });

  it('workers and callers go on after Redis was killed and came back with its data', async () => {
    const redis = await start({ appendfsync: 'always' });
    const { runtime, lines } = loggedRuntime();
    const queue = await open(redis.url, runtime);
    const ran: string[] = [];
    let finish = (): void => undefined;
    const going = new Promise<void>((done) => {
      finish = done;
    });
    work(queue, async ({ id }) => {
      ran.push(id);
      if (id === 'during') await going;
      return { state: 'completed', result: id };
    });
    await queue.add([sampleJob('before'), sampleJob('during')]);
    await untilState(queue, 'before', 'completed');
    await until(() => ran.includes('during'));
    await redis.kill();
    expect(await failureOf(queue.add([sampleJob('lost')]))).toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    finish();
    const { port, folder } = redis;
    await start({ appendfsync: 'always', port, folder });
    await until(async () => (await failureOf(queue.add([sampleJob('after')]))).code === undefined);
    await untilState(queue, 'during', 'completed');
    await untilState(queue, 'after', 'completed');
    expect((await queue.get('before'))?.result).toBe('before');
    expect(lines.filter((line) => line.includes(' closed the ')).length).toBeLessThan(10);
    expect(lines.some((line) => line.includes('is back'))).toBe(true);
  });

  it.each(['http://127.0.0.1', 'redis://', 'not an address', `redis://:${SECRET}@`])(
    'the address %s is refused without being repeated',
    async (address) => {
      const error = await failureOf(open(address));
      expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
      expect(JSON.stringify(error)).not.toContain(SECRET);
    },
  );
});
