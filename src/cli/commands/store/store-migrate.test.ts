/** `toolcrib store migrate` on a real PostgreSQL: all of a store arrives, or nothing. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectKept, fill } from '../../../../test/conformance/store-persistence.ts';
import {
  AWKWARD_STRINGS,
  auditEntry,
  intentEntry,
  NOW,
  times,
} from '../../../../test/conformance/store-samples.ts';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { isPostgresMissing, usePostgres } from '../../../../test/fixtures/postgres-schemas.ts';
import { LOCAL_CALLER } from '../../../contract/caller.ts';
import type { FlowRun } from '../../../contract/flow-store.ts';
import type { Store } from '../../../contract/store.ts';
import { createRuntime } from '../../../crib/create-runtime.ts';
import { openPlace } from '../../../crib/store/open-place.ts';
import { verifyAuditLog } from '../../../governance/audit/verify-audit.ts';
import { openDatabase } from '../../../kit/sqlite/open-database.ts';
import { createSqliteStore } from '../../../stores/sqlite/create-sqlite-store.ts';
import { runCli } from '../../run-cli.ts';

let base = '';
let file = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'toolcrib-migrate-'));
  mkdirSync(join(base, 'project'));
  file = join(base, 'state.db');
});
afterEach(() => rmSync(base, { recursive: true }));

const run = async (args: readonly string[], env: Record<string, string> = {}) => {
  const { io, out, err } = fakeIo({
    cwd: join(base, 'project'),
    env: { HOME: base, TOOLCRIB_HOME: join(base, 'home'), ...env },
    json: args.includes('--json'),
  });
  const code = await runCli(['store', 'migrate', ...args], io);
  return { code, out: out(), err: err() };
};

const withSource = async (work: (store: Store) => Promise<unknown>): Promise<void> => {
  const store = await createSqliteStore({ path: file, runtime: createRuntime() });
  await work(store);
  await store.close();
};

const RUN: FlowRun = {
  id: 'run\0',
  epoch: 3,
  flow: 'report',
  version: '1.0.0',
  input: {},
  caller: LOCAL_CALLER,
  status: 'running',
  createdAt: NOW,
  updatedAt: NOW,
};

/** Things that only some tables have, under names that a careless copy confuses. */
const fillMore = async ({ memory, flows, tokens, grants, ledger }: Store): Promise<void> => {
  for (const key of [...AWKWARD_STRINGS, 'k'.repeat(9000)]) {
    await memory.write({ space: 'awkward', key, value: key });
    const scopes = [{ key: `budget:${key.slice(0, 50)}`, limitMicros: 5 }];
    await ledger.reserve({ executionId: `hold ${key.slice(0, 50)}`, scopes, amountMicros: 1 });
  }
  await flows.create(RUN);
  const step = { kind: 'call', name: 't', digest: 'd', state: 'done', startedAt: NOW } as const;
  await flows.record(RUN, [
    { ...step, key: 'b' },
    { ...step, key: 'a' },
  ]);
  await flows.send(RUN.id, { name: 'go', payload: 1, at: NOW });
  for (const id of ['one', 'two']) {
    const by = { createdAt: NOW, createdBy: 'local' };
    await tokens.add({ id, name: id, role: 'agent', hash: 'h', ...by });
    const grant = { subject: {}, resource: 'tool:x', actions: ['*'], skipsApproval: false };
    await grants.add({ id, ...grant, createdAt: NOW, by: 'me' });
  }
};

const expectMore = async ({ memory, flows, tokens, grants, ledger }: Store): Promise<void> => {
  for (const key of [...AWKWARD_STRINGS, 'k'.repeat(9000)]) {
    expect(await memory.read('awkward', key, NOW)).toBe(key);
  }
  const holds = (await ledger.orphans()).filter(({ executionId }) => /^hold /.test(executionId));
  expect(holds).toHaveLength(AWKWARD_STRINGS.length + 1);
  for (const { executionId } of holds) await ledger.release(executionId);
  expect((await ledger.lines('budget:')).every(({ heldMicros }) => heldMicros === 0)).toBe(true);
  expect((await flows.steps(RUN.id)).map(({ key }) => key)).toEqual(['b', 'a']);
  expect(await flows.send(RUN.id, { name: 'on', payload: 2, at: NOW })).toBe(true);
  expect((await flows.events(RUN.id)).map(({ name }) => name)).toEqual(['go', 'on']);
  const request = { now: NOW, flows: new Set(['report@1.0.0']), limit: 5 };
  expect(await flows.claim(request)).toMatchObject([{ id: RUN.id, epoch: 4 }]);
  expect((await tokens.list()).map(({ id }) => id)).toEqual(['two', 'one']);
  expect((await grants.list(NOW)).map(({ id }) => id)).toEqual(['two', 'one']);
};

