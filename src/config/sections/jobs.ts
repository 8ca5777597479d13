/** The `jobs` section. */
import { z } from 'zod';
import { address, milliseconds, positiveCount } from './fields.ts';
import { described, optionalSetting, section, setting } from './setting.ts';

const QUEUE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

const queueName = z
  .string()
  .regex(QUEUE_NAME, 'a queue name is 1 to 128 letters, digits, "_", "." or "-"');

const rate = z.strictObject({
  max: described(positiveCount, { about: 'Jobs that are begun in that time.', project: 'user' }),
  perMs: described(milliseconds, { about: 'The time, in milliseconds.', project: 'user' }),
});

const queueSettings = z.strictObject({
  concurrency: optionalSetting(positiveCount.max(10_000), {
    about: 'Jobs of this queue that one process runs at once; 8 when absent.',
    project: 'user',
  }),
  rate: optionalSetting(rate, {
    about: 'The most jobs that all processes together begin in a time; no limit when absent.',
    project: 'user',
  }),
});

const SECRET = `\${secret:KEY}`;

/** An address, or a secret that holds the whole of it. */
const QUEUE_URL = /^(?:rediss?:\/\/.|\$\{secret:[A-Za-z0-9_.:-]+\}$)/;

const qstashSettings = section(
  z.strictObject({
    endpoint: optionalSetting(address(['http', 'https']), {
      about:
        'The address at which QStash reaches this server; it posts to /jobs/<type> below it. WORKER_ENDPOINT of the environment when absent.',
      project: 'user',
    }),
    api: setting(address(['http', 'https']), {
      about: 'Where QStash takes messages.',
      project: 'user',
      default: 'https://qstash.upstash.io',
    }),
  }),
  'Jobs that QStash delivers. Its token and signing keys are the secrets QSTASH_TOKEN, QSTASH_CURRENT_SIGNING_KEY and QSTASH_NEXT_SIGNING_KEY.',
);

export const jobsSection = section(
  z.strictObject({
    engine: setting(z.enum(['sqlite', 'memory', 'qstash']), {
      about:
        'Where jobs are kept: sqlite in the database of the store, memory until the process ends, qstash at QStash, which delivers them over HTTP.',
      project: 'user',
      default: 'sqlite',
    }),
    url: optionalSetting(
      z.string().regex(QUEUE_URL, {
        error: 'expected redis://host:6379 or rediss://host:6379, or a secret that holds it',
      }),
      {
        about: `The address of a Redis that keeps the jobs instead, for processes on several machines. ${SECRET} in it stands for a secret, e.g. the password.`,
        project: 'user',
      },
    ),
    prefix: setting(z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/), {
      about: 'What the keys in Redis begin with; one for each installation that shares it.',
      project: 'user',
      default: 'toolcrib',
    }),
    qstash: qstashSettings,
    retries: setting(z.int().min(0).max(100), {
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
