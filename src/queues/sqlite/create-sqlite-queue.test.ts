import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeQueue } from '../../../test/conformance/queue.ts';
import {
  completed,
  gate,
  QUEUE,
  type QueueUnderTest,
  sampleJob,
  until,
  untilState,
  work,
} from '../../../test/conformance/queue-samples.ts';
import { sampleSchedule } from '../../../test/conformance/queue-schedules.ts';
import type { Queue } from '../../contract/queue.ts';
import type { Store } from '../../contract/store.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { sqliteDepsOf } from '../../stores/sqlite/sqlite-store.ts';
import { createSqliteQueue } from './create-sqlite-queue.ts';

interface OpenedStore {
  readonly store: Store;
  readonly deps: SqliteDeps;
}

const open = async (): Promise<QueueUnderTest> => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-queue-'));
  const runtime = createRuntime();
  const opened = new Map<Queue, OpenedStore>();
  const another = async (): Promise<Queue> => {
    const store = await createSqliteStore({ path: join(folder, 'state.db'), runtime });
    const deps = sqliteDepsOf(store);
    if (!deps) throw new Error('The store is not in SQLite.');
    const queue = createSqliteQueue({ ...deps, runtime });
    opened.set(queue, { store, deps });
    return queue;
  };
  const queue = await another();
  return {
    queue,
    another,
    // Without its row an owner counts as dead, as after a crash.
    abandon: async (each) => {
      const { owner, database, writer } = opened.get(each)?.deps ?? {};
      const remove = database?.prepare('DELETE FROM owners WHERE id = ?');
      await writer?.write(() => remove?.run(owner?.id ?? ''));
    },
    cleanup: async () => {
      for (const { store } of opened.values()) await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

describeQueue('sqlite', open, { isShared: true });

it('a job whose workers die again and again is dead after the third time', async () => {
  const { queue, another, abandon, cleanup } = await open();
  await queue.add([sampleJob('deadly', { retries: 9 })]);
  const others: Queue[] = [];
  for (let deaths = 0; deaths < 3; deaths++) {
    const worker = await another?.();
    if (!worker) throw new Error('The engine has no second process.');
    others.push(worker);
    work(worker, () => new Promise(() => undefined));
    await expect
      .poll(
        async () => {
          const job = await queue.get('deadly');
          return job?.state === 'active' && job.attempts;
        },
        { timeout: 20_000 },
      )
      .toBe(deaths + 1);
    await abandon?.(worker);
  }
  work(queue, () => completed(), { queue: 'other' });
  await untilState(queue, 'deadly', 'dead');
  expect((await queue.get('deadly'))?.error?.message).toMatch(/died/);
  await Promise.all(others.map((each) => each.close()));
  await queue.close();
  await cleanup();
}, 60_000);

it('a job that only ran beside one that kills its worker is not given up with it', async () => {
  const { queue, another, abandon, cleanup } = await open();
  await queue.add([sampleJob('deadly'), sampleJob('beside')]);
  const others: Queue[] = [];
  for (let deaths = 0; deaths < 3; deaths++) {
    const worker = await another?.();
    if (!worker) throw new Error('The engine has no second process.');
    others.push(worker);
    work(worker, () => new Promise(() => undefined), { concurrency: 2 });
    await expect
      .poll(async () => (await queue.get('deadly'))?.attempts, { timeout: 20_000 })
      .toBe(deaths + 1);
    await abandon?.(worker);
  }
  work(queue, () => completed());
  await untilState(queue, 'deadly', 'dead');
  await untilState(queue, 'beside', 'completed');
  await Promise.all(others.map((each) => each.close()));
  await queue.close();
  await cleanup();
}, 60_000);

/** Opens a queue whose tables a test changes behind its back, and another one as of another process. */
const openTables = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-queue-'));
  const base = createRuntime();
  const warnings: string[] = [];
  const log = { ...base.log, warn: (message: string) => void warnings.push(message) };
  const runtime = { ...base, log };
  const closing: (() => Promise<void>)[] = [];
  const openOne = async () => {
    const store = await createSqliteStore({ path: join(folder, 'state.db'), runtime });
    const deps = sqliteDepsOf(store);
    if (!deps) throw new Error('The store is not in SQLite.');
    const queue = createSqliteQueue({ ...deps, runtime });
    closing.push(() => queue.close().then(() => store.close()));
    return { queue, deps };
  };
  const { queue, deps } = await openOne();
  const { queue: other } = await openOne();
  const change = (sql: string) => deps.writer.write(() => deps.database.exec(sql));
  const close = async (): Promise<void> => {
    for (const each of closing) await each();
    rmSync(folder, { recursive: true, force: true });
  };
  return { queue, other, warnings, change, close };
};

it('a schedule in a zone that this machine does not know stays, and stops no other', async () => {
  const { queue, warnings, change, close } = await openTables();
  await queue.setSchedule(sampleSchedule('a-foreign'));
  await change(`UPDATE job_schedules SET next_at = 1,
    record = json_set(record, '$.timeZone', 'Mars/Base', '$.nextAt', 1)`);
  await queue.setSchedule(sampleSchedule('tick'));
  const ran: unknown[] = [];
  work(queue, ({ scheduleId }) => {
    ran.push(scheduleId);
    return completed();
  });
  await until(() => ran.length >= 2);
  expect(new Set(ran)).toEqual(new Set(['tick']));
  expect((await queue.schedules()).map(({ id }) => id)).toEqual(['a-foreign', 'tick']);
  expect(warnings).toEqual(['A schedule makes no jobs.']);
  await close();
}, 60_000);

it('while schedules cannot be written, jobs that another process cancels get their signal, and the queue is not asked without pause', async () => {
  const { queue, other, warnings, change, close } = await openTables();
  await queue.setSchedule(sampleSchedule('tick'));
  await change(`CREATE TRIGGER full BEFORE INSERT ON job_schedules
    BEGIN SELECT raise(ABORT, 'disk full'); END`);
  const begun = gate();
  const stopped = gate();
  work(queue, async (_, { signal }) => {
    signal.addEventListener('abort', stopped.open);
    begun.open();
    await stopped.passed;
    return completed();
  });
  await queue.add([sampleJob('long')]);
  await begun.passed;
  await until(() => warnings.length > 0);
  await other.cancel('long');
  await stopped.passed;
  const from = Date.now();
  const before = warnings.length;
  await until(() => warnings.length > before + 3);
  expect(Date.now() - from).toBeGreaterThanOrEqual(250);
  await close();
}, 60_000);

it('a queue with a rate goes on after the clock of the machine was set back', async () => {
  const { queue, change, close } = await openTables();
  const anHourOn = Date.now() + 3_600_000;
  await change(`INSERT INTO job_starts (queue, at) VALUES ('${QUEUE}', ${anHourOn})`);
  await queue.add([sampleJob('next')]);
  work(queue, () => completed(), { rate: { max: 1, perMs: 60_000 } });
  await untilState(queue, 'next', 'completed');
  await close();
});
