/** The suite that every queue engine passes. An engine's own test calls it and adds its oddities. */
import { describe, expect, it } from 'vitest';
import { describeAttempts } from './queue-attempts.ts';
import { describeJobs } from './queue-jobs.ts';
import type { Lacks, OpenQueue, UseQueue } from './queue-samples.ts';
import { describeSchedules } from './queue-schedules.ts';
import { describeWorkers } from './queue-workers.ts';

export interface QueueFeatures {
  /** Several processes may use the queues: `another` and `abandon` are there. */
  readonly isShared: boolean;
  /** What the engine declares that it cannot do. */
  readonly lacks?: Lacks;
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

  const { lacks = {} } = features;
  for (const [ability, reason] of Object.entries(lacks)) {
    console.log(`${name} is not tested for ${ability}: ${reason}`);
  }

  describe(`${name}: queue`, () => {
    it('the queue declares exactly what the suite does not ask of it', () =>
      use(async ({ queue }) => {
        expect(queue.lacks ?? {}).toEqual(lacks);
      }));

    it('a queue closes twice without complaint, and refuses jobs afterwards', () =>
      use(async ({ queue }) => {
        await queue.close();
        await queue.close();
        await expect(queue.add([])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      }));

    describeJobs(use, lacks);
    describeAttempts(use, lacks);
    describeWorkers(use, { ...features, lacks });
    describeSchedules(use, lacks);
  });
};
