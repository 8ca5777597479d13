/** Workers: concurrency, rate, their end, their death, and what an old one may still do. */
import { describe, expect, it } from 'vitest';
import {
  completed,
  failed,
  gate,
  jobs,
  type Lacks,
  pause,
  sampleJob,
  testWith,
  type UseQueue,
  until,
  untilState,
  work,
} from './queue-samples.ts';

const RATE = { max: 5, perMs: 500 };

export const describeWorkers = (
  use: UseQueue,
  { isShared, lacks }: { readonly isShared: boolean; readonly lacks: Lacks },
): void => {
  const needing = testWith(lacks);
  const sharing = (title: string, test: () => Promise<void>): void => {
    const why = ' (not here: no other process can use the queues)';
    it.skipIf(!isShared)(isShared ? title : title + why, test);
  };
  describe('workers', () => {
    needing(['slots'], 'a worker runs as many jobs at once as it may, and never more', () =>
      use(async ({ queue }) => {
        await queue.add(jobs(40));
        let running = 0;
        let most = 0;
        let ended = 0;
        const run = async () => {
          running += 1;
          most = Math.max(most, running);
          await pause(5);
          running -= 1;
          ended += 1;
          return completed();
        };
        work(queue, run, { concurrency: 4 });
        await until(() => ended === 40);
        expect(most).toBe(4);
      }),
    );

    needing(['backlog'], 'a worker takes jobs of its own queue alone', () =>
      use(async ({ queue }) => {
        await queue.add([sampleJob('mine'), sampleJob('theirs', { queue: 'other' })]);
        const ran: string[] = [];
        work(queue, ({ id }) => {
          ran.push(id);
          return completed();
        });
        await untilState(queue, 'mine', 'completed');
        await pause(100);
        expect(ran).toEqual(['mine']);
        expect((await queue.get('theirs'))?.state).toBe('waiting');
      }),
    );

    needing(['slots'], 'two workers of a queue share its rate, and no job runs twice', () =>
      use(async ({ queue, another }) => {
        const second = (await another?.()) ?? queue;
        await queue.add(jobs(12));
        const begun: number[] = [];
        const run = () => {
          begun.push(Date.now());
          return completed();
        };
        // Not from the first job on: a busy machine may begin it long after it was admitted.
        const from = Date.now();
        for (const each of [queue, second]) work(each, run, { concurrency: 4, rate: RATE });
        await until(() => begun.length === 12);
        // Twelve jobs need three periods, so two must have passed in full.
        const took = (begun.at(-1) ?? 0) - from;
        expect(took).toBeGreaterThanOrEqual(2 * RATE.perMs - 60);
        await until(async () => (await queue.counts()).main?.completed === 12);
        if (second !== queue) await second.close();
      }),
    );

    needing(
      ['backlog'],
      'a worker that closes takes no more jobs and lets the running one end',
      () =>
        use(async ({ queue }) => {
          await queue.add(jobs(3));
          const go = gate();
          const ran: string[] = [];
          const worker = work(queue, async ({ id }) => {
            ran.push(id);
            await go.passed;
            return completed();
          });
          // An engine may hand a job out some time before the worker begins it.
          await expect.poll(() => ran).toEqual(['job-0']);
          const closed = worker.close(20_000);
          setTimeout(go.open, 50);
          await closed;
          expect((await queue.get('job-0'))?.state).toBe('completed');
          expect(ran).toEqual(['job-0']);
          expect((await queue.get('job-1'))?.state).toBe('waiting');
        }),
    );

    needing(
      ['backlog'],
      'a job that does not end within the grace gets the signal, and another worker the job',
      () =>
        use(async ({ queue }) => {
          await queue.add([sampleJob('slow', { retries: 0 })]);
          const worker = work(queue, async (_, { signal }) => {
            await new Promise<void>((done) => signal.addEventListener('abort', () => done()));
            return failed('interrupted');
          });
          await untilState(queue, 'slow', 'active');
          await worker.close(20);
          work(queue, () => completed('by the next one'));
          await untilState(queue, 'slow', 'completed');
          expect((await queue.get('slow'))?.result).toBe('by the next one');
        }),
    );

    it('what a handler throws by mistake fails the attempt and not the worker', () =>
      use(async ({ queue }) => {
        work(queue, ({ id }) => {
          if (id === 'thrower') throw new Error('a bug');
          return completed();
        });
        await queue.add([sampleJob('thrower', { retries: 0 }), sampleJob('next')]);
        await untilState(queue, 'next', 'completed');
        await untilState(queue, 'thrower', 'dead');
      }));

    sharing('what one process adds, another works on', () =>
      use(async ({ queue, another }) => {
        const second = await another?.();
        if (!second) throw new Error('The engine has no second process.');
        const ran: string[] = [];
        work(second, ({ id }) => {
          ran.push(id);
          return completed();
        });
        await pause(50);
        await queue.add([sampleJob('far')]);
        await untilState(queue, 'far', 'completed');
        expect(ran).toEqual(['far']);
        await second.close();
      }),
    );

    sharing('a job that runs in another process can be cancelled', () =>
      use(async ({ queue, another }) => {
        const second = await another?.();
        if (!second) throw new Error('The engine has no second process.');
        let isAborted = false;
        work(second, async (_, { signal }) => {
          await new Promise<void>((done) => signal.addEventListener('abort', () => done()));
          isAborted = true;
          return completed();
        });
        await queue.add([sampleJob('far')]);
        await untilState(queue, 'far', 'active');
        expect(await queue.cancel('far')).toBe(true);
        await until(() => isAborted);
        expect((await queue.get('far'))?.state).toBe('cancelled');
        await second.close();
      }),
    );

    sharing(
      'the job of a dead worker is handed out again in time, and the late end of the old one refused',
      () =>
        use(async ({ queue, another, abandon }) => {
          const second = await another?.();
          if (!second || !abandon) throw new Error('The engine has no second process.');
          await queue.add([sampleJob('shared', { retries: 0 })]);
          const late = gate();
          work(second, async () => {
            await late.passed;
            return completed('of the old worker');
          });
          await untilState(queue, 'shared', 'active');
          await abandon(second);
          const begun = Date.now();
          const go = gate();
          const taken = gate();
          work(queue, async () => {
            taken.open();
            await go.passed;
            return completed('of the new worker');
          });
          await taken.passed;
          // The promise is 5 seconds; the rest is for a busy machine.
          expect(Date.now() - begun).toBeLessThan(15_000);
          late.open();
          await pause(200);
          expect((await queue.get('shared'))?.state).toBe('active');
          go.open();
          await untilState(queue, 'shared', 'completed');
          expect((await queue.get('shared'))?.result).toBe('of the new worker');
          await second.close();
        }),
    );
  });
};
