/** Schedules: a job for each moment, one for moments that were missed. */
import { describe, expect, it } from 'vitest';
import type { JobSchedule } from '../../src/contract/queue.ts';
import {
  completed,
  type Lacks,
  pause,
  sampleJob,
  testWith,
  type UseQueue,
  until,
  work,
} from './queue-samples.ts';

const SECOND = '* * * * * *';

export const sampleSchedule = (id: string, parts: Partial<JobSchedule> = {}): JobSchedule => {
  const { id: _id, runAt: _runAt, createdAt: _createdAt, ...job } = sampleJob('x');
  const { cron = SECOND, timeZone } = parts;
  const spec = { cron, ...(timeZone !== undefined && { timeZone }) };
  return { id, ...spec, job: { ...job, payload: { by: id }, cadence: { ...spec, since: 0 } } };
};

export const describeSchedules = (use: UseQueue, lacks: Lacks): void => {
  const needing = testWith(lacks);
  describe('schedules', () => {
    needing(['seconds'], 'a schedule makes one job for each moment, whoever works', () =>
      use(async ({ queue, another }) => {
        const second = (await another?.()) ?? queue;
        const ran: {
          readonly id: string;
          readonly scheduleId: unknown;
          readonly payload: unknown;
        }[] = [];
        for (const each of [queue, second]) {
          work(each, ({ id, scheduleId, payload }) => {
            ran.push({ id, scheduleId, payload });
            return completed();
          });
        }
        const from = Date.now();
        const { nextAt } = await queue.setSchedule(sampleSchedule('tick'));
        expect(nextAt).toBeGreaterThanOrEqual(from);
        await until(() => ran.length >= 2);
        await queue.removeSchedule('tick');
        expect(ran[0]).toMatchObject({ scheduleId: 'tick', payload: { by: 'tick' } });
        const moments = ran.map(({ id }) => Number(id.slice('tick@'.length)));
        expect(moments[0]).toBe(nextAt);
        expect(moments.every((moment) => moment % 1_000 === 0)).toBe(true);
        expect(new Set(moments).size).toBe(moments.length);
        if (second !== queue) await second.close();
      }),
    );

    needing(['seconds'], 'moments that were missed are made up for once', () =>
      use(async ({ queue }) => {
        await queue.setSchedule(sampleSchedule('late'));
        await pause(2_300);
        let runs = 0;
        const from = Date.now();
        work(queue, () => {
          runs += 1;
          return completed();
        });
        await until(() => runs >= 1);
        await queue.removeSchedule('late');
        await pause(50);
        // One for the two that were missed, and those whose moments have come since.
        expect(runs).toBeLessThanOrEqual(1 + Math.ceil((Date.now() - from) / 1_000));
      }),
    );

    it('a schedule is replaced by its id, listed and removed', () =>
      use(async ({ queue }) => {
        const daily = { cron: '30 4 * * *', timeZone: 'Europe/Berlin' };
        await queue.setSchedule(sampleSchedule('one', { cron: '@hourly' }));
        const stored = await queue.setSchedule(sampleSchedule('one', daily));
        expect(stored).toMatchObject({ id: 'one', ...daily });
        const local = new Date(stored.nextAt).toLocaleTimeString('en-GB', {
          timeZone: 'Europe/Berlin',
        });
        expect(local).toBe('04:30:00');
        expect(await queue.schedules()).toEqual([stored]);
        expect(await queue.removeSchedule('one')).toBe(true);
        expect(await queue.removeSchedule('one')).toBe(false);
        expect(await queue.schedules()).toEqual([]);
      }));

    it.each([
      { cron: 'every day' },
      { cron: '61 * * * *' },
      // A date: it would come once, and have no moment after.
      { cron: '2050-01-01T00:00:00' },
      { timeZone: 'Mars/Base' },
    ])('a schedule with %o is refused with the reason', (parts) =>
      use(async ({ queue }) => {
        await expect(queue.setSchedule(sampleSchedule('bad', parts))).rejects.toMatchObject({
          code: 'VALIDATION_ERROR',
        });
        expect(await queue.schedules()).toEqual([]);
      }),
    );
  });
};
