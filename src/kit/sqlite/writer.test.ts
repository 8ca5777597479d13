/** The writer: one sync for many writes, one failure for one write, and no trouble that lasts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { times } from '../../../test/conformance/store-samples.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { CommitSync } from './commit-sync.ts';
import { type Database, openDatabase } from './open-database.ts';
import { Writer, type WriterOptions } from './writer.ts';

let folder = '';
let database: Database;
let transactions: string[] = [];
/** Errors that the next COMMITs throw instead of committing. */
let commitErrors: Error[] = [];

const sqliteError = (errcode: number): Error =>
  Object.assign(new Error('made up by the test'), { code: 'ERR_SQLITE_ERROR', errcode });

/** Notes begin, commit and rollback, and fails commits on demand. */
const watched = (real: Database): Database => ({
  prepare(sql) {
    const statement = real.prepare(sql);
    if (!/^(BEGIN|COMMIT)/.test(sql)) return statement;
    return {
      ...statement,
      run() {
        const error = sql === 'COMMIT' ? commitErrors.shift() : undefined;
        if (error) throw error;
        const result = statement.run();
        transactions.push(sql);
        return result;
      },
    };
  },
  exec(sql) {
    real.exec(sql);
    if (sql === 'ROLLBACK') transactions.push(sql);
  },
  close: () => real.close(),
});

const makeWriter = (options: Partial<WriterOptions> = {}): Writer =>
  new Writer({
    database: watched(database),
    runtime: createRuntime(),
    sync: new CommitSync({ database, runtime: createRuntime() }),
    lockTimeoutMs: 300,
    ...options,
  });

const insert = (value: string) => () => {
  database.prepare('INSERT INTO items VALUES (?)').run(value);
  return value;
};
const items = (): unknown[] =>
  database
    .prepare('SELECT value FROM items ORDER BY rowid')
    .all()
    .map((row) => (row as { value: string }).value);

