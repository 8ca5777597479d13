/** Changes of a SQLite file taken back, through a whole crib; and the process that stays warm. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchTemporaryFolders } from '../../../test/fixtures/temporary-folders.ts';
import type { TestCrib } from '../../../test/fixtures/test-crib.ts';
import { trailOf, vendorCrib } from '../../../test/fixtures/vendors/vendor-crib.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { defineQueryDatabase } from './query-database.ts';
import { askSqlite, openSqliteProcesses } from './sqlite-processes.ts';
import { MAX_KEPT_BYTES } from './sqlite-undo.ts';

let root: string;
let crib: TestCrib;
let db: DatabaseSyncInstance;
const store = createMemoryStore();

const openCrib = () => vendorCrib(defineQueryDatabase(), { root, store });

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'undo-sqlite-')));
  db = new DatabaseSync(join(root, 'shop.db'));
  db.exec("CREATE TABLE items (name TEXT); INSERT INTO items VALUES ('lamp'), ('nail')");
  crib = await openCrib();
});
afterEach(async () => {
  await crib.close();
  if (db.isOpen) db.close();
  rmSync(root, { recursive: true, force: true });
});

const change = async (query: string, params: readonly string[] = []) => {
  const input = { path: 'shop.db', query, params, mode: 'write' };
  return crib.execute('query_database', input);
};
const names = () =>
  db
    .prepare('SELECT name FROM items ORDER BY name')
    .all()
    .map((row: unknown) => (row as { name: string }).name);

describe('undo of a change of a SQLite file', () => {
  it.each([
    ['delete', 'DELETE FROM items'],
    ['delete', "UPDATE items SET name = 'x'"],
    ['delete', 'DROP TABLE items'],
    ['wal', 'DELETE FROM items'],
    ['wal', 'DROP TABLE items'],
    ['wal', 'ALTER TABLE items ADD COLUMN price'],
  ])('journal mode %s: %s is taken back while another program has it open', async (mode, query) => {
    db.exec(`PRAGMA journal_mode = ${mode}`);
    const { metadata, success, warnings } = { warnings: [], ...(await change(query)) };
    expect([success, warnings]).toEqual([true, []]);
    const result = await crib.executions.undo(metadata.executionId);
    expect(result.error).toBe(undefined);
    expect([result.error, names()]).toEqual([undefined, ['lamp', 'nail']]);
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    expect((await crib.executions.undo(metadata.executionId)).error?.code).toBe('CONFLICT');
  });

  it('works in another process than the call, and leaves no copy behind', async () => {
    const noneIsLeft = watchTemporaryFolders('toolcrib-sqlite-');
    const { metadata, success, warnings } = {
      warnings: [],
      ...(await change('DELETE FROM items')),
    };
    expect([success, warnings]).toEqual([true, []]);
    const other = await openCrib();
    expect((await other.executions.undo(metadata.executionId)).error).toBe(undefined);
    await other.close();
    expect(names()).toEqual(['lamp', 'nail']);
    await noneIsLeft();
  });

  it('refuses when the database was changed since, and touches nothing', async () => {
    const { metadata } = await change("INSERT INTO items VALUES ('a')");
    db.exec("INSERT INTO items VALUES ('by hand')");
    expect((await crib.executions.undo(metadata.executionId)).error?.code).toBe('CONFLICT');
    expect(names()).toEqual(['a', 'by hand', 'lamp', 'nail']);
  });

  it('undoes two changes one after the other, the last first', async () => {
    const first = await change("INSERT INTO items VALUES ('a')");
    const second = await change("INSERT INTO items VALUES ('b')");
    expect((await crib.executions.undo(first.metadata.executionId)).error?.code).toBe('CONFLICT');
    expect((await crib.executions.undo(second.metadata.executionId)).success).toBe(true);
    expect((await crib.executions.undo(first.metadata.executionId)).success).toBe(true);
    expect(names()).toEqual(['lamp', 'nail']);
  });

  it('a statement that failed changed nothing and leaves the file usable', async () => {
    db.exec('CREATE UNIQUE INDEX one ON items (name)');
    for (const how of ['ABORT', 'ROLLBACK', 'FAIL']) {
      const { success } = await change(`INSERT OR ${how} INTO items VALUES ('new'), ('lamp')`);
      expect([how, success, names()]).toEqual([how, false, ['lamp', 'nail']]);
    }
    expect((await change("INSERT INTO items VALUES ('new')")).success).toBe(true);
  });

  it('a database that is too large is changed, with a warning that there is no undo', async () => {
    db.exec('CREATE TABLE big (x)');
    db.prepare('INSERT INTO big VALUES (zeroblob(?))').run(MAX_KEPT_BYTES);
    const result = await change('DELETE FROM items');
    expect(JSON.stringify(result)).toContain('cannot be undone: the database is larger than 16 MB');
    expect(names()).toEqual([]);
    expect((await crib.executions.undo(result.metadata.executionId)).error?.code).toBe('CONFLICT');
  });

  it('hostile: a link that was put in the place of the file is not written through', async () => {
    const { metadata } = await change('DELETE FROM items');
    const outside = mkdtempSync(join(tmpdir(), 'undo-outside-'));
    const canary = join(outside, 'canary.db');
    execFileSync('cp', [join(root, 'shop.db'), canary]);
    await rename(join(root, 'shop.db'), join(root, 'old.db'));
    symlinkSync(canary, join(root, 'shop.db'));
    expect((await crib.executions.undo(metadata.executionId)).success).toBe(false);
    const seen = new DatabaseSync(canary);
    expect(seen.prepare('SELECT count(*) AS n FROM items').get()).toEqual({ n: 0 });
    seen.close();
    rmSync(outside, { recursive: true });
  });

  it('hostile: another user cannot undo it, and the copy is in no record', async () => {
    const { metadata } = await change("INSERT INTO items VALUES ('canary-value-1')");
    const result = await crib.executions.undo(metadata.executionId, { userId: 'eve' });
    expect([result.error?.code, names().length]).toEqual(['NOT_FOUND', 3]);
    expect(await trailOf(crib)).not.toContain('H4sI');
  });
});

describe('the process that runs SQLite', () => {
  const query = { query: 'SELECT 1 AS x', params: [], mode: 'read', maxRows: 1, maxBytes: 1000 };
  const request = (path: string, sql = query.query, timeoutMs = 10_000) => ({
    message: { ...query, query: sql, path },
    timeoutMs,
    maxAnswerBytes: 100_000,
  });
  const ENDLESS =
    'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT count(*) FROM r';

  it('is kept for the next queries, which start no other', async () => {
    const processes = openSqliteProcesses();
    const session = { processes, signal: new AbortController().signal };
    const path = join(root, 'shop.db');
    await askSqlite(session, request(path));
    for (let at = 0; at < 10; at++) await askSqlite(session, request(path));
    expect(processes.size).toBe(1);
    await processes.close();
    expect(processes.size).toBe(0);
  });

  it('is killed when a query runs over its time, and the next query gets another', async () => {
    const processes = openSqliteProcesses();
    const session = { processes, signal: new AbortController().signal };
    const path = join(root, 'shop.db');
    await askSqlite(session, request(path));
    await expect(askSqlite(session, request(path, ENDLESS, 100))).rejects.toMatchObject({
      code: 'TIMEOUT',
    });
    expect(processes.size).toBe(0);
    expect(await askSqlite(session, request(path))).toMatchObject({ values: [[1]] });
    await processes.close();
  });

  it('is the only one for several calls at once, and ends when idle', async () => {
    const processes = openSqliteProcesses({ idleMs: 50 });
    const session = { processes, signal: new AbortController().signal };
    const path = join(root, 'shop.db');
    await Promise.all(Array.from({ length: 6 }, () => askSqlite(session, request(path))));
    await vi.waitFor(() => expect(processes.size).toBe(0), 10_000);
  });

  it('leaves the database closed between queries', async () => {
    await crib.execute('query_database', { path: 'shop.db', query: 'SELECT 1 AS x' });
    db.close();
    expect(readdirSync(root)).toEqual(['shop.db']);
    const alone = new DatabaseSync(join(root, 'shop.db'));
    alone.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
    alone.close();
  });
});
