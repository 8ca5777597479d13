import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/fixtures/eventually.ts';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { AuditEntry, AuditRow } from '../../contract/audit.ts';
import type { ToolContext } from '../../contract/context.ts';
import { toolError } from '../../contract/errors.ts';
import type { Store } from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { openDatabase } from '../../kit/sqlite/open-database.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { reconcile } from './reconcile.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'toolcrib-reconcile-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const intent = (executionId: string): AuditEntry => ({
  kind: 'intent',
  executionId,
  at: 1,
  tool: 'change',
  version: '1.0.0',
  tier: 'write',
  userId: 'local',
  agentId: 'local',
  sessionId: 'local',
  status: 'started',
  code: '',
  durationMs: 0,
  costMicros: 0,
  detail: {},
});

/** A store as a crash leaves it: the process that claimed its intents and holds is gone. */
const afterCrash = (store: Store): Store => ({
  ...store,
  intents: {
    open: async () =>
      (await store.intents.open()).map((each) => ({
        ...each,
        ...{ ownerAlive: false, ownerEnded: true },
      })),
    conclude: async (outcome) => {
      await store.audit.append(outcome);
      return true;
    },
  },
  ledger: {
    reserve: (reservation) => store.ledger.reserve(reservation),
    covers: (wanted) => store.ledger.covers(wanted),
    extend: (id, more) => store.ledger.extend(id, more),
    tally: (counts) => store.ledger.tally(counts),
    settle: (id, actual) => store.ledger.settle(id, actual),
    release: (id) => store.ledger.release(id),
    endOrphan: async (id, actual) => {
      await (actual ? store.ledger.settle(id, actual) : store.ledger.release(id));
      return true;
    },
    lines: (prefix) => store.ledger.lines(prefix),
    orphans: async () => [
      { executionId: 'begun', scopes: [], amountMicros: 100 },
      { executionId: 'begun:free', scopes: [], amountMicros: 0 },
      { executionId: 'not-begun', scopes: [], amountMicros: 100 },
    ],
  },
});

/** A tool that changes files and nothing else by itself. */
const change = aTool({
  name: 'change',
  tier: 'write',
  sandboxed: true,
  needs: { paths: [{ path: '.', access: 'write' }] },
});

/** Keeps an idempotency key for a call that was interrupted; says later whether the key is free. */
const withKey = async (store: Store, executionId: string) => {
  const claim = { key: 'k', digest: 'd', executionId, now: 1 };
  await store.replays.claim(claim);
  const { metadata } = await (await testCrib([])).execute('none', {});
  const error = toolError('CANCELLED', 'Cut off.', { inDoubt: executionId });
  const doubtful = { success: false, status: 'cancelled', error, metadata } as const;
  await store.replays.finish({ key: 'k', executionId }, doubtful, 1000);
  return async () => (await store.replays.claim(claim)).state === 'new';
};

/** Keeps what a file held before each write of a call; the last of these contents was never written. */
const keepWrites = async (store: Store, executionId: string, contents: readonly string[]) => {
  const path = join(root, 'a.txt');
  for (const [order, before] of contents.slice(0, -1).entries()) {
    await writeFile(path, before);
    await store.snapshots.save({
      ...{ executionId, order, path, beforeMode: 0o644, keptAt: 0 },
      ...{ before: Buffer.from(before), afterHash: sha256Hex(contents[order + 1] ?? '') },
    });
  }
};

