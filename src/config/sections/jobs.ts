/** The `jobs` section. */
import { z } from 'zod';
import { milliseconds, positiveCount } from './fields.ts';
import { described, optionalSetting, section, setting } from './setting.ts';

const QUEUE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

const queueName = z
  .string()
  .regex(QUEUE_NAME, 'a queue name is 1 to 128 letters, digits, "_", "." or "-"');

const rate = z.strictObject({
  max: described(positiveCount, { about: 'Jobs that are begun in that time.' }),
  perMs: described(milliseconds, { about: 'The time, in milliseconds.' }),
});

const queueSettings = z.strictObject({
  concurrency: optionalSetting(positiveCount.max(10_000), {
    about: 'Jobs of this queue that one process runs at once; 8 when absent.',
  }),
  rate: optionalSetting(rate, {
    about: 'The most jobs that all processes together begin in a time; no limit when absent.',
  }),
});

export const jobsSection = section(
  z.strictObject({
    engine: setting(z.enum(['sqlite', 'memory']), {
      about:
        'Where jobs are kept: sqlite in the database of the store, memory until the process ends.',
      project: 'user',
      default: 'sqlite',
    }),
    retries: setting(z.int().min(0).max(10_000), {
      about: 'How often a job is tried again that says nothing else.',
      project: 'user',
      default: 3,
    }),
    queues: setting(z.record(queueName, queueSettings.describe('One queue, by its name.')), {
      about: 'The queues that workers serve besides those of the registered types.',
      project: 'user',
      default: {},
    }),
  }),
  'Work in the background.',
);
