import { expect, it } from 'vitest';
import { describeQueue } from '../../../test/conformance/queue.ts';
import { jobs, QUEUE } from '../../../test/conformance/queue-samples.ts';
import { sampleSchedule } from '../../../test/conformance/queue-schedules.ts';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createMemoryQueue } from './create-memory-queue.ts';
import { MemoryJobs } from './memory-jobs.ts';

describeQueue(
  'memory',
  async () => ({ queue: createMemoryQueue(createRuntime()), cleanup: async () => undefined }),
  { isShared: false },
);

it('a schedule without a moment to come makes no job and stops no other, and is named in the log once', async () => {
  const runtime = fakeRuntime();
  const table = new MemoryJobs(runtime);
  const nextAt = runtime.now();
  await table.putSchedule({ ...sampleSchedule('date'), cron: '2020-01-01T00:00:00', nextAt });
  await table.putSchedule({ ...sampleSchedule('tick'), nextAt });
  expect(await table.makeScheduled(nextAt)).toBe(nextAt + 1_000);
  expect(await table.makeScheduled(nextAt + 1_000)).toBe(nextAt + 2_000);
  const made = await table.list({});
  expect(made.map(({ scheduleId }) => scheduleId)).toEqual(['tick', 'tick']);
  expect(runtime.logged).toMatchObject([{ level: 'warn', fields: { schedule: 'date' } }]);
});

it('a queue with a rate goes on after the clock of the machine was set back', async () => {
  let now = Date.UTC(2026, 0, 15, 12);
  const table = new MemoryJobs({ ...fakeRuntime(), now: () => now });
  await table.add(jobs(2));
  const request = {
    ...{ queue: QUEUE, rate: { max: 1, perMs: 60_000 } },
    ...{ now: () => now, limit: () => 1 },
  };
  expect((await table.claim(request)).jobs).toHaveLength(1);
  expect(await table.claim(request)).toEqual({ jobs: [], nextAt: now + 60_001 });
  now -= 3_600_000;
  expect((await table.claim(request)).jobs).toHaveLength(1);
});