describe('after a crash', () => {
  it('each call is done, not done or unknown, by what its files say', async () => {
    const store = createMemoryStore();
    const files = { done: 'after', not_done: 'before', unknown: 'something else' };
    for (const [id, content] of Object.entries(files)) {
      const path = join(root, `${id}.txt`);
      await writeFile(path, content);
      await store.audit.append(intent(id));
      const before = Buffer.from('before');
      await store.snapshots.save({
        executionId: id,
        order: 0,
        path,
        before,
        beforeMode: 0o644,
        keptAt: 0,
        afterHash: sha256Hex('after'),
      });
    }
    await store.audit.append(intent('no-trace'));
    const crib = await testCrib([change], { root, store: afterCrash(store) });
    for (const id of Object.keys(files)) {
      expect(await crib.executions.status(id)).toMatchObject({ state: 'failed', effect: id });
    }
    expect(await crib.executions.status('no-trace')).toMatchObject({ effect: 'unknown' });
    expect(await store.intents.open()).toEqual([]);
    expect(crib.runtime.logged.some(({ message }) => message.includes('interrupted'))).toBe(true);
  });

  it.each([
    ['frees its key where the broker saw all that the tool can change', true, true],
    ['keeps its key where the tool may have reached something else', false, false],
  ] as const)('a call that changed no file %s', async (_what, reachesOnlyFiles, isFreed) => {
    const store = createMemoryStore();
    const isFree = await withKey(store, 'e');
    await store.audit.append(intent('e'));
    await keepWrites(store, 'e', ['before', 'after']);
    const concluded = await reconcile({
      store: afterCrash(store),
      now: () => 2,
      inspect: async () => 'not_done',
      reachesOnlyFiles: () => reachesOnlyFiles,
    });
    const effect = isFreed ? 'not_done' : 'unknown';
    expect(concluded).toEqual([{ executionId: 'e', effect }]);
    expect(await isFree()).toBe(isFreed);
  });

  it('benign: a call of a killed process on SQLite frees its key when it wrote its one file not at all', async () => {
    const path = join(root, 'crib.db');
    const killed = await createSqliteStore({ path, runtime: createRuntime() });
    const claim = { key: 'k', digest: 'd', executionId: 'e', now: 1 };
    await killed.replays.claim(claim);
    await killed.audit.intend([intent('e')], [claim]);
    await keepWrites(killed, 'e', ['before', 'after']);
    const database = await openDatabase(path);
    // Its pid is that of another process now.
    database.exec("UPDATE owners SET started = '1'");
    database.close();
    const store = await createSqliteStore({ path, runtime: createRuntime() });
    const crib = await testCrib([change], { root, store });
    expect(await crib.executions.status('e')).toMatchObject({ effect: 'not_done' });
    expect(await store.replays.claim({ ...claim, executionId: 'next' })).toEqual({ state: 'new' });
    await Promise.all([store.close(), killed.close()]);
  });

  it('threat: a call whose process may only be silent is unknown, and keeps its key', async () => {
    const store = createMemoryStore();
    const isFree = await withKey(store, 'e');
    await store.audit.append(intent('e'));
    await keepWrites(store, 'e', ['before', 'after']);
    const crashed = afterCrash(store);
    const open = async () =>
      (await crashed.intents.open()).map((each) => ({ ...each, ownerEnded: false }));
    const silent = { ...crashed, intents: { ...crashed.intents, open } };
    const crib = await testCrib([change], { root, store: silent });
    expect(await crib.executions.status('e')).toMatchObject({ effect: 'unknown' });
    expect(await isFree()).toBe(false);
  });

  it('threat: a call that called another tool is unknown and keeps its key, although its file is as before', async () => {
    const store = createMemoryStore();
    const send = aTool({ name: 'send', tier: 'write', run: () => 'sent' });
    let kill = (): void => undefined;
    const killed = new Promise<void>((resolve) => {
      kill = resolve;
    });
    const run = async (_input: unknown, { call }: ToolContext) => {
      await call('send', {});
      await killed;
    };
    const crib = await testCrib([{ ...change, run } as Tool, send], { root, store });
    const first = crib.execute('change', {});
    const executionId = await eventually(async () => {
      const [sent] = await store.audit.query({ tool: 'send', kind: 'outcome' });
      expect(sent).toMatchObject({ status: 'success' });
      return String(sent?.detail.parent);
    });
    const isFree = await withKey(store, executionId);
    await keepWrites(store, executionId, ['before', 'after']);
    const next = await testCrib([change, send], { root, store: afterCrash(store) });
    expect(await next.executions.status(executionId)).toMatchObject({ effect: 'unknown' });
    expect(await isFree()).toBe(false);
    kill();
    await first;
  });

  it('threat: a call is unknown that was killed before its second write of a file that it had changed', async () => {
    const store = createMemoryStore();
    const isFree = await withKey(store, 'e');
    await store.audit.append(intent('e'));
    await keepWrites(store, 'e', ['first', 'second', 'third']);
    const crib = await testCrib([change], { root, store: afterCrash(store) });
    expect(await crib.executions.status('e')).toMatchObject({ effect: 'unknown' });
    expect(await isFree()).toBe(false);
  });

  it('threat: a call is unknown where the trail is too long to be searched for calls that it made', async () => {
    const store = createMemoryStore();
    await store.audit.append(intent('e'));
    await keepWrites(store, 'e', ['before', 'after']);
    const [row] = await store.audit.query();
    const scan = async function* () {
      for (let page = 0; page < 101; page++)
        yield Array.from({ length: 1000 }, () => row as AuditRow);
    };
    const crashed = afterCrash(store);
    const audit = new Proxy(crashed.audit, {
      get: (target, name) => (name === 'scan' ? scan : Reflect.get(target, name)),
    });
    const crib = await testCrib([change], { root, store: { ...crashed, audit } });
    expect(await crib.executions.status('e')).toMatchObject({ effect: 'unknown' });
  });

  it('threat: a call of another machine is unknown, whatever the files of this one say', async () => {
    const store = createMemoryStore();
    const path = join(root, 'a.txt');
    await writeFile(path, 'before');
    await store.audit.append(intent('far'));
    const before = Buffer.from('before');
    const kept = { executionId: 'far', order: 0, path, before, beforeMode: 0o644, keptAt: 0 };
    await store.snapshots.save({ ...kept, afterHash: sha256Hex('after') });
    const crashed = afterCrash(store);
    const open = async () =>
      (await crashed.intents.open()).map((each) => ({ ...each, isElsewhere: true }));
    const elsewhere = { ...crashed, intents: { ...crashed.intents, open } };
    const crib = await testCrib([], { root, store: elsewhere });
    expect(await crib.executions.status('far')).toMatchObject({ effect: 'unknown' });
  });

  it('temporary files of an interrupted write are removed, those of a living process stay', async () => {
    const store = createMemoryStore();
    const path = join(root, 'a.txt');
    await writeFile(path, 'before');
    await store.audit.append(intent('torn'));
    await store.snapshots.save({
      executionId: 'torn',
      order: 0,
      path,
      before: Buffer.from('before'),
      beforeMode: 0o644,
      keptAt: 0,
      afterHash: sha256Hex('after'),
    });
    for (const name of ['.toolcrib-tmp-old', '.toolcrib-tmp-young', 'other']) {
      await writeFile(join(root, name), 'x');
    }
    const runtime = fakeRuntime();
    const at = (ageMs: number) => new Date(runtime.now() - ageMs);
    await utimes(join(root, '.toolcrib-tmp-old'), at(120_000), at(120_000));
    await utimes(join(root, '.toolcrib-tmp-young'), at(1000), at(1000));
    await testCrib([], { root, store: afterCrash(store), runtime });
    expect((await readdir(root)).toSorted()).toEqual(['.toolcrib-tmp-young', 'a.txt', 'other']);
  });

  it('money: a call that began is booked, one that did not is released', async () => {
    const store = createMemoryStore();
    const scopes = [{ key: 'user:local:day', limitMicros: 1000 }];
    for (const executionId of ['begun', 'not-begun']) {
      await store.ledger.reserve({ executionId, scopes, amountMicros: 100 });
    }
    await store.audit.append(intent('begun'));
    await (await testCrib([], { root, store: afterCrash(store) })).store();
    expect(await store.ledger.lines('user:')).toMatchObject([{ spentMicros: 100, heldMicros: 0 }]);
  });

  it('calls of a living process are left alone', async () => {
    const store = createMemoryStore();
    await store.audit.append(intent('elsewhere'));
    const crib = await testCrib([], { root, store });
    expect(await crib.executions.status('elsewhere')).toMatchObject({ state: 'running' });
    expect(await store.intents.open()).toHaveLength(1);
  });
});