describe.skipIf(isPostgresMissing())('toolcrib store migrate', () => {
  const { url, open, newSchema, server } = usePostgres();

  it('copies everything, with the same record, and claims of the old processes in doubt', async () => {
    await withSource(async (store) => {
      await fill(store);
      await fillMore(store);
    });
    const schema = newSchema();
    const { code, out } = await run([file, url(), '--schema', schema, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ auditRows: 2, head: { seq: 2 }, verified: true });
    const store = await open({ schema });
    await expectMore(store);
    await expectKept(store);
    await store.audit.append(auditEntry());
    expect(await verifyAuditLog(store.audit)).toMatchObject({ ok: true, rows: 3 });
    await store.close();
  });

  it('takes file and address from the configuration, and the password from the secrets', async () => {
    await server().sql("CREATE ROLE mover LOGIN PASSWORD 'a/b?c#d@e'");
    await server().sql('CREATE SCHEMA moved AUTHORIZATION mover');
    await server().askPasswordOf('mover');
    await withSource((store) =>
      Promise.all(times(1500, async () => store.audit.append(auditEntry()))),
    );
    const env = {
      TOOLCRIB_STORE_PATH: file,
      TOOLCRIB_STORE_URL: url().replace('boss@', `mover:\${secret:STORE_PASSWORD}@`),
      TOOLCRIB_STORE_SCHEMA: 'moved',
    };
    const missing = await run([], env);
    expect(missing.code).not.toBe(0);
    expect(missing.err).toContain('STORE_PASSWORD');
    process.env.STORE_PASSWORD = 'a/b?c#d@e';
    const { code, out, err } = await run([], env);
    delete process.env.STORE_PASSWORD;
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('1,500 rows');
    expect(out).not.toContain('mover');
  });

  it('hostile: copies the state of the user, not the database that came with the project', async () => {
    const planted = join(base, 'project', '.toolcrib', 'state.db');
    const store = await createSqliteStore({ path: planted, runtime: createRuntime() });
    await store.audit.append({ ...auditEntry(), userId: 'planted' });
    await store.close();
    const io = fakeIo({
      cwd: join(base, 'project'),
      env: { HOME: base, TOOLCRIB_HOME: join(base, 'home') },
    });
    expect(await runCli(['run', 'calculator', '{"expression":"6*7"}'], io.io)).toBe(0);
    const schema = newSchema();
    const env = { TOOLCRIB_STORE_URL: url(), TOOLCRIB_STORE_SCHEMA: schema };
    const { code, out } = await run(['--json'], env);
    expect([code, JSON.parse(out).from]).toEqual([0, expect.stringContaining(join(base, 'home'))]);
    const target = await open({ schema });
    const users = (await target.audit.query({})).map(({ userId }) => userId);
    expect([users.length > 0, users.includes('planted')]).toEqual([true, false]);
    await target.close();
    const named = await run(['.toolcrib/state.db', url(), '--schema', newSchema()]);
    expect(named.code).not.toBe(0);
    expect(named.err).toContain('was not made by you in this folder');
    const taken = await run(['.toolcrib/state.db', url(), '--schema', newSchema(), '--foreign']);
    expect([taken.code, taken.err]).toEqual([0, '']);
    expect(taken.out).toContain(planted);
  });

  it('refuses a target that holds data, and one whose copy would be the second', async () => {
    await withSource(async (store) => store.audit.append(auditEntry()));
    const schema = newSchema();
    expect((await run([file, url(), '--schema', schema])).code).toBe(0);
    const again = await run([file, url(), '--schema', schema]);
    expect(again.code).not.toBe(0);
    expect(again.err).toContain('holds data already');
  });

  it('keeps calls in doubt and snapshots as those of this machine', async () => {
    const snapshot = { path: '/a', before: undefined, beforeMode: undefined, afterHash: 'ab' };
    await withSource(async (store) => {
      await store.audit.append(intentEntry('doubtful'));
      await store.snapshots.save({ ...snapshot, executionId: 'doubtful', order: 0, keptAt: NOW });
    });
    const schema = newSchema();
    expect((await run([file, url(), '--schema', schema])).code).toBe(0);
    const seenFrom = async (place: string) => {
      const store = await open({ schema, place });
      const [intent] = await store.intents.open();
      const [kept] = await store.snapshots.of('doubtful');
      await store.close();
      return [intent?.isElsewhere, kept?.elsewhere !== undefined];
    };
    expect(await seenFrom(await openPlace(join(base, 'home')))).toEqual([false, false]);
    expect(await seenFrom('another host')).toEqual([true, true]);
  });

  it('refuses a source that a living process has claims in, and leaves the target empty', async () => {
    const store = await createSqliteStore({ path: file, runtime: createRuntime() });
    await store.audit.append(intentEntry('open'));
    const schema = newSchema();
    const { code, err } = await run([file, url(), '--schema', schema]);
    expect(code).not.toBe(0);
    expect(err).toContain(`The process ${process.pid} uses the store.`);
    await store.close();
    expect((await run([file, url(), '--schema', schema])).code).toBe(0);
  });

  it('refuses a source whose record was edited', async () => {
    await withSource((store) =>
      Promise.all(times(5, async () => store.audit.append(auditEntry()))),
    );
    const database = await openDatabase(file);
    database.exec("DROP TRIGGER audit_keeps_text; UPDATE audit SET tool = 'x' WHERE seq = 3");
    database.close();
    const schema = newSchema();
    const { code, err } = await run([file, url(), '--schema', schema]);
    expect(code).not.toBe(0);
    expect(err).toContain('does not verify');
    const store = await open({ schema });
    expect(await store.audit.head()).toBeUndefined();
    await store.close();
  });

  it.each([
    ['a file that is not there', ['nowhere.db', 'postgres://u@127.0.0.1:1/d'], 'no store'],
    ['a server that is not there', ['../state.db', 'postgres://u:pw@127.0.0.1:1/d'], 'reached'],
    ['no address', ['../state.db'], 'The target of the copy is missing'],
    ['a bad schema', ['../state.db', 'postgres://u@h/d', '--schema', 'A;'], 'schema'],
  ])('says what is wrong with %s', async (_, args, words) => {
    await withSource(async (store) => store.audit.append(auditEntry()));
    const { code, err } = await run(args);
    expect(code).not.toBe(0);
    expect(err).toContain(words);
    expect(err).not.toContain('pw@');
  });
});
