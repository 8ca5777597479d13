/** Opening, migrating and failing: what is wrong is said, what is not ours is left, no password leaks. */
import { inspect } from 'node:util';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { auditEntry, NOW, times } from '../../../test/conformance/store-samples.ts';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { isPostgresMissing, usePostgres } from '../../../test/fixtures/postgres-schemas.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import { type FlowRun, MAX_EVENTS } from '../../contract/flow-store.ts';
import { verifyAudit } from '../../governance/audit/verify-audit.ts';
import { createPostgresStore } from './create-postgres-store.ts';

const PASSWORD = 'pa55-w0rd/#?@';
const ENCODED = encodeURIComponent(PASSWORD);

const failureOf = async (work: Promise<unknown> | undefined): Promise<unknown> => {
  try {
    await work;
    return 'opened';
  } catch (error) {
    return error;
  }
};

const openAt = (url: string, schema = 'toolcrib') =>
  failureOf(createPostgresStore({ url, schema, runtime: fakeRuntime() }));

describe('the address of a PostgreSQL store', () => {
  it.each([
    ['no address of PostgreSQL', 'mysql://u@h/d'],
    ['a password with an unescaped #', 'postgres://u:12#3@h/d'],
    ['a password with an unescaped ?', 'postgres://u:12?3@h/d'],
    ['a password with an unescaped /', 'postgres://u:12/3@h/d'],
    ['nothing', ''],
  ])('is refused when it is %s, and not repeated', async (_, url) => {
    const failure = await openAt(url);
    expect(failure).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(inspect(failure, { depth: 9 })).not.toMatch(/12[#?/]3/);
  });

  it.each(['Toolcrib', 'a b', 'a"; DROP TABLE x; --', 'pg_temp', '1a', ''])(
    'hostile: the schema name %j is refused',
    async (schema) => {
      expect(await openAt('postgres://u@127.0.0.1:1/d', schema)).toMatchObject({
        code: 'CONFIG_INVALID',
      });
    },
  );

  it('of a missing server fails with STORE_UNAVAILABLE, retryable, with what to do', async () => {
    const failure = await openAt(`postgres://u:${ENCODED}@127.0.0.1:1/d`);
    expect(failure).toMatchObject({ code: 'STORE_UNAVAILABLE', extras: { retryable: true } });
    expect(inspect(failure, { depth: 9 })).not.toContain(ENCODED);
    expect(inspect(failure, { depth: 9 })).toContain('store.url');
  });
});

describe.skipIf(isPostgresMissing())('a PostgreSQL store', () => {
  const { server, url, open, newSchema } = usePostgres();

  it('says host, database and schema, and neither user nor password', async () => {
    const store = await open({ schema: 'named' });
    expect(store.label).toContain('/postgres, schema named');
    expect(store.label).not.toContain('boss');
    await store.close();
  });

  it('a wrong or missing password is CONFIG_INVALID, and is in no error', async () => {
    await server().sql(`CREATE ROLE locked LOGIN PASSWORD '${PASSWORD}'`);
    await server().sql('CREATE SCHEMA own AUTHORIZATION locked');
    await server().askPasswordOf('locked');
    const at = (password: string) => server().urlFor(`locked:${password}`);
    for (const wrong of ['wrong-w0rd', '']) {
      const failure = await openAt(at(wrong), 'own');
      expect(failure).toMatchObject({ code: 'CONFIG_INVALID' });
      expect(inspect(failure, { depth: 9 })).not.toContain('wrong-w0rd');
    }
    const store = await createPostgresStore({
      url: at(ENCODED),
      schema: 'own',
      runtime: fakeRuntime(),
    });
    await store.audit.append(auditEntry());
    await store.close();
    // It may not make a schema.
    expect(await openAt(at(ENCODED), 'other')).toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('a database that does not exist is CONFIG_INVALID', async () => {
    const failure = await openAt(url().replace('/postgres?', '/nowhere?'));
    expect(failure).toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('tables of another program are left alone', async () => {
    await server().sql('CREATE SCHEMA foreign_one; CREATE TABLE foreign_one.audit (x int)');
    expect(await openAt(url(), 'foreign_one')).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await server().sql('SELECT count(*) FROM foreign_one.audit')).toBe('0');
  });

  it('a schema of a newer version is refused', async () => {
    const schema = newSchema();
    await (await open({ schema })).close();
    await server().sql(`UPDATE ${schema}.store_schema SET version = 99`);
    const failure = await openAt(url(), schema);
    expect(failure).toMatchObject({ code: 'STORE_UNAVAILABLE', extras: { retryable: false } });
    expect(String(failure)).toContain('99');
  });

  it('forgets events of an earlier version that a step on record has taken, and no others', async () => {
    const schema = newSchema();
    await (await open({ schema })).close();
    const step = {
      key: '1',
      kind: 'event',
      name: 'go',
      eventId: 1,
      value: { eventId: 2, nul: '\u0000' },
    };
    await server().sql(`SET search_path = ${schema}; UPDATE store_schema SET version = 6;
      INSERT INTO flow_events (run_id, record) VALUES ('a', '{}'), ('a', '{}'), ('b', '{}');
      INSERT INTO flow_steps (run_id, key, record) VALUES ('a', '1', '${JSON.stringify(step)}')`);
    const store = await open({ schema });
    expect(await store.flows.events('a')).toEqual([{ id: 2 }]);
    expect(await store.flows.events('b')).toEqual([{ id: 3 }]);
    await store.close();
  });

  it.each([
    ['the id of an event that waits', { text: '{"kind":"event","eventId":2,', eventId: 2 }],
    ['a number that no id can be', { eventId: '100000000000000000000' }],
    ['text that ends its own', { text: '\\","eventId":2,"', list: [{ eventId: 2 }] }],
  ])('hostile: is migrated whatever a tool has answered, such as %s', async (_, value) => {
    const schema = newSchema();
    await (await open({ schema })).close();
    const call = { key: 'a"b', kind: 'call', name: 'fetch', state: 'done' };
    const step = { ...call, value: { kind: 'event', ...value } };
    const scalar = { ...call, key: 'c', value: '\\\\","kind":"event","eventId":2,"' };
    const records = [step, scalar].map((each) =>
      JSON.stringify(each).replace('"100000000000000000000"', '100000000000000000000'),
    );
    await server().sql(`SET search_path = ${schema}; UPDATE store_schema SET version = 6;
      INSERT INTO flow_events (run_id, record) VALUES ('a', '{}'), ('a', '{}');
      INSERT INTO flow_steps (run_id, key, record)
      VALUES ('a', 'b', '${records[0]}'), ('a', 'c', '${records[1]}')`);
    const store = await open({ schema });
    expect(await store.flows.events('a')).toEqual([{ id: 1 }, { id: 2 }]);
    await store.close();
  });

  it('a process of an earlier version can send events, and gives up where a run has too many', async () => {
    const schema = newSchema();
    const store = await open({ schema });
    const run = { id: 'run', epoch: 1, flow: 'f', version: '1.0.0', input: {}, status: 'waiting' };
    const at = { createdAt: NOW, updatedAt: NOW };
    await store.flows.create({ ...run, ...at, caller: LOCAL_CALLER } as FlowRun);
    const send = (): Promise<string> => {
      const op = JSON.stringify({ op: 'exchange', id: 'run', revision: 1, event: '{}' });
      const me = JSON.stringify({ id: 'old', place: 'p', pid: 1, leaseMs: 30_000 });
      return server().sql(`SELECT ${schema}.apply_flows('[${op}]', '${me}')`);
    };
    expect([await send(), await send()]).toEqual(['"done"', '"done"']);
    await server().sql(`INSERT INTO ${schema}.flow_events (run_id, record)
      SELECT 'run', '{}' FROM generate_series(1, ${MAX_EVENTS - 2})`);
    // It knows no "full", and takes this for a run that takes no events any more.
    expect(await send()).toBe('"held"');
    expect(await store.flows.events('run')).toHaveLength(MAX_EVENTS);
    await store.close();
  });

  it('ten stores that open at once make one schema', async () => {
    const schema = newSchema();
    const stores = await Promise.all(times(10, () => open({ schema, connections: 2 })));
    await Promise.all(stores.map(async ({ audit }) => audit.append(auditEntry())));
    expect(await stores[0]?.audit.head()).toMatchObject({ seq: 10 });
    await Promise.all(stores.map((store) => store.close()));
  });

  it('works again after the server was restarted, and names the fault meanwhile', async () => {
    const store = await open();
    await store.audit.append(auditEntry());
    await server().stop('SIGINT');
    const failure = await failureOf(store.audit.append(auditEntry()));
    await expect(store.audit.query()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await server().start();
    expect(failure).toMatchObject({ code: 'STORE_UNAVAILABLE', extras: { retryable: true } });
    await store.audit.append(auditEntry());
    expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true, rows: 2 });
    await store.close();
    await expect(store.audit.append(auditEntry())).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      extras: { retryable: false },
    });
  }, 60_000);

  it('fails what is under way when its connection breaks, and nothing after it', async () => {
    const store = await open();
    await store.audit.append(auditEntry());
    const cut = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE application_name = 'toolcrib'`;
    await server().sql(cut);
    await failureOf(store.audit.append(auditEntry()));
    await store.audit.append(auditEntry());
    expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true });
    await store.close();
  });

  it('waits its time for a write group that somebody holds, then says that the store is locked', async () => {
    const schema = newSchema();
    const store = await open({ schema, lockTimeoutMs: 200 });
    const somebody = new pg.Client({ connectionString: url() });
    await somebody.connect();
    await somebody.query(`BEGIN; UPDATE ${schema}.lanes SET version = version`);
    const failure = await failureOf(store.audit.append(auditEntry()));
    expect(failure).toMatchObject({ code: 'STORE_UNAVAILABLE', extras: { retryable: true } });
    expect(String(failure)).toContain('locked');
    await somebody.query('COMMIT');
    await somebody.end();
    await store.audit.append(auditEntry());
    await store.close();
  });

  it('hostile: rows of the trail can be neither edited, deleted nor truncated', async () => {
    const schema = newSchema();
    const store = await open({ schema });
    await store.audit.append(auditEntry());
    for (const sql of ['UPDATE audit SET tool = 1', 'DELETE FROM audit', 'TRUNCATE audit']) {
      const text = sql.replace('audit', `${schema}.audit`);
      await expect(server().sql(text)).rejects.toThrow('append-only');
    }
    await store.close();
  });

  it('one operation that the server cannot take fails alone', async () => {
    const store = await open();
    const long = 'x'.repeat(500_000).replaceAll('x', () => Math.random().toString(36).slice(2, 6));
    const reserve = (executionId: string, key: string) =>
      store.ledger.reserve({ executionId, scopes: [{ key, limitMicros: 9 }], amountMicros: 1 });
    const outcomes = await Promise.allSettled([
      reserve('a', 'user:a'),
      reserve('b', long),
      reserve('c', 'user:c'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'STORE_UNAVAILABLE' } });
    await store.close();
  });

  it('takes keys of any length, and tells two long ones apart', async () => {
    const store = await open();
    const keys = ['a', 'b'].map((end) => 'k'.repeat(100_000) + end);
    for (const key of keys) await store.memory.write({ space: key, key, value: key.at(-1) });
    for (const key of keys) {
      expect(await store.memory.read(key, key, NOW)).toBe(key.at(-1));
      expect(await store.counters.hit(key, [{ sizeMs: 10, limit: 1 }], NOW)).toEqual({ ok: true });
      const request = { key, digest: key, executionId: 'e', now: NOW };
      expect(await store.replays.claim(request)).toEqual({ state: 'new' });
      await store.audit.intend([auditEntry()], [{ key, executionId: 'e' }]);
    }
    await store.close();
  });

  it('an intent under a key that another execution took over is refused', async () => {
    const store = await open();
    const claim = (executionId: string) => ({ key: 'k', digest: 'd', executionId, now: 1 });
    await store.replays.claim(claim('frozen'));
    await store.replays.abandon('k', 'frozen');
    await store.replays.claim(claim('other'));
    const late = store.audit.intend([auditEntry()], [{ key: 'k', executionId: 'frozen' }]);
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await store.audit.query()).toEqual([]);
    await store.close();
  });

  it('marks what other processes wrote, and not what it wrote itself', async () => {
    const schema = newSchema();
    const [one, other] = [await open({ schema }), await open({ schema })];
    await one.audit.append(auditEntry());
    const before = await one.mark?.();
    await one.audit.append(auditEntry());
    const own = await one.mark?.();
    expect(own).toEqual({ foreignVersion: before?.foreignVersion, lastSeq: 2 });
    await other.audit.append(auditEntry());
    const foreign = await one.mark?.();
    expect(foreign?.lastSeq).toBe(3);
    expect(foreign?.foreignVersion).not.toBe(own?.foreignVersion);
    await Promise.all([one.close(), other.close()]);
  });

  it('an anchor that somebody changed is read as one without a signature', async () => {
    const schema = newSchema();
    const store = await open({ schema });
    await store.audit.append(auditEntry());
    const head = await store.audit.head();
    const note = { version: 1, at: 1, store: 's', publicKey: 'p', signature: 'x' } as const;
    await store.audit.prune({ ...note, seq: 1, hash: head?.hash ?? '' });
    await server().sql(`UPDATE ${schema}.audit_anchor SET checkpoint = 'no JSON'`);
    expect(await store.audit.anchor()).toMatchObject({ seq: 1, hash: '', signature: '' });
    await store.audit.append(auditEntry());
    expect(await store.audit.head()).toMatchObject({ seq: 2 });
    await store.close();
  });
});