const fail = (message: string) => () => {
  insert('half done')();
  throw new RangeError(message);
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-writer-'));
  database = await openDatabase(join(folder, 'w.db'));
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE items (value TEXT UNIQUE)');
  transactions = [];
  commitErrors = [];
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const unavailable = (message: RegExp) => ({
  code: 'STORE_UNAVAILABLE',
  message: expect.stringMatching(message),
  extras: { suggestions: [expect.stringMatching(/\w/)] },
});

describe('group commit', () => {
  it('shares one transaction between the writes of one turn', async () => {
    const writer = makeWriter();
    expect(await Promise.all(times(1000, (n) => writer.write(insert(`${n}`))))).toEqual(
      times(1000, String),
    );
    expect(transactions).toEqual(['BEGIN IMMEDIATE', 'COMMIT']);
    await writer.write(insert('later'));
    expect(transactions).toHaveLength(4);
    expect(items()).toEqual([...times(1000, String), 'later']);
  });

  it('resolves no write before the commit', async () => {
    const writer = makeWriter();
    let resolved = false;
    const write = writer.write(insert('a')).then(() => {
      resolved = true;
    });
    expect(items()).toEqual([]);
    await Promise.resolve();
    expect(resolved).toBe(false);
    await write;
    expect(transactions).toContain('COMMIT');
  });
});

describe('a write that fails', () => {
  it('fails alone, with its own error, and leaves nothing behind', async () => {
    const writer = makeWriter();
    const outcomes = await Promise.allSettled([
      writer.write(insert('a')),
      writer.write(fail('mine')),
      writer.write(insert('b')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: new RangeError('mine') });
    expect(items()).toEqual(['a', 'b']);
    expect(transactions.filter((sql) => sql === 'COMMIT')).toHaveLength(1);
  });

  it('fails alone among many that fail', async () => {
    const writer = makeWriter();
    const outcomes = await Promise.allSettled(
      times(30, (n) => writer.write(n % 3 ? insert(`${n}`) : fail(`${n}`))),
    );
    const expected = times(30, (n) => (n % 3 ? 'fulfilled' : 'rejected'));
    expect(outcomes.map(({ status }) => status)).toEqual(expected);
    expect(outcomes[27]).toMatchObject({ reason: new RangeError('27') });
    expect(items()).toEqual(times(30, String).filter((_, n) => n % 3));
  });

  it('fails alone when the database refuses it, while others are written', async () => {
    const writer = makeWriter();
    await writer.write(insert('a'));
    const outcomes = await Promise.allSettled([
      writer.write(insert('a')),
      writer.write(insert('b')),
    ]);
    expect(outcomes[0]).toMatchObject({ reason: { code: 'STORE_UNAVAILABLE' } });
    expect(items()).toEqual(['a', 'b']);
  });

  it('is tried by itself when it was the commit that failed', async () => {
    const writer = makeWriter();
    commitErrors = [sqliteError(13), sqliteError(13)];
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((v) => writer.write(insert(v))));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(outcomes[0]).toMatchObject({ reason: unavailable(/disk is full/) });
    expect(items()).toEqual(['b', 'c']);
  });
});

describe('F4: trouble with the file', () => {
  it('a full disk: says so, keeps what was there, and goes on when there is room', async () => {
    const writer = makeWriter();
    await writer.write(insert('before'));
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as {
      page_count: number;
    };
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const large = insert('x'.repeat(50_000));
    await expect(writer.write(large)).rejects.toMatchObject(unavailable(/disk is full/));
    expect(items()).toEqual(['before']);
    database.exec('PRAGMA max_page_count = 1000000');
    await writer.write(large);
    expect(items()).toHaveLength(2);
  });

  it('a full disk hits only those that need the room', async () => {
    const writer = makeWriter();
    await writer.write(insert('before'));
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as {
      page_count: number;
    };
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const outcomes = await Promise.allSettled([
      writer.write(insert('x'.repeat(50_000))),
      writer.write(insert('small')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });

  it('a read-only file: says so, and goes on when it may write', async () => {
    const writer = makeWriter();
    database.exec('PRAGMA query_only = ON');
    await expect(writer.write(insert('a'))).rejects.toMatchObject(unavailable(/read-only/));
    expect(await writer.read(items)).toEqual([]);
    database.exec('PRAGMA query_only = OFF');
    await writer.write(insert('a'));
    expect(items()).toEqual(['a']);
  });

  it('a lock of another connection: waits without standing still, then writes', async () => {
    const other = await openDatabase(join(folder, 'w.db'));
    other.exec("BEGIN IMMEDIATE; INSERT INTO items VALUES ('other')");
    const writer = makeWriter({ lockTimeoutMs: 5000 });
    const writes = ['a', 'b'].map((value) => writer.write(insert(value)));
    let turns = 0;
    const clock = setInterval(() => {
      turns += 1;
    }, 5);
    await new Promise((done) => setTimeout(done, 150));
    writes.push(writer.write(insert('c')));
    other.exec('COMMIT');
    expect(await Promise.all(writes)).toEqual(['a', 'b', 'c']);
    clearInterval(clock);
    expect(turns).toBeGreaterThan(5);
    expect(items()).toEqual(['other', 'a', 'b', 'c']);
    other.close();
  });

  it('a lock that stays: gives up with the remedy, and writes when it is gone', async () => {
    const other = await openDatabase(join(folder, 'w.db'));
    other.exec('BEGIN IMMEDIATE');
    const writer = makeWriter({ lockTimeoutMs: 100 });
    await expect(writer.write(insert('a'))).rejects.toMatchObject(unavailable(/locked/));
    other.exec('ROLLBACK');
    await writer.write(insert('b'));
    expect(items()).toEqual(['b']);
    other.close();
  });

  it('a lock that comes while writes are tried one by one keeps none of them from its turn', async () => {
    const writer = makeWriter({ lockTimeoutMs: 5000 });
    commitErrors = [sqliteError(10), sqliteError(5)];
    expect(await Promise.all(['a', 'b', 'c'].map((v) => writer.write(insert(v))))).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(items()).toEqual(['b', 'c', 'a']);
  });

  it('a transaction that a failure left open does not block the next one', async () => {
    const writer = makeWriter();
    database.exec('BEGIN');
    await expect(writer.write(insert('a'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await writer.write(insert('b'));
    expect(items()).toEqual(['b']);
  });

  it('refuses to write when the file is not usable any more, until it is again', async () => {
    let usable = false;
    const writer = makeWriter({
      assertUsable: () => {
        if (!usable) throw new RangeError('moved');
      },
    });
    const outcomes = await Promise.allSettled(times(3, (n) => writer.write(insert(`${n}`))));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    usable = true;
    await writer.write(insert('a'));
    expect(items()).toEqual(['a']);
  });

  it('logs the cause, which the caller does not see', async () => {
    const logged: unknown[] = [];
    const log = createRuntime().log;
    const runtime = createRuntime({
      log: { ...log, error: (...line: unknown[]) => void logged.push(line) },
    });
    const writer = makeWriter({ runtime });
    const reading = writer.read(() => database.prepare('SELECT * FROM nowhere'));
    await expect(reading).rejects.toMatchObject({ message: 'The store failed.' });
    expect(logged).toEqual([['The store failed.', { error: expect.stringContaining('nowhere') }]]);
  });
});

describe('closing', () => {
  it('does what is pending, then the last work, then refuses reads and writes', async () => {
    const writer = makeWriter();
    const pending = writer.write(insert('a'));
    const closing = writer.close(() => void insert('last')());
    const late = writer.write(insert('late'));
    await expect(late).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/closed/),
    });
    await Promise.all([pending, closing]);
    expect(items()).toEqual(['a', 'last']);
    await expect(writer.read(items)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
