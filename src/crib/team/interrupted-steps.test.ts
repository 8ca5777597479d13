import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compileProgram } from '../../../test/conformance/compile-program.ts';
import { QUIET } from '../../../test/fixtures/team-server.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { type CatalogStore, createTeamCatalog } from '../../governance/team/create-team-catalog.ts';
import { MAX_STEP_MS } from '../../governance/team/recorded-steps.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { createRuntime } from '../create-runtime.ts';
import { openUserKey } from '../user-folder.ts';

const TIME_LIMIT = 90_000;
const CHANGE = { action: 'put', entry: { kind: 'enforce', name: 'calculator' } } as const;

let compiled: { readonly folder: string; readonly program: string };
let folder = '';
beforeAll(() => {
  const program = join(import.meta.dirname, '../../../test/conformance/catalog-program.ts');
  compiled = compileProgram(program);
});
afterAll(() => rmSync(compiled.folder, { recursive: true }));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-team-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const home = () => join(folder, 'home');

/** Opens the catalog as a process does that starts when the time of every earlier step is over. */
const openLater = (store: CatalogStore, reviewers?: 'users') => {
  let count = 0;
  const newId = () => {
    count += 1;
    return `later-${count}`;
  };
  return createTeamCatalog({
    org: 'acme',
    newId,
    store: async () => store,
    reviewers,
    runtime: { now: () => Date.now() + MAX_STEP_MS, log: QUIET },
    key: () => openUserKey(home()),
    check: async () => [],
  });
};

describe('threats: a catalog whose process dies in the middle of a step', {
  timeout: TIME_LIMIT,
}, () => {
  it.each([
    ['before', 0, 'not_done'],
    ['after', 1, 'done'],
  ] as const)('shows a step that was killed %s the change', async (moment, proposals, effect) => {
    const path = join(folder, 'crib.db');
    const { signal } = spawnSync(process.execPath, [compiled.program, path, home(), moment]);
    expect(signal).toBe('SIGKILL');
    const store = await createSqliteStore({ path, runtime: createRuntime({ log: QUIET }) });
    try {
      const left = await store.audit.query({ tool: 'team_propose' });
      expect(left.map(({ status, userId }) => [status, userId])).toEqual([['started', 'local']]);
      const catalog = openLater(store);
      expect(await catalog.proposals()).toHaveLength(proposals);
      await catalog.propose(CHANGE, undefined, LOCAL_CALLER);
      const rows = (await store.audit.query({ tool: 'team_propose' })).toReversed();
      expect(rows.map(({ status, detail }) => [status, detail.step, detail.effect])).toEqual([
        ['started', 'the-id', undefined],
        ['unknown', 'the-id', effect],
        ['started', 'later-2', undefined],
        ['success', 'later-2', undefined],
      ]);
    } finally {
      await store.close();
    }
  });

  it('changes nothing of a catalog whose trail cannot be written', async () => {
    const store = createMemoryStore();
    const isOurs = { fails: false };
    const append: CatalogStore['audit']['append'] = async (entry) => {
      if (isOurs.fails) throw new ToolFailure('STORE_UNAVAILABLE', 'The disk is full.');
      await store.audit.append(entry);
    };
    const audit: CatalogStore['audit'] = { query: (filter) => store.audit.query(filter), append };
    const { memory, tokens } = store;
    const catalog = openLater({ memory, tokens, audit });
    const { id, digest } = await catalog.propose(CHANGE, undefined, LOCAL_CALLER);
    const other = { ...LOCAL_CALLER, userId: 'token:bob' };
    isOurs.fails = true;
    const steps = [
      () => catalog.propose(CHANGE, undefined, LOCAL_CALLER),
      () => catalog.decide(id, { approve: true, digest }, other),
      () => catalog.decide(id, { approve: false, digest }, other),
      () => catalog.publish({ renew: true }, other),
    ];
    for (const step of steps) await expect(step()).rejects.toThrow('The disk is full.');
    expect(await catalog.proposals()).toMatchObject([{ id, state: 'open' }]);
    expect(await catalog.bundle()).toBeUndefined();
    isOurs.fails = false;
    await catalog.decide(id, { approve: true, digest }, other);
    await catalog.publish({}, other);
    isOurs.fails = true;
    await expect(catalog.rollBack(1, undefined, other)).rejects.toThrow('The disk is full.');
    expect(await catalog.history()).toHaveLength(1);
  });

  it('lets only logged-in users review when the configuration requires it', async () => {
    const catalog = openLater(createMemoryStore(), 'users');
    const as = (userId: string) => ({ ...LOCAL_CALLER, userId });
    const { id, digest } = await catalog.propose(CHANGE, undefined, as('oidc:ada'));
    const decision = { approve: true, digest };
    const byToken = catalog.decide(id, decision, as('token:bob'));
    await expect(byToken).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await catalog.decide(id, decision, as('oidc:bob'))).toMatchObject({ state: 'approved' });
  });

  it('has a refused approval on the trail, with who tried it', async () => {
    const store = createMemoryStore();
    const catalog = openLater(store);
    const { id, digest } = await catalog.propose(CHANGE, undefined, LOCAL_CALLER);
    const own = catalog.decide(id, { approve: true, digest }, LOCAL_CALLER);
    await expect(own).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    const [row] = await store.audit.query({ tool: 'team_approve' });
    expect(row).toMatchObject({ status: 'failure', code: 'PERMISSION_DENIED', userId: 'local' });
  });
});
