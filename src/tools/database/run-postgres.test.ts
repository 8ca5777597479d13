/** query_database on a real PostgreSQL, through a whole crib. Skipped, visibly, where there is none. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openPostgres,
  type PostgresServer,
  postgresFolder,
} from '../../../test/fixtures/vendors/postgres-server.ts';
import { trailOf, vendorCrib } from '../../../test/fixtures/vendors/vendor-crib.ts';
import type { CallAs } from '../../contract/call-options.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { defineQueryDatabase } from './query-database.ts';
import type { QueryAnswer } from './query-request.ts';

const programs = postgresFolder();
if (programs === undefined) console.warn('PostgreSQL is not installed: its tests are skipped.');

describe.skipIf(programs === undefined)('query_database on PostgreSQL', () => {
  let server: PostgresServer;
  const judged: string[] = [];
  const tool = defineQueryDatabase({
    postgres: {
      resolveHost: async (host, port) => {
        judged.push(`${host}:${port}`);
        if (host === server.folder) return host;
        throw new ToolFailure('SECURITY_VIOLATION', 'The address may not be reached.');
      },
    },
  });
  const ask = async (query: string, more: object = {}, url = server.urlFor('reader')) => {
    const crib = await vendorCrib(tool, { keys: { DATABASE_URL: url } });
    const as: CallAs = {};
    const result = await crib.execute('query_database', { query, ...more }, as);
    const trail = await trailOf(crib);
    await crib.close();
    return { ...result, trail };
  };
  const rowsOf = async (query: string, more: object = {}) => {
    const { data, error } = await ask(query, more);
    return data ? (data as QueryAnswer).rows : error?.code;
  };

  beforeAll(async () => {
    server = await openPostgres(programs ?? '');
    await server.sql(`CREATE ROLE reader LOGIN; CREATE ROLE runner LOGIN;
      GRANT pg_execute_server_program TO runner;
      CREATE TABLE items (id int PRIMARY KEY, name text, price numeric);
      INSERT INTO items VALUES (1, 'lamp', 9.5), (2, 'nail', 0.1);
      GRANT ALL ON items TO reader; CREATE SEQUENCE numbers; GRANT ALL ON numbers TO reader;
      CREATE TABLE hidden (x int);`);
  }, 60_000);
  afterAll(() => server.close());

  it('reads with bound values, at the address that was judged', async () => {
    const params = ['lamp', "'; DROP TABLE items; --"];
    const query = 'SELECT name, price, $2::text AS given FROM items WHERE name = $1';
    expect((await ask(query, { params })).data).toEqual({
      columns: ['name', 'price', 'given'],
      rows: [{ name: 'lamp', price: '9.5', given: params[1] }],
      rowCount: 1,
      truncated: false,
    });
    expect(judged[0]).toBe(`${server.folder}:5432`);
  });

  it('keeps dates, bytes, large integers and columns of the same name', async () => {
    const query = `SELECT timestamptz '2026-01-15 12:00+00' AS t, '\\x00ff'::bytea AS b,
      9007199254740993::int8 AS n, 'NaN'::float8 AS f, null AS n, '{"a":[1]}'::jsonb AS j`;
    expect(await rowsOf(query)).toEqual([
      {
        t: '2026-01-15T12:00:00.000Z',
        b: { base64: 'AP8=' },
        n: '9007199254740993',
        f: 'NaN',
        'n:2': null,
        j: { a: [1] },
      },
    ]);
  });

  it('takes a page of a large answer and leaves the rest at the server', async () => {
    const begun = performance.now();
    const { data } = await ask('SELECT * FROM generate_series(1, 50000000) AS n', { maxRows: 3 });
    expect(data).toMatchObject({ rows: [{ n: 1 }, { n: 2 }, { n: 3 }], truncated: true });
    expect(performance.now() - begun).toBeLessThan(10_000);
    const small = await ask("SELECT repeat('x', 900) AS x FROM generate_series(1, 9)", {
      maxBytes: 2000,
    });
    expect(small.data).toMatchObject({ rowCount: 2, truncated: true });
    expect((await ask('SELECT 1 AS x WHERE false')).data).toMatchObject({
      rows: [],
      columns: ['x'],
    });
    expect(await rowsOf('EXPLAIN SELECT 1')).toHaveLength(1);
  });

  it('writes when declared', async () => {
    const query = 'UPDATE items SET price = price + $1 WHERE id = 2';
    const { data } = await ask(query, { params: [1], mode: 'write' });
    expect(data).toMatchObject({ rowCount: 1, rows: [] });
    expect(await server.sql('SELECT price FROM items WHERE id = 2')).toBe('1.1');
    const again = await ask("INSERT INTO items VALUES (1, 'x')", { mode: 'write' });
    expect(again.error?.code).toBe('CONFLICT');
  });

  it.each([
    ["DELETE FROM items WHERE name = 'lamp'", 'PERMISSION_DENIED'],
    ["INSERT INTO items VALUES (9, 'x', 1) RETURNING id", 'PERMISSION_DENIED'],
    ['WITH gone AS (DELETE FROM items RETURNING *) SELECT * FROM gone', 'PERMISSION_DENIED'],
    ["SELECT nextval('numbers')", 'PERMISSION_DENIED'],
    ['CREATE TABLE t (a int)', 'PERMISSION_DENIED'],
    ['DROP TABLE items', 'PERMISSION_DENIED'],
    ["COPY items TO PROGRAM 'touch /tmp/canary'", 'PERMISSION_DENIED'],
    ["SELECT pg_read_file('/etc/passwd')", 'PERMISSION_DENIED'],
    ['SELECT x FROM hidden', 'PERMISSION_DENIED'],
    ['COMMIT; DELETE FROM items', 'VALIDATION_ERROR'],
    ['SELEC 1', 'VALIDATION_ERROR'],
    ['SELECT * FROM nowhere', 'VALIDATION_ERROR'],
    ['SELECT 1 / 0', 'VALIDATION_ERROR'],
  ])('hostile: %s', async (query, code) => {
    expect(await rowsOf(query)).toBe(code);
    expect(await server.sql('SELECT count(*) FROM items')).toBe('2');
  });

  it.each(['SET TRANSACTION READ WRITE', 'COMMIT', 'SET default_transaction_read_only = off'])(
    'hostile: %s outlasts nothing',
    async (query) => {
      await ask(query);
      expect(await rowsOf('DELETE FROM items')).toBe('PERMISSION_DENIED');
    },
  );

  it.each(['boss', 'runner'])(
    'hostile: a role that can run programs (%s) is not used',
    async (user) => {
      const { error } = await ask('SELECT 1', {}, server.urlFor(user));
      expect(error).toMatchObject({
        code: 'PERMISSION_DENIED',
        message: expect.stringContaining('can run programs'),
      });
    },
  );

  it('stops at the time limit', async () => {
    expect(await rowsOf('SELECT pg_sleep(30)', { timeout: 200 })).toBe('TIMEOUT');
  });

  it('reaches no address that was not allowed, and keeps the password', async () => {
    const url = 'postgres://reader:hunter2-hunter2@10.1.2.3:5433/postgres';
    const { error, trail } = await ask('SELECT 1', {}, url);
    expect([error?.code, judged.at(-1)]).toEqual(['SECURITY_VIOLATION', '10.1.2.3:5433']);
    expect(trail).not.toContain('hunter2-hunter2');
  });

  it('says what is wrong with the connection', async () => {
    expect((await ask('SELECT 1', {}, 'mysql://x')).error?.code).toBe('CONFIG_INVALID');
    expect((await ask('SELECT 1', {}, server.urlFor('nobody'))).error?.code).toBe('AUTH_MISSING');
    const crib = await vendorCrib(tool);
    const { error } = await crib.execute('query_database', { query: 'SELECT 1' });
    expect(error?.code).toBe('AUTH_MISSING');
    await crib.close();
  });
});
