/** query_database on a real PostgreSQL, through a whole crib. Skipped, visibly, where there is none. */
import { connect, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../../test/fixtures/local-site.ts';
import {
  openPostgres,
  type PostgresServer,
  postgresFolder,
} from '../../../test/fixtures/vendors/postgres-server.ts';
import { trailOf, vendorCrib } from '../../../test/fixtures/vendors/vendor-crib.ts';
import { defineQueryDatabase } from './query-database.ts';
import type { QueryAnswer } from './query-request.ts';

const programs = postgresFolder();
if (programs === undefined)
  console.warn('Skipped: PostgreSQL is not installed (Debian: apt-get install postgresql).');

/** PostgreSQL over TCP, in front of the socket that the server listens on. */
const relayTo = (path: string) =>
  serve(
    createServer((client) => {
      const upstream = connect(path);
      client.pipe(upstream).pipe(client);
      upstream.on('error', () => client.destroy());
    }),
    'localhost',
  );

describe.skipIf(programs === undefined)('query_database on PostgreSQL', () => {
  let server: PostgresServer;
  const tool = defineQueryDatabase({ hosts: ['localhost', '10.1.2.3'] });
  const ask = async (
    query: string,
    more: object = {},
    { url = server.urlFor('reader'), allowPrivate = ['localhost'] } = {},
  ) => {
    const keys = { DATABASE_URL: url };
    const crib = await vendorCrib(tool, { keys, config: { egress: { allowPrivate } } });
    const result = await crib.execute('query_database', { query, ...more });
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
      CREATE TABLE hidden (x int); CREATE EXTENSION tablefunc; CREATE EXTENSION xml2;`);
  }, 60_000);
  afterAll(() => server.close());

  it.each([
    ['SELECT $1::int AS a, $2::int AS b', [1]],
    ['SELECT $1::int AS a', [1, 2]],
    ['SELECT 1 AS a', [1]],
    ['SELECT $1::int AS a', []],
  ])('%s with %j is refused: the number of values does not fit', async (query, params) => {
    const { error } = await ask(query, { params });
    expect(error?.code).toBe('VALIDATION_ERROR');
  });

  it('reads with bound values', async () => {
    const params = ['lamp', "'; DROP TABLE items; --"];
    const query = 'SELECT name, price, $2::text AS given FROM items WHERE name = $1';
    expect((await ask(query, { params })).data).toEqual({
      columns: ['name', 'price', 'given'],
      rows: [{ name: 'lamp', price: '9.5', given: params[1] }],
      rowCount: 1,
      truncated: false,
    });
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

  it('reads one page of a large answer and leaves the rest on the server', async () => {
    const begun = performance.now();
    const { data } = await ask('SELECT * FROM generate_series(1, 50000000) AS n', { maxRows: 3 });
    expect(data).toMatchObject({ rows: [{ n: 1 }, { n: 2 }, { n: 3 }], truncated: true });
    expect(performance.now() - begun).toBeLessThan(60_000);
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

  it('writes in mode write', async () => {
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
    ['COPY items TO STDOUT', 'PERMISSION_DENIED'],
    ["DO 'BEGIN PERFORM pg_notify(''a'', ''b''); END'", 'PERMISSION_DENIED'],
    [
      "/* x */ DO 'BEGIN EXECUTE ''SELECT pg_cancel'' || ''_backend(1)''; END'",
      'PERMISSION_DENIED',
    ],
    ["/* /* x */ */ DO 'BEGIN PERFORM pg_notify(''a'', ''b''); END'", 'PERMISSION_DENIED'],
    ['LISTEN items', 'PERMISSION_DENIED'],
    ["SELECT dblink_connect('host=evil.example')", 'PERMISSION_DENIED'],
    ["SELECT query_to_xml('SELECT pg_' || 'notify(1, 2)', true, true, '')", 'PERMISSION_DENIED'],
    ['SELECT pg_stat_reset()', 'PERMISSION_DENIED'],
    ["SELECT pg_logical_emit_message(false, 'a', 'b')", 'PERMISSION_DENIED'],
    ["SELECT U&\"pg\\005fnotify\"('a', 'b')", 'PERMISSION_DENIED'],
    ['COMMIT; DELETE FROM items', 'VALIDATION_ERROR'],
    ['SELEC 1', 'VALIDATION_ERROR'],
    ['SELECT * FROM nowhere', 'VALIDATION_ERROR'],
    ['SELECT 1 / 0', 'VALIDATION_ERROR'],
  ])('hostile: %s', async (query, code) => {
    expect(await rowsOf(query)).toBe(code);
    expect(await server.sql('SELECT count(*) FROM items')).toBe('2');
  });

  it.each([
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = current_user',
    'SELECT "pg_terminate_backend" (pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = current_user',
    'SELECT pg_terminate_backend/**/(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = current_user',
    `SELECT ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, ''b''::tsquery FROM (SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = current_user OFFSET 0) s WHERE pg_' || 'terminate_backend(pid)')`,
    `SELECT * FROM crosstab('SELECT ''a''::text, ''b''::text, pg_' || 'terminate_backend(pid)::text FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = current_user') AS t(a text, b text)`,
    `SELECT * FROM connectby('(SELECT pid, 1 AS up, pg_' || 'terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = current_user) t', 'pid', 'up', '1', 0) AS t(a int, b int, c int)`,
    `SELECT * FROM xpath_table('1', 'pg_' || 'terminate_backend(pid)::text', 'pg_stat_activity', '/x', 'pid <> pg_backend_pid() AND usename = current_user') AS t(a int, b text)`,
  ])('threat: a read-only query ends no session of somebody else: %s', async (query) => {
    const other = new pg.Client({ connectionString: server.urlFor('reader') });
    other.on('error', () => undefined);
    await other.connect();
    expect(await rowsOf(query)).toBe('PERMISSION_DENIED');
    expect((await other.query('SELECT 1 AS alive')).rows).toEqual([{ alive: 1 }]);
    await other.end();
  });

  it.each([
    "SELECT query FROM pg_stat_activity WHERE query LIKE '%pg_terminate_backend%'",
    'WITH http_requests(id) AS (SELECT 1) SELECT id FROM http_requests',
    'SHOW server_version',
    'EXPLAIN SELECT name FROM items',
    'VALUES (1), (2)',
    '(SELECT 1 AS a) UNION (SELECT 2)',
    '-- first\nSELECT 1 AS document',
    'TABLE items',
  ])('benign: %s is read', async (query) => {
    expect(Array.isArray(await rowsOf(query))).toBe(true);
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
      const { error } = await ask('SELECT 1', {}, { url: server.urlFor(user) });
      expect(error).toMatchObject({
        code: 'PERMISSION_DENIED',
        message: expect.stringContaining('can run programs'),
      });
    },
  );

  it('stops at the time limit', async () => {
    expect(await rowsOf('SELECT pg_sleep(30)', { timeout: 200 })).toBe('TIMEOUT');
  });

  it('connects over TCP to the address that was checked', async () => {
    const relay = await relayTo(`${server.folder}/.s.PGSQL.5432`);
    const url = `postgres://reader@localhost:${relay.port}/postgres`;
    const { data, trail } = await ask('SELECT 1 AS one', {}, { url });
    await relay.close();
    expect(data).toMatchObject({ rows: [{ one: 1 }] });
    expect(relay.sockets()).toBe(1);
    expect(trail).toContain(`tcp://localhost:${relay.port}`);
  });

  it.each([
    ['a private address that is not opened', 'reader:hunter2-hunter2@10.1.2.3:5433', []],
    ['a host that was not named', 'reader:hunter2-hunter2@db.example.com', ['localhost']],
    ['a socket, where this machine is not opened', '', []],
  ])('hostile: %s is not reached, and the password kept', async (_what, address, allowPrivate) => {
    const url = address === '' ? server.urlFor('reader') : `postgres://${address}/postgres`;
    const { error, trail } = await ask('SELECT 1', {}, { url, allowPrivate });
    expect(error).toMatchObject({
      code: 'PERMISSION_DENIED',
      suggestions: [expect.stringContaining('services.postgres.hosts')],
    });
    expect(trail).not.toContain('hunter2-hunter2');
  });

  it('hostile: a server that is not configured is not reached', async () => {
    const keys = { DATABASE_URL: server.urlFor('reader') };
    const crib = await vendorCrib(defineQueryDatabase(), { keys });
    const { error } = await crib.execute('query_database', { query: 'SELECT 1' });
    expect(error?.message).toBe('This crib reaches no PostgreSQL server.');
    await crib.close();
  });

  it('says what is wrong with the connection', async () => {
    const codeAt = async (url: string) => (await ask('SELECT 1', {}, { url })).error?.code;
    expect(await codeAt('mysql://x')).toBe('CONFIG_INVALID');
    expect(await codeAt(server.urlFor('nobody'))).toBe('AUTH_MISSING');
    const crib = await vendorCrib(tool);
    const { error } = await crib.execute('query_database', { query: 'SELECT 1' });
    expect(error?.code).toBe('AUTH_MISSING');
    await crib.close();
  });
});
