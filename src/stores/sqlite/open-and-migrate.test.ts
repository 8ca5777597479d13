/** Opening: what is made, what is migrated, what is refused, and what happens to the file meanwhile. */
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditEntry, intentEntry, times } from '../../../test/conformance/store-samples.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { verifyAudit } from '../../governance/audit/verify-audit.ts';
import { openDatabase } from '../../kit/sqlite/open-database.ts';
import { createSqliteStore } from './create-sqlite-store.ts';
import { migrate, schemaVersion } from './database/migrate.ts';
import { MIGRATIONS } from './database/migrations.ts';
import { sqliteStore } from './sqlite-store.ts';

let folder = '';
const file = (): string => join(folder, 'deep', 'er', 'crib.db');
const open = (path = file(), lockTimeoutMs = 5000) =>
  createSqliteStore({ path, runtime: createRuntime(), lockTimeoutMs });
const modeOf = (path: string): number => statSync(path).mode & 0o777;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-open-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('opening', () => {
  it.runIf(process.platform !== 'win32')('makes folder and files for the owner only', async () => {
    const store = await open();
    await store.audit.append(auditEntry());
    expect(store.label).toBe(`sqlite at ${file()}`);
    expect(modeOf(join(folder, 'deep'))).toBe(0o700);
    expect(modeOf(join(folder, 'deep', 'er'))).toBe(0o700);
    const files = readdirSync(join(folder, 'deep', 'er'));
    expect(files.sort()).toEqual(['crib.db', 'crib.db-shm', 'crib.db-wal']);
    for (const name of files) expect(modeOf(join(folder, 'deep', 'er', name))).toBe(0o600);
    await store.close();
    const log = statSync(`${file()}-wal`, { throwIfNoEntry: false });
    expect(log?.size ?? 0).toBe(0);
  });

  it('writes ahead with full sync', async () => {
    const store = await open();
    await store.close();
    const database = await openDatabase(file());
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    database.close();
  });

  it('knows its file when another process makes it between two looks at it', async () => {
    const path = join(folder, 'crib.db');
    const [one, other] = [await openDatabase(path), await openDatabase(path)];
    let looks = 0;
    const version = schemaVersion({
      ...one,
      prepare: (sql) => {
        if (looks++ === 1) migrate(other);
        return one.prepare(sql);
      },
    });
    expect(version).toBe(MIGRATIONS.length);
    for (const database of [one, other]) database.close();
  });

  it('takes turns when many open a new file at once', async () => {
    const stores = await Promise.all(times(8, () => open()));
    await Promise.all(stores.map(async (store) => store.audit.append(auditEntry())));
    await Promise.all(stores.map((store) => store.close()));
    const store = await open();
    expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true, rows: 8 });
    await store.close();
  });

  it('waits for a lock, then says who is in the way', async () => {
    const path = join(folder, 'locked.db');
    const other = await openDatabase(path);
    other.exec('PRAGMA journal_mode = WAL');
    migrate(other);
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
    await expect(open(path, 100)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/locked/),
    });
    const unlock = 'PRAGMA locking_mode = NORMAL; SELECT 1 FROM audit';
    setTimeout(() => other.exec(unlock), 100);
    const store = await open(path);
    await store.audit.append(auditEntry());
    await store.close();
    other.close();
  });

  it.each([
    [
      'a folder that cannot be made',
      () => join(folder, 'file', 'crib.db'),
      /file\/crib\.db cannot be created \(E[A-Z]+\)/,
    ],
    ['a folder in place of the file', () => folder, /cannot be (created|opened)/],
    ['a file that is no database', () => join(folder, 'file'), /not a database/],
  ])('refuses %s', async (_, path, message) => {
    writeFileSync(
      join(folder, 'file'),
      'this is no database, however long you look at it'.repeat(99),
    );
    await expect(open(path())).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(message),
      extras: { suggestions: [expect.any(String)] },
    });
  });
});

