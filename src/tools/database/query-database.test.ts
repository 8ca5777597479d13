/** query_database on SQLite files, through a whole crib: what it reads, and what it cannot do. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { titlesOf } from '../../../test/fixtures/run-tool.ts';
import type { TestCrib } from '../../../test/fixtures/test-crib.ts';
import { fakeContext } from '../../../test/fixtures/tool-context.ts';
import { exampleAt, vendorCrib } from '../../../test/fixtures/vendors/vendor-crib.ts';
import { defineQueryDatabase } from './query-database.ts';
import type { QueryAnswer } from './query-request.ts';
import { runSqlite } from './run-sqlite.ts';
import { openSqliteProcesses } from './sqlite-processes.ts';

const queryDatabase = defineQueryDatabase();

let folder: string;
let root: string;
let crib: TestCrib;

const onFile = (path: string, sql: string): unknown[] => {
  const db = new DatabaseSync(path);
  try {
    const statements = sql.split(';').filter((each) => each.trim() !== '');
    return statements.map((each) => db.prepare(each).all()).at(-1) ?? [];
  } finally {
    db.close();
  }
};

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'databases-')));
  root = join(folder, 'workspace');
  mkdirSync(root);
  onFile(
    join(root, 'shop.db'),
    `CREATE TABLE items (name TEXT, price REAL); INSERT INTO items VALUES ('lamp', 9.5), ('nail', 0.1)`,
  );
  onFile(join(folder, 'outside.db'), 'CREATE TABLE secret (x); INSERT INTO secret VALUES (1)');
  crib = await vendorCrib(queryDatabase, { root });
});
afterEach(async () => {
  await crib.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (query: string, more: object = {}) =>
  crib.execute('query_database', { path: 'shop.db', query, ...more });
const rowsOf = async (query: string, more: object = {}) => {
  const { data, error } = await ask(query, more);
  return data ? (data as QueryAnswer).rows : error?.code;
};
const names = () => onFile(join(root, 'shop.db'), 'SELECT name FROM items ORDER BY name');

describe('query_database on SQLite', () => {
  it.each(titlesOf(queryDatabase))('example: %s', async (title) => {
    const { input, output } = exampleAt(queryDatabase, title, ['', '']);
    expect((await crib.execute('query_database', input)).data).toMatchObject(output as object);
  });

  it('binds values, and never as SQL', async () => {
    const query = 'SELECT ? AS a, ? AS b, ? AS c, ? AS d';
    const params = ["x'; DROP TABLE items; --", true, null, 1.5];
    expect(await rowsOf(query, { params })).toEqual([{ a: params[0], b: 1, c: null, d: 1.5 }]);
  });

  it('keeps large integers, bytes and columns of the same name', async () => {
    expect(await rowsOf("SELECT 9007199254740993 AS n, x'00ff' AS b, 1 AS n")).toEqual([
      { n: '9007199254740993', b: { base64: 'AP8=' }, 'n:2': 1 },
    ]);
  });

  it('stops at maxRows and maxBytes, and reports that', async () => {
    const query =
      'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 5000) SELECT n FROM r';
    expect((await ask(query, { maxRows: 3 })).data).toEqual({
      columns: ['n'],
      rows: [{ n: 1 }, { n: 2 }, { n: 3 }],
      rowCount: 3,
      truncated: true,
    });
    const { data } = await ask(query, { maxBytes: 1000, maxRows: 5000 });
    expect(data).toMatchObject({ truncated: true });
    expect(JSON.stringify((data as QueryAnswer).rows).length).toBeLessThan(1200);
  });

  it('reads the schema', async () => {
    expect(await rowsOf('PRAGMA table_info(items)')).toMatchObject([
      { name: 'name', type: 'TEXT' },
      { name: 'price', type: 'REAL' },
    ]);
    expect(await rowsOf('PRAGMA user_version')).toEqual([{ user_version: 0 }]);
  });

  it('writes in mode write, after an approval', async () => {
    const change = "UPDATE items SET price = 1 WHERE name = 'nail'";
    expect((await ask(change, { mode: 'write' })).data).toMatchObject({ rowCount: 1, rows: [] });
    const strict = await vendorCrib(queryDatabase, { root, policy: { version: 1, rules: [] } });
    const input = { path: 'shop.db', query: change, mode: 'write' };
    expect((await strict.execute('query_database', input)).status).toBe('pending');
    const read = { path: 'shop.db', query: 'SELECT 1 AS x' };
    expect((await strict.execute('query_database', read)).status).toBe('success');
    await strict.close();
  });

  it.each([
    ['SELEC 1', 'syntax error'],
    ['SELECT * FROM nowhere', 'no such table'],
    ['SELECT 1; SELECT 2', 'several'],
    ['  -- only a comment', 'no statement'],
    [';', 'no statement'],
    ['SELECT 1\0', 'NUL'],
  ])('refuses %j', async (query, words) => {
    const { error } = await ask(query);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: ['query'] }] });
    expect(error?.issues?.[0]?.message).toContain(words);
  });

  it.each([
    "SELECT ';' AS x; -- done",
    'SELECT 1 AS ";" /* ; */ ;;',
    'SELECT 1 AS [a;b];',
    '/* a */ SELECT 2 - 1 AS `;`',
  ])('benign: %s is one statement', async (query) => {
    expect(await rowsOf(query)).toHaveLength(1);
  });

  it.each([
    ['SELECT ? AS a', [], 'more placeholders'],
    ['SELECT ? AS a, ? AS b', [1], 'more placeholders'],
    ['SELECT ?3 AS a', [1], 'more placeholders'],
    ['EXPLAIN SELECT ?', [], 'more placeholders'],
    ['SELECT name FROM items WHERE 0 AND price > ?', [], 'more placeholders'],
    ['SELECT ? AS a', [1, 2], 'fewer placeholders'],
    ['SELECT 1 AS a', [1], 'fewer placeholders'],
  ])('%s with %j is refused: the number of values does not fit', async (query, params, words) => {
    const { error } = await ask(query, { params });
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: ['params'] }] });
    expect(error?.issues?.[0]?.message).toContain(words);
  });

  it('a change with too few values changes nothing', async () => {
    const query = 'UPDATE items SET name = ?, price = ?';
    const { error } = await ask(query, { params: ['x'], mode: 'write' });
    expect([error?.code, names()]).toEqual([
      'VALIDATION_ERROR',
      [{ name: 'lamp' }, { name: 'nail' }],
    ]);
  });

  it.each(['SELECT :a AS x', 'SELECT @a AS x', 'SELECT $a AS x, ? AS y', 'SELECT 1=:a'])(
    '%s is refused: a named placeholder would be NULL',
    async (query) => {
      const { error } = await ask(query, { params: query.includes('?') ? [1] : [] });
      expect(error).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: ['query'] }] });
    },
  );

  it.each([
    ["SELECT ':a ? @b' AS x", [], ':a ? @b'],
    ['SELECT ?1 || ?2 || ?1 AS x', ['a', 'b'], 'aba'],
    ['SELECT count(*) AS x FROM items -- why? :a', [], 2],
    ["SELECT json_extract(?, '$.a') AS x", ['{"a":7}'], 7],
    ["SELECT ? -> '$.a' AS x", ['{"a":7}'], '7'],
    ['WITH a$b AS (SELECT ? AS x) SELECT x FROM a$b', [1], 1],
  ])('benign: %s with %j', async (query, params, x) => {
    expect(await rowsOf(query, { params })).toEqual([{ x }]);
  });

  it('fails with LOCK while another process holds the file', async () => {
    const other = new DatabaseSync(join(root, 'shop.db'));
    other.exec('BEGIN EXCLUSIVE');
    const retry = { maxRetries: 0, backoff: { type: 'none' } } as const;
    const own = await vendorCrib({ ...queryDatabase, retry }, { root });
    const input = { path: 'shop.db', query: 'SELECT 1 FROM items' };
    expect((await own.execute('query_database', input)).error?.code).toBe('LOCK');
    other.exec('ROLLBACK');
    other.close();
    await own.close();
  });

  it('says which file or setting is missing', async () => {
    const gone = await crib.execute('query_database', { path: 'gone.db', query: 'SELECT 1' });
    expect(gone.error?.code).toBe('NOT_FOUND');
    expect(existsSync(join(root, 'gone.db'))).toBe(false);
    writeFileSync(
      join(root, 'notes.txt'),
      'this is no database, and long enough to be read as one',
    );
    const text = await crib.execute('query_database', { path: 'notes.txt', query: 'SELECT 1' });
    expect(text.error?.code).toBe('EXECUTION_FAILED');
    const { error } = await crib.execute('query_database', { query: '', params: [{}] });
    expect(error?.issues?.map(({ path }) => path[0])).toEqual(['query', 'params']);
    const none = await crib.execute('query_database', { query: 'SELECT 1' });
    expect(none.error?.code).toBe('PERMISSION_DENIED');
  });
});

