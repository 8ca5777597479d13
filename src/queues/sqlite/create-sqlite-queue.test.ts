import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeQueue } from '../../../test/conformance/queue.ts';
import {
  completed,
  type QueueUnderTest,
  sampleJob,
  untilState,
  work,
} from '../../../test/conformance/queue-samples.ts';
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