describe('migrating', () => {
  it('brings an empty file to the newest schema, and does nothing the second time', async () => {
    writeFileSync(join(folder, 'empty.db'), '');
    for (const round of [1, 2]) {
      const store = await open(join(folder, 'empty.db'));
      await store.audit.append(auditEntry());
      expect(await store.audit.head()).toMatchObject({ seq: round });
      await store.close();
    }
    const database = await openDatabase(join(folder, 'empty.db'));
    const version = database.prepare('PRAGMA user_version').get();
    expect(version).toEqual({ user_version: MIGRATIONS.length });
    database.close();
  });

  it('counts snapshots of an earlier version as kept at the moment of the change', async () => {
    const database = await openDatabase(join(folder, 'old.db'));
    for (const sql of MIGRATIONS.slice(0, 4)) database.exec(sql);
    database.exec(`INSERT INTO snapshots (execution_id, step, path) VALUES ('e1', 0, '/a');
      PRAGMA application_id = 0x54637262; PRAGMA user_version = 4`);
    database.close();
    const before = Math.floor(Date.now() / 1000) * 1000;
    const store = await open(join(folder, 'old.db'));
    expect(await store.snapshots.expire(before)).toBe(0);
    const [kept] = await store.snapshots.of('e1');
    expect(kept?.keptAt).toBeGreaterThanOrEqual(before);
    await store.close();
  });

  it('forgets events of an earlier version that a step on record has taken, and no others', async () => {
    const database = await openDatabase(join(folder, 'old.db'));
    for (const sql of MIGRATIONS.slice(0, 11)) database.exec(sql);
    const step = { key: '1', kind: 'event', name: 'go', eventId: 1, value: { eventId: 2 } };
    database.exec(`INSERT INTO flow_events (run_id, record) VALUES ('a', '{}'), ('a', '{}'), ('b', '{}');
      INSERT INTO flow_steps (run_id, key, record) VALUES ('a', '1', '${JSON.stringify(step)}');
      PRAGMA application_id = 0x54637262; PRAGMA user_version = 11`);
    database.close();
    const store = await open(join(folder, 'old.db'));
    expect(await store.flows.events('a')).toEqual([{ id: 2 }]);
    expect(await store.flows.events('b')).toEqual([{ id: 3 }]);
    await store.close();
  });

  it('refuses a file of a newer version, and leaves it as it is', async () => {
    await (await open()).close();
    const database = await openDatabase(file());
    database.exec('PRAGMA user_version = 999');
    database.close();
    await expect(open()).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `The database has schema version 999; this Toolcrib knows versions up to ${MIGRATIONS.length}.`,
      extras: { retryable: false, suggestions: [expect.stringMatching(/newer/)] },
    });
    const after = await openDatabase(file());
    expect(after.prepare('PRAGMA user_version').get()).toEqual({ user_version: 999 });
    after.close();
  });

  it("refuses another program's database, and leaves it as it is", async () => {
    const path = join(folder, 'foreign.db');
    const foreign = await openDatabase(path);
    foreign.exec('CREATE TABLE precious (thing)');
    foreign.close();
    await expect(open(path)).rejects.toMatchObject({ message: expect.stringMatching(/another/) });
    const after = await openDatabase(path);
    expect(after.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'precious' }]);
    expect(after.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
    after.close();
  });

  it('changes nothing when a step fails', async () => {
    const database = await openDatabase(':memory:');
    const broken = {
      prepare: (sql: string) => database.prepare(sql),
      exec: (sql: string) =>
        database.exec(sql.replace('CREATE TABLE results', 'CREATE TABEL results')),
      close: () => undefined,
    };
    expect(() => migrate(broken)).toThrow(/syntax error/);
    expect(database.prepare('SELECT name FROM sqlite_schema').all()).toEqual([]);
    migrate(database);
    database.close();
  });
});

