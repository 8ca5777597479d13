/** The suite that every queue engine passes. An engine's own test calls it and adds its oddities. */
import { describe, expect, it } from 'vitest';
import { describeAttempts } from './queue-attempts.ts';
import { describeJobs } from './queue-jobs.ts';
import type { OpenQueue, UseQueue } from './queue-samples.ts';
import { describeSchedules } from './queue-schedules.ts';
import { describeWorkers } from './queue-workers.ts';

export interface QueueFeatures {
  /** Several processes may use the queues: `another` and `abandon` are there. */
  readonly isShared: boolean;
}

export const describeQueue = (name: string, open: OpenQueue, features: QueueFeatures): void => {
  const use: UseQueue = async (test) => {
    const opened = await open();
    try {
      await test(opened);
    } finally {
      await opened.queue.close();
      await opened.cleanup();
    }
  };

  describe(`${name}: queue`, () => {
    it('a queue closes twice without complaint, and refuses jobs afterwards', () =>
      use(async ({ queue }) => {
        await queue.close();
        await queue.close();
        await expect(queue.add([])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      }));

    describeJobs(use);
    describeAttempts(use);
    describeWorkers(use, features);
    describeSchedules(use);
  });
};
