/** Jobs in a queue: added once, read back as they were, listed, counted, removed. */
import { describe, expect, it } from 'vitest';
import type { NewJob } from '../../src/contract/queue.ts';
import {
  completed,
  failed,
  jobs,
  type Lacks,
  sampleJob,
  testWith,
  type UseQueue,
  until,
  untilState,
  work,
} from './queue-samples.ts';

const ODD_PAYLOADS: readonly unknown[] = [
  null,
  0,
  '',
  [],
  { text: 'ä 😀 \u2028 \n "quoted" \\', lone: 'a\0b' },
  JSON.parse('{"__proto__":{"admin":true},"constructor":1,"toString":null}'),
  { deep: { er: [[[{ x: 1 }]]] }, big: 2 ** 53 - 1, small: 1e-300 },
  'x'.repeat(100_000),
];

export const describeJobs = (use: UseQueue, lacks: Lacks): void => {
  const needing = testWith(lacks);
  describe('jobs', () => {
    it('a job is added once, whoever adds its id how often', () =>
      use(async ({ queue }) => {
        const added = await Promise.all(
          Array.from({ length: 5 }, () => queue.add([sampleJob('same')])),
        );
        expect(added.flat().filter(Boolean)).toHaveLength(1);
        expect(await queue.add([sampleJob('same', { payload: 'other' }), sampleJob('b')])).toEqual([
          false,
          true,
        ]);
        expect((await queue.get('same'))?.payload).toEqual({ id: 'same' });
      }));

    it('the same id twice in one call is one job', () =>
      use(async ({ queue }) => {
        expect(await queue.add([sampleJob('a'), sampleJob('a')])).toEqual([true, false]);
        expect(await queue.list()).toHaveLength(1);
      }));

    it('a job is read back as it was added', () =>
      use(async ({ queue }) => {
        const job: NewJob = {
          ...sampleJob('whole', { priority: 7, retries: 5, runAt: Date.now() + 60_000 }),
          ...{ dailyUsd: 1.5, idempotencyKey: 'key', seal: 'seal' },
          caller: { ...sampleJob('x').caller, userId: 'ada', tools: ['a'] },
        };
        await queue.add([job]);
        const stored = await queue.get('whole');
        const runAt = stored?.runAt ?? 0;
        expect(stored).toEqual({ ...job, runAt, state: 'delayed', attempts: 0 });
        expect(Math.abs(runAt - job.runAt)).toBeLessThan(lacks.pauses === undefined ? 1 : 2_000);
        expect(await queue.get('none')).toBeUndefined();
      }));

    it.each(ODD_PAYLOADS.map((payload, index) => [index, payload] as const))(
      'odd payload %i reaches the handler, and comes back as a result, unchanged',
      (_, payload) =>
        use(async ({ queue }) => {
          let text: string | undefined;
          work(queue, (job) => {
            text = JSON.stringify(job.payload);
            return completed({ payload: job.payload });
          });
          await queue.add([sampleJob('odd', { payload })]);
          await untilState(queue, 'odd', 'completed');
          expect(text).toBe(JSON.stringify(payload));
          if (lacks.record !== undefined) return;
          const { result } = (await queue.get('odd')) ?? {};
          expect(JSON.stringify(result)).toBe(JSON.stringify({ payload }));
          expect(({} as { admin?: unknown }).admin).toBeUndefined();
        }),
    );

    it.each(['a/b:c d', '__proto__', 'ünï😀', '1', 'x'.repeat(200)])(
      'the id %s is an id like any other',
      (id) =>
        use(async ({ queue }) => {
          expect(await queue.add([sampleJob(id)])).toEqual([true]);
          expect((await queue.get(id))?.id).toBe(id);
          expect((await queue.list()).map((job) => job.id)).toEqual([id]);
          if (lacks.forget !== undefined) return;
          expect(await queue.remove(id)).toBe(true);
          expect(await queue.get(id)).toBeUndefined();
        }),
    );

    it('jobs are listed newest first, by filter and page by page', () =>
      use(async ({ queue }) => {
        const users = ['ada', 'bo'];
        // Where nothing waits for a worker, only a job for later stays as it is.
        const isHeld = lacks.backlog === undefined;
        const runAt = isHeld ? 0 : Date.now() + 3_600_000;
        for (let n = 0; n < 6; n++) {
          const caller = { ...sampleJob('x').caller, userId: users[n % 2] ?? '' };
          const parts = { runAt, createdAt: 1_000_000 + n, type: n < 3 ? 'early' : 'late', caller };
          await queue.add([sampleJob(`job-${n}`, parts)]);
        }
        await queue.add([sampleJob('other', { runAt, queue: 'other', createdAt: 2_000_000 })]);
        const ids = async (filter: Parameters<typeof queue.list>[0]) =>
          (await queue.list(filter)).map(({ id }) => id);
        expect(await ids({ limit: 3 })).toEqual(['other', 'job-5', 'job-4']);
        expect(await ids({ limit: 2, before: 1_000_004 })).toEqual(['job-3', 'job-2']);
        expect(await ids({ userId: 'ada' })).toEqual(['other', 'job-4', 'job-2', 'job-0'].slice(1));
        expect(await ids({ type: 'early', userId: 'bo' })).toEqual(['job-1']);
        expect(await ids({ queue: 'other' })).toEqual(['other']);
        const state = isHeld ? 'waiting' : 'delayed';
        expect(await ids({ state, limit: 1 })).toEqual(['other']);
        expect(await ids({ state: 'dead' })).toEqual([]);
      }));

    needing(['counts'], 'jobs are counted by queue and state', () =>
      use(async ({ queue }) => {
        await queue.add([
          ...['done', 'bad', 'gone', 'wait'].map((id) => sampleJob(id)),
          sampleJob('later', { runAt: Date.now() + 60_000 }),
          sampleJob('elsewhere', { queue: 'other' }),
        ]);
        await queue.cancel('gone');
        const worker = work(queue, ({ id }) =>
          id === 'bad' ? failed('no', { retryable: false }) : completed(),
        );
        await untilState(queue, 'done', 'completed');
        await untilState(queue, 'bad', 'dead');
        await untilState(queue, 'wait', 'completed');
        await worker.close();
        const { main, other } = await queue.counts();
        const none = { waiting: 0, delayed: 0, active: 0, completed: 0, dead: 0, cancelled: 0 };
        expect(main).toEqual({ ...none, delayed: 1, completed: 2, dead: 1, cancelled: 1 });
        expect(other).toEqual({ ...none, waiting: 1 });
      }),
    );

    needing(['forget'], 'finished jobs are forgotten by age, dead ones and open ones never', () =>
      use(async ({ queue }) => {
        await queue.add(['done', 'bad', 'gone'].map((id) => sampleJob(id)));
        await queue.cancel('gone');
        work(queue, ({ id }) => (id === 'bad' ? failed('no', { retryable: false }) : completed()));
        await untilState(queue, 'done', 'completed');
        await untilState(queue, 'bad', 'dead');
        await queue.add([sampleJob('later', { runAt: Date.now() + 60_000 })]);
        expect(await queue.expire(Date.now() - 60_000)).toBe(0);
        expect(await queue.expire(Date.now() + 60_000)).toBe(2);
        expect((await queue.list()).map(({ id }) => id).sort()).toEqual(['bad', 'later']);
      }),
    );

    needing(['counts', 'slots'], 'thousands of jobs all run, each once', () =>
      use(async ({ queue }) => {
        const count = 3_000;
        for (let n = 0; n < 3; n++) await queue.add(jobs(count / 3, `part-${n}`));
        const runs = new Map<string, number>();
        work(
          queue,
          ({ id }) => {
            runs.set(id, (runs.get(id) ?? 0) + 1);
            return completed();
          },
          { concurrency: 50 },
        );
        await until(async () => (await queue.counts()).main?.completed === count);
        expect(runs.size).toBe(count);
        expect([...runs.values()].every((times) => times === 1)).toBe(true);
      }),
    );
  });
};
