/** Attempts at a job: order, delay, retries, death, requeue, cancel, progress. */
import { describe, expect, it } from 'vitest';
import {
  completed,
  failed,
  gate,
  type Lacks,
  pause,
  sampleJob,
  testWith,
  type UseQueue,
  until,
  untilState,
  work,
} from './queue-samples.ts';

export const describeAttempts = (use: UseQueue, lacks: Lacks): void => {
  const needing = testWith(lacks);
  describe('attempts', () => {
    needing(
      ['order'],
      'jobs run by priority, equal ones in the order in which they were added',
      () =>
        use(async ({ queue }) => {
          const given = [5, 0, 9, 5, 0, 1].map((priority, n) =>
            sampleJob(`${priority}-${n}`, { priority }),
          );
          for (const job of given) await queue.add([job]);
          const order: string[] = [];
          work(queue, ({ id }) => {
            order.push(id);
            return completed();
          });
          await until(() => order.length === given.length);
          expect(order).toEqual(['0-1', '0-4', '1-5', '5-0', '5-3', '9-2']);
        }),
    );

    needing(['pauses'], 'a delayed job waits for its moment and holds up no other', () =>
      use(async ({ queue }) => {
        const runAt = Date.now() + 1_000;
        await queue.add([sampleJob('later', { runAt }), sampleJob('now')]);
        expect((await queue.get('later'))?.state).toBe('delayed');
        const begun = new Map<string, number>();
        work(queue, ({ id }) => {
          begun.set(id, Date.now());
          return completed();
        });
        await until(() => begun.size === 2);
        expect([...begun.keys()]).toEqual(['now', 'later']);
        // Timers of the system may be a millisecond early.
        expect(begun.get('later')).toBeGreaterThanOrEqual(runAt - 2);
      }),
    );

    it('a failed attempt is tried again after a growing pause, with what it failed of on record', () =>
      use(async ({ queue }) => {
        const backoff = { initialMs: 50, factor: 4, maxMs: 10_000 };
        const begun: number[] = [];
        const attempts: number[] = [];
        work(queue, (job) => {
          begun.push(Date.now());
          attempts.push(job.attempts);
          return begun.length < 3 ? failed(`try ${begun.length}`) : completed('at last');
        });
        await queue.add([sampleJob('flaky', { retries: 2, backoff })]);
        await untilState(queue, 'flaky', 'completed');
        expect(attempts).toEqual([1, 2, 3]);
        const job = await queue.get('flaky');
        expect(job).toMatchObject({ state: 'completed', attempts: 3 });
        expect(job?.finishedAt).toBeTypeOf('number');
        const [first = 0, second = 0, third = 0] = begun;
        if (lacks.pauses === undefined) {
          expect(second - first).toBeGreaterThanOrEqual(48);
          expect(third - second).toBeGreaterThanOrEqual(198);
        }
        if (lacks.record !== undefined) return;
        expect(job?.result).toBe('at last');
        expect(job?.startedAt).toBeTypeOf('number');
      }));

    needing(['pauses'], 'an attempt may name its own pause', () =>
      use(async ({ queue }) => {
        await queue.add([sampleJob('limited', { backoff: { initialMs: 1, factor: 1, maxMs: 1 } })]);
        const begun: number[] = [];
        work(queue, () => {
          begun.push(Date.now());
          return begun.length === 1 ? failed('wait', { retryAfterMs: 300 }) : completed();
        });
        await untilState(queue, 'limited', 'completed');
        expect((begun[1] ?? 0) - (begun[0] ?? 0)).toBeGreaterThanOrEqual(298);
      }),
    );

    needing(
      ['pauses'],
      'an attempt that is postponed comes again later and counts for nothing',
      () =>
        use(async ({ queue }) => {
          await queue.add([sampleJob('patient', { retries: 0 })]);
          const begun: number[] = [];
          const attempts: number[] = [];
          work(queue, (job) => {
            begun.push(Date.now());
            attempts.push(job.attempts);
            return begun.length < 4 ? { state: 'postponed', retryAfterMs: 100 } : completed();
          });
          await untilState(queue, 'patient', 'completed');
          expect((begun[1] ?? 0) - (begun[0] ?? 0)).toBeGreaterThanOrEqual(98);
          expect(attempts).toEqual([1, 1, 1, 1]);
          const job = await queue.get('patient');
          expect([job?.attempts, job?.error]).toEqual([1, undefined]);
        }),
    );

    it('a job is dead after its last retry, and stays with the reason', () =>
      use(async ({ queue }) => {
        let runs = 0;
        work(queue, () => {
          runs += 1;
          return failed(`failure ${runs}`);
        });
        await queue.add([sampleJob('bad', { retries: 1 })]);
        await untilState(queue, 'bad', 'dead');
        expect(await queue.get('bad')).toMatchObject({
          ...{ attempts: 2, error: { code: 'EXECUTION_FAILED' } },
        });
        if (lacks.record === undefined) {
          expect((await queue.get('bad'))?.error?.message).toBe('failure 2');
        }
        await pause(100);
        expect(runs).toBe(2);
      }));

    it('a failure that no retry can mend makes the job dead at once', () =>
      use(async ({ queue }) => {
        work(queue, () => failed('never', { retryable: false }));
        await queue.add([sampleJob('final', { retries: 9 })]);
        await untilState(queue, 'final', 'dead');
        expect((await queue.get('final'))?.attempts).toBe(1);
      }));

    it('a dead job that is requeued has all its attempts again; others cannot be requeued', () =>
      use(async ({ queue }) => {
        let runs = 0;
        let isMended = false;
        work(queue, ({ id }) => {
          if (id === 'fine') return completed();
          runs += 1;
          return isMended ? completed() : failed('still');
        });
        await queue.add([sampleJob('bad', { retries: 1 }), sampleJob('fine')]);
        await untilState(queue, 'bad', 'dead');
        await untilState(queue, 'fine', 'completed');
        expect(runs).toBe(2);
        expect(await queue.requeue('bad')).toBe(true);
        await until(() => runs === 4);
        await untilState(queue, 'bad', 'dead');
        isMended = true;
        expect(await queue.requeue('bad')).toBe(true);
        await untilState(queue, 'bad', 'completed');
        expect((await queue.get('bad'))?.error).toBeUndefined();
        expect(await queue.requeue('fine')).toBe(false);
        expect(await queue.requeue('none')).toBe(false);
      }));

    needing(
      ['backlog', 'forget'],
      'a waiting job that is cancelled never runs, and can be requeued',
      () =>
        use(async ({ queue }) => {
          await queue.add([sampleJob('one'), sampleJob('later', { runAt: Date.now() + 150 })]);
          expect(await queue.cancel('one')).toBe(true);
          expect(await queue.cancel('later')).toBe(true);
          expect(await queue.cancel('one')).toBe(false);
          expect(await queue.cancel('none')).toBe(false);
          expect((await queue.get('one'))?.state).toBe('cancelled');
          const ran: string[] = [];
          work(queue, ({ id }) => {
            ran.push(id);
            return completed();
          });
          await pause(300);
          expect(ran).toEqual([]);
          expect(await queue.requeue('one')).toBe(true);
          await untilState(queue, 'one', 'completed');
          expect(ran).toEqual(['one']);
          expect(await queue.cancel('one')).toBe(false);
        }),
    );

    needing(
      ['cancelRunning'],
      'a running job that is cancelled gets the signal, and its end changes nothing',
      () =>
        use(async ({ queue }) => {
          await queue.add([sampleJob('long')]);
          const begun = gate();
          const ended = gate();
          work(queue, async (_, { signal }) => {
            begun.open();
            await new Promise<void>((done) => signal.addEventListener('abort', () => done()));
            ended.open();
            return completed('too late');
          });
          await begun.passed;
          expect(await queue.cancel('long')).toBe(true);
          await ended.passed;
          await untilState(queue, 'long', 'cancelled');
          await pause(100);
          const job = await queue.get('long');
          expect(job?.state).toBe('cancelled');
          expect(job?.result).toBeUndefined();
          // The slot of the worker is free again.
          await queue.add([sampleJob('next')]);
          await until(async () => (await queue.get('next'))?.state === 'active');
          await queue.cancel('next');
        }),
    );

    needing(['forget'], 'an active job cannot be removed; any other can', () =>
      use(async ({ queue }) => {
        await queue.add([sampleJob('busy'), sampleJob('later', { runAt: Date.now() + 60_000 })]);
        const go = gate();
        work(queue, async () => {
          await go.passed;
          return completed();
        });
        await untilState(queue, 'busy', 'active');
        expect(await queue.remove('busy')).toBe(false);
        expect(await queue.remove('later')).toBe(true);
        expect(await queue.remove('none')).toBe(false);
        go.open();
        await untilState(queue, 'busy', 'completed');
        expect(await queue.remove('busy')).toBe(true);
        expect(await queue.list()).toEqual([]);
        expect(await queue.add([sampleJob('busy')])).toEqual([true]);
      }),
    );

    needing(['record'], 'what a handler reports is the progress of its job', () =>
      use(async ({ queue }) => {
        await queue.add([sampleJob('steps')]);
        const go = gate();
        work(queue, async (_, run) => {
          const { progress } = run;
          await progress({ done: 1, of: 2 });
          await go.passed;
          await progress(100);
          return completed();
        });
        await until(async () => (await queue.get('steps'))?.progress !== undefined);
        expect((await queue.get('steps'))?.progress).toEqual({ done: 1, of: 2 });
        go.open();
        await untilState(queue, 'steps', 'completed');
        expect((await queue.get('steps'))?.progress).toBe(100);
      }),
    );
  });
};