describe('F4: the file while it is open', () => {
  it('refuses to write into a file that is gone, and goes on when it is back', async () => {
    const store = await open();
    await store.audit.append(auditEntry());
    renameSync(file(), `${file()}.away`);
    await expect(store.audit.append(intentEntry('e1'))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'The database file was moved or deleted.',
    });
    writeFileSync(file(), 'an impostor');
    await expect(store.audit.append(intentEntry('e2'))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    renameSync(`${file()}.away`, file());
    await store.audit.append(intentEntry('e3'));
    expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true, rows: 2 });
    await store.close();
  });

  it('notices that its log was deleted, saves what it held and writes no more', async () => {
    const store = await open();
    for (let n = 0; n < 5; n++) await store.audit.append(auditEntry());
    rmSync(`${file()}-wal`);
    for (const id of ['e1', 'e2']) {
      await expect(store.audit.append(intentEntry(id))).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('log of the database was moved or deleted'),
      });
    }
    // What a process would find that opens the file after this one was killed.
    copyFileSync(file(), `${file()}.after-kill`);
    const next = await open(`${file()}.after-kill`);
    expect(await verifyAudit(next.audit.scan())).toMatchObject({ ok: true, rows: 5 });
    await next.close();
    await store.close();
  });

  it('refuses to write beside a log that another one was put in the place of', async () => {
    const store = await open();
    await store.audit.append(auditEntry());
    rmSync(`${file()}-wal`);
    writeFileSync(`${file()}-wal`, '');
    await wait(60);
    await expect(store.audit.append(intentEntry('e1'))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    await store.close();
  });

  it('benign: a log that was folded into the file is the same log', async () => {
    const store = await open();
    const other = await open();
    await store.audit.append(auditEntry());
    await other.audit.append(auditEntry());
    await other.close();
    await store.audit.append(auditEntry());
    expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true, rows: 3 });
    await store.close();
  });

  it.each([
    ['a read-only file', 'PRAGMA query_only = ON', 'PRAGMA query_only = OFF', /read-only/],
    ['a full disk', 'PRAGMA max_page_count = 1', 'PRAGMA max_page_count = 99999', /disk is full/],
  ])(
    '%s: refuses each write in so many words, then goes on by itself',
    async (_, ill, well, message) => {
      const database = await openDatabase(':memory:');
      migrate(database);
      const store = sqliteStore({
        database,
        runtime: createRuntime(),
        lockTimeoutMs: 50,
        label: 'ill',
      });
      await store.audit.append(auditEntry());
      database.exec(ill);
      const detail = { text: 'x'.repeat(50_000) };
      for (const executionId of ['e1', 'e2']) {
        const outcomes = await Promise.allSettled([
          store.audit.append(intentEntry(executionId, { detail })),
          store.results.put({
            handle: executionId,
            userId: 'u',
            executionId,
            text: detail.text,
            keptAt: 0,
          }),
        ]);
        for (const outcome of outcomes) {
          expect(outcome).toMatchObject({
            reason: { code: 'STORE_UNAVAILABLE', message: expect.stringMatching(message) },
          });
        }
      }
      expect(await store.intents.open()).toEqual([]);
      database.exec(well);
      await store.audit.append(intentEntry('e3', { detail }));
      expect(await store.intents.open()).toMatchObject([{ entry: { executionId: 'e3' } }]);
      expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true, rows: 2 });
      await store.close();
    },
  );

  it('a lock: refuses audit rows when it lasts, takes them when it is gone', async () => {
    const store = await open(file(), 80);
    const other = await openDatabase(file());
    other.exec('BEGIN IMMEDIATE');
    for (const executionId of ['e1', 'e2']) {
      await expect(store.audit.append(intentEntry(executionId))).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringMatching(/locked/),
      });
    }
    expect(await store.audit.query()).toEqual([]);
    other.exec('ROLLBACK');
    await store.audit.append(intentEntry('e3'));
    expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true, rows: 1 });
    other.close();
    await store.close();
  });

  it('keeps the audit trail append-only against plain SQL', async () => {
    const store = await open();
    await store.audit.append(auditEntry());
    const database = await openDatabase(file());
    expect(() => database.exec("UPDATE audit SET user_id = 'eve'")).toThrow(/append-only/);
    expect(() => database.exec('DELETE FROM audit')).toThrow(/append-only/);
    database.close();
    await store.close();
  });

  it('refuses everything after it was closed', async () => {
    const store = await open();
    await store.close();
    const closed = { code: 'STORE_UNAVAILABLE', message: 'The store is closed.' };
    await expect(store.audit.append(auditEntry())).rejects.toMatchObject(closed);
    await expect(store.audit.head()).rejects.toMatchObject(closed);
    await expect(store.memory.write({ space: 's', key: 'k', value: 1 })).rejects.toMatchObject(
      closed,
    );
    await expect(store.approvals.use('a', 0)).rejects.toMatchObject(closed);
  });

  it('closes even when the file is gone', async () => {
    const store = await open();
    await store.audit.append(intentEntry('e1'));
    rmSync(join(folder, 'deep'), { recursive: true });
    await store.close();
  });

  // Root may write to any file; there the read-only case above has to do.
  it('reads a file that may not be written', async ({ skip }) => {
    if ((process.getuid?.() ?? 0) === 0) {
      console.log('Skipped: root may write every file, so none can be read-only for it.');
      skip('root may write every file');
    }
    await (await open()).close();
    chmodSync(file(), 0o400);
    const store = await open();
    await expect(store.audit.append(auditEntry())).rejects.toMatchObject({
      message: expect.stringMatching(/read-only/),
    });
    await store.close();
  });
});
