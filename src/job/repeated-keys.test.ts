/** Jobs that are done anew under an id that has run, on an engine where the entry of a handler is claimed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gate } from '../../test/conformance/queue-samples.ts';
import { isMissing } from '../../test/fixtures/needed-programs.ts';
import { type RealRedis, startRedis } from '../../test/fixtures/real-redis.ts';
import type { CribHost } from '../contract/crib-host.ts';
import type { JobState } from '../contract/queue.ts';
import { createCribHost } from '../crib/create-crib.ts';

describe.skipIf(isMissing('redis-server'))(
  'on BullMQ: a job that is done anew',
  { timeout: 60_000 },
  () => {
    let redis: RealRedis;
    let count = 0;
    const cleanup: (() => unknown)[] = [];
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterEach(async () => {
      for (const each of cleanup.splice(0).reverse()) await each();
    });
    afterAll(() => redis.close());

    const open = async (): Promise<CribHost> => {
      const root = mkdtempSync(join(tmpdir(), 'toolcrib-anew-'));
      cleanup.push(() => rmSync(root, { recursive: true, force: true }));
      const crib = await createCribHost({
        root,
        home: join(root, 'home'),
        store: { sqlite: join(root, 'state.db') },
        builtins: false,
        config: { jobs: { url: redis.url, prefix: `anew-${count++}` } },
      });
      cleanup.push(() => crib.close());
      return crib;
    };

    const untilState = (crib: CribHost, jobId: string, state: JobState): Promise<void> =>
      expect.poll(async () => (await crib.jobs.get(jobId))?.state, { timeout: 20_000 }).toBe(state);

    it.each(['same', 'other'])(
      'runs when it was removed and is added again by its key with the %s payload',
      async (again) => {
        const crib = await open();
        const payloads: unknown[] = [];
        crib.jobs.register('note', ({ payload }) => payloads.push(payload));
        const add = (payload: string) =>
          crib.jobs.enqueue('note', payload, { idempotencyKey: 'k' });
        await crib.jobs.work();
        const jobId = await add('same');
        await untilState(crib, jobId, 'completed');
        expect(await crib.jobs.remove(jobId)).toBe(true);
        expect(await add(again)).toBe(jobId);
        await untilState(crib, jobId, 'completed');
        expect(payloads).toEqual(['same', again]);
        expect((await crib.jobs.get(jobId))?.result).toBe(2);
      },
    );

    it('runs when it is requeued after a handler that took no notice of its cancellation', async () => {
      const crib = await open();
      const go = gate();
      let runs = 0;
      crib.jobs.register('deaf', async () => {
        runs += 1;
        const run = runs;
        await go.passed;
        return run;
      });
      const jobId = await crib.jobs.enqueue('deaf', null);
      const ended = gate();
      await crib.jobs.work({ onEnd: ended.open });
      await expect.poll(() => runs, { timeout: 20_000 }).toBe(1);
      expect(await crib.jobs.cancel(jobId)).toBe(true);
      go.open();
      await ended.passed;
      expect(await crib.jobs.requeue(jobId)).toBe(true);
      await untilState(crib, jobId, 'completed');
      expect((await crib.jobs.get(jobId))?.result).toBe(2);
    });
  },
);