describe('threat: a query that does more than read', () => {
  it.each([
    'DELETE FROM items',
    "INSERT INTO items VALUES ('x', 1) RETURNING name",
    'DROP TABLE items',
    'CREATE TABLE t (a)',
    'CREATE TEMP TABLE t (a)',
    'PRAGMA user_version = 7',
    'PRAGMA query_only = OFF',
    'PRAGMA writable_schema = ON',
    'PRAGMA journal_mode = DELETE',
    "VACUUM INTO 'copy.db'",
    'VACUUM',
    "SELECT load_extension('x')",
    'BEGIN IMMEDIATE',
    'WITH x AS (SELECT 1) UPDATE items SET price = 0',
    'PRAGMA database_list',
  ])('hostile: %s', async (query) => {
    const before = names();
    expect(await rowsOf(query)).toBe('PERMISSION_DENIED');
    expect(names()).toEqual(before);
    expect(existsSync(join(root, 'copy.db'))).toBe(false);
  });

  it.each(['read', 'write'])('hostile: ATTACH reaches no other file in mode %s', async (mode) => {
    const outside = join(folder, 'outside.db');
    expect(await rowsOf('ATTACH ? AS other', { params: [outside], mode })).toBe(
      'PERMISSION_DENIED',
    );
    const fresh = join(root, 'fresh.db');
    expect(await rowsOf('ATTACH ? AS other', { params: [fresh], mode })).toBe('PERMISSION_DENIED');
    expect(await rowsOf('VACUUM INTO ?', { params: [fresh], mode })).toBe('PERMISSION_DENIED');
    expect(existsSync(fresh)).toBe(false);
  });

  it('hostile: neither a link nor another folder leads to a file outside', async () => {
    symlinkSync(join(folder, 'outside.db'), join(root, 'link.db'));
    for (const path of ['link.db', '../outside.db', join(folder, 'outside.db')]) {
      const { success, data } = await crib.execute('query_database', {
        path,
        query: 'SELECT x FROM secret',
      });
      expect([path, success, data]).toEqual([path, false, undefined]);
    }
  });

  it('hostile: a link that was put there after the check is noticed by what was opened', async () => {
    const link = join(root, 'late.db');
    symlinkSync(join(folder, 'outside.db'), link);
    const request = { query: 'SELECT x FROM secret', params: [], mode: 'read' as const };
    const limits = { maxRows: 10, maxBytes: 1000, timeout: 10_000 };
    const { signal } = new AbortController();
    const processes = openSqliteProcesses();
    const run = (path: string) =>
      runSqlite({ path, processes, signal, context: fakeContext() }, { ...request, ...limits });
    await expect(run(link)).rejects.toMatchObject({ code: 'SECURITY_VIOLATION' });
    expect((await run(join(folder, 'outside.db'))).rows).toEqual([{ x: 1 }]);
    await processes.close();
  });

  it.each([
    [
      'rows without end',
      'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT count(*) FROM r',
    ],
    [
      'a product of everything',
      'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 50000) SELECT count(*) FROM r a, r b, r c WHERE a.n + b.n = c.n',
    ],
  ])('hostile: %s is stopped at the time limit, and the host goes on', async (_what, query) => {
    const begun = performance.now();
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 10);
    const { error } = await ask(query, { timeout: 300 });
    clearInterval(ticking);
    expect(error?.code).toBe('TIMEOUT');
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(ticks).toBeGreaterThan(1);
  });

  it.each([
    ['one huge value', 'SELECT hex(zeroblob(500000000)) AS x'],
    [
      'a huge sort',
      "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT group_concat(printf('%.1000c', 'x')) AS x FROM r",
    ],
  ])(
    'hostile: %s stays within the memory of the child',
    async (_what, query) => {
      const { success, error } = await ask(query, { timeout: 3000 });
      expect([success, error?.code]).toEqual([
        false,
        expect.stringMatching(/OUTPUT_TOO_LARGE|EXECUTION_FAILED|TIMEOUT/),
      ]);
    },
    30_000,
  );

  it('a cancelled call ends its query', async () => {
    const abort = new AbortController();
    const query =
      'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT count(*) FROM r';
    const work = crib.execute(
      'query_database',
      { path: 'shop.db', query },
      { signal: abort.signal },
    );
    setTimeout(() => abort.abort(), 100);
    expect((await work).status).toBe('cancelled');
  });

  it('hostile: a view or trigger of the file cannot call what the query could not', async () => {
    onFile(join(root, 'shop.db'), "CREATE VIEW v AS SELECT load_extension('x') AS y");
    expect(await rowsOf('SELECT * FROM v')).toMatch(/PERMISSION_DENIED|VALIDATION_ERROR/);
  });
});
