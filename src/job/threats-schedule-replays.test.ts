/** Threat: who can write to the queue makes jobs of a schedule with the schedule's own seal. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { aTool } from '../../test/fixtures/test-crib.ts';
import { LOCAL_CALLER } from '../contract/caller.ts';
import type { NewJob } from '../contract/queue.ts';
import { createCribHost } from '../crib/create-crib.ts';
import { createRuntime } from '../crib/create-runtime.ts';
import { createSqliteQueue } from '../queues/sqlite/create-sqlite-queue.ts';
import { sqliteDepsOf } from '../stores/sqlite/sqlite-store.ts';
import { earlyMs, isOfSchedule } from './new-job.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const MINUTE = 60_000;
/** 2026-11-16 12:00:00 UTC. */
const NOON = Date.UTC(2026, 10, 16, 12);

const jobAt = (moment: number | string, parts: Partial<NewJob> = {}): NewJob => ({
  id: `hourly@${moment}`,
  queue: 'default',
  type: 'tool',
  payload: null,
  caller: LOCAL_CALLER,
  priority: 0,
  retries: 0,
  runAt: 0,
  createdAt: 0,
  backoff: { initialMs: 1, factor: 1, maxMs: 1 },
  scheduleId: 'hourly',
  cadence: { cron: '0 * * * *', since: NOON - 5 * MINUTE },
  ...parts,
});

describe('a job with the seal of a schedule', () => {
  const now = NOON + MINUTE;
  const { cadence: _cadence, ...bare } = jobAt(NOON);

  it.each<[string, NewJob]>([
    ['for another moment', jobAt(NOON - 3 * MINUTE)],
    ['for a moment before it was set', jobAt(NOON - 60 * MINUTE)],
    ['under the id of another schedule', jobAt(NOON, { id: `other@${NOON}` })],
    ['under an id of its own', jobAt(NOON, { id: 'anything' })],
    ['for the same moment in other words', jobAt(`0${NOON}`)],
    ['for a moment in another form', jobAt(`${NOON}.0`)],
    ['without its moments', bare],
  ])('is refused %s', (_, job) => {
    expect(isOfSchedule(job)).toBe(false);
  });

  it('runs for its moments alone, and other jobs are not touched', () => {
    expect(isOfSchedule(jobAt(NOON))).toBe(true);
    const inVienna = { cron: '0 13 * * *', timeZone: 'Europe/Vienna', since: 0 };
    expect(isOfSchedule(jobAt(NOON, { cadence: inVienna }))).toBe(true);
    const { scheduleId: _scheduleId, ...plain } = jobAt(NOON);
    expect(isOfSchedule({ ...plain, id: 'any' })).toBe(true);
  });

  it('waits for a moment to come, and other jobs do not', () => {
    expect(earlyMs(jobAt(NOON + 60 * MINUTE), now)).toBe(59 * MINUTE);
    expect(earlyMs(jobAt(NOON), now)).toBe(0);
    // Clocks of two machines differ a little.
    expect(earlyMs(jobAt(NOON), NOON - MINUTE)).toBe(0);
    const { scheduleId: _scheduleId, ...plain } = jobAt(NOON + 60 * MINUTE);
    expect(earlyMs(plain, now)).toBe(0);
  });
});

it('threat: jobs planted with the seal of a schedule, or a schedule with other moments, have no effect', async () => {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-replays-'));
  cleanup.push(() => rmSync(root, { recursive: true, force: true }));
  const sent: string[] = [];
  const send = aTool({
    name: 'send',
    tier: 'write',
    run: ({ text }: never) => {
      sent.push(text);
      return null;
    },
  });
  const crib = await createCribHost({
    root,
    home: join(root, 'home'),
    store: { sqlite: join(root, 'state.db') },
    builtins: false,
    tools: [send],
  });
  cleanup.push(() => crib.close());
  const payload = { tool: 'send', input: { text: 'pay' } };
  await crib.jobs.schedule('yearly', { cron: '@yearly', type: 'tool', payload });
  const deps = sqliteDepsOf(await crib.store());
  if (!deps) throw new Error('The store is not in SQLite.');
  const queue = createSqliteQueue({ ...deps, runtime: createRuntime() });
  cleanup.push(() => queue.close());
  const [schedule] = await queue.schedules();
  if (!schedule) throw new Error('There is no schedule.');
  const planted = { ...schedule.job, scheduleId: 'yearly', runAt: 0, createdAt: Date.now() };
  await queue.add([
    { ...planted, id: 'again' },
    { ...planted, id: `yearly@${Math.floor(Date.now() / 1_000) * 1_000}` },
  ]);
  // The pattern beside the sealed one is what the engine goes by.
  await queue.setSchedule({ ...schedule, cron: '* * * * * *' });
  await crib.jobs.work();
  const dead = async () => (await crib.jobs.list({ state: 'dead' })).length;
  await expect.poll(dead, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
  expect((await crib.jobs.list({ state: 'dead' }))[0]?.error?.code).toBe('SECURITY_VIOLATION');
  expect(sent).toEqual([]);
});
