import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isPostgresMissing, usePostgres } from '../../../test/fixtures/postgres-schemas.ts';
import type { Store } from '../../contract/store.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { createInvocations, type NewInvocation } from './invocations.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const openSqlite = async (): Promise<Store> => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-invocations-'));
  cleanup.push(() => rmSync(folder, { recursive: true, force: true }));
  return createSqliteStore({ path: join(folder, 'state.db'), runtime: createRuntime() });
};

const WANTED: NewInvocation = {
  source: 'flows',
  tool: 'report',
  workflowId: 'w',
  webhookPath: 'p',
  idempotencyKey: 'k',
  userId: 'ada',
  chatId: 'c',
  triggeredBy: 'bot',
  input: { day: 1 },
};

/** What holds in whatever store the records are kept. */
const keepsRecords = (open: () => Promise<Store>): void => {
  const start = async () => {
    const store = await open();
    cleanup.push(() => store.close());
    const clock = { now: 1_800_000_000_000 };
    return {
      ...createInvocations({ now: () => clock.now, memory: async () => store.memory }),
      clock,
    };
  };

  it('many calls with one key at once get one run', async () => {
    const { claim } = await start();
    const records = await Promise.all(Array.from({ length: 20 }, () => claim(WANTED)));
    expect(new Set(records.map(({ id }) => id)).size).toBe(1);
    expect(records[0]).toMatchObject({
      ...WANTED,
      status: 'pending',
      createdAt: 1_800_000_000_000,
    });
    const other = await claim({ ...WANTED, userId: 'eve' });
    expect(other.id).not.toBe(records[0]?.id);
  });

  it('of two calls with a run, one delivers it, and its callback counts once', async () => {
    const { claim, begin, started, complete, get, clock } = await start();
    const { id } = await claim(WANTED);
    expect(await begin(id, 'call-1')).toBe(true);
    expect(await begin(id, 'call-2')).toBe(false);
    expect(await begin(id, 'call-1')).toBe(true);
    await started(id, '231');
    expect(await begin(id, 'call-1')).toBe(false);
    clock.now += 1_500;
    const answer = { invocationId: id, success: true, output: { pages: 3 } };
    const outcomes = await Promise.all([1, 2, 3].map(() => complete('flows', answer)));
    expect(outcomes.toSorted()).toEqual(['completed', 'ignored', 'ignored']);
    expect(await get(id)).toMatchObject({
      status: 'success',
      executionId: '231',
      output: { pages: 3 },
      durationMs: 1_500,
      endedBy: 'callback',
    });
  });

  it('a callback that arrives before the delivery is kept', async () => {
    const { claim, begin, started, failed, complete, get } = await start();
    const { id } = await claim(WANTED);
    await begin(id, 'call-1');
    await complete('flows', { invocationId: id, success: false, error: 'no' });
    await started(id, '231');
    await failed(id, 'timeout');
    expect(await get(id)).toMatchObject({ status: 'failure', error: 'no', endedBy: 'callback' });
  });

  it('unknown runs and those of other sources stay as they are', async () => {
    const { claim, complete, get, started, failed, begin } = await start();
    const { id } = await claim(WANTED);
    expect(await complete('other', { invocationId: id, success: true })).toBe('unknown');
    expect(await complete('flows', { invocationId: 'none', success: true })).toBe('unknown');
    await Promise.all([started('none', undefined), failed('none', 'x')]);
    expect(await begin('none', 'call-1')).toBe(false);
    expect(await get('none')).toBeUndefined();
    expect(await get(id)).toMatchObject({ status: 'pending' });
  });

  it('a record of a run is deleted after 30 days', async () => {
    const { claim, get, clock } = await start();
    const { id } = await claim(WANTED);
    clock.now += 31 * 86_400_000;
    expect(await get(id)).toBeUndefined();
    expect((await claim(WANTED)).id).not.toBe(id);
  });
};

describe('runs on record in memory', () => keepsRecords(async () => createMemoryStore()));
describe('runs on record in SQLite', () => keepsRecords(openSqlite));
describe.skipIf(isPostgresMissing())('runs on record in PostgreSQL', () => {
  const schemas = usePostgres();
  keepsRecords(() => schemas.open());
});
