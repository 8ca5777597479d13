/** `audit.retentionDays` on a real store: old rows go by themselves, and the rest can be verified. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditEntry, intentEntry, times } from '../../../test/conformance/store-samples.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { trustAround } from '../../../test/fixtures/trust-project.ts';
import type { Logger } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { loadConfig } from '../../trust/load-config.ts';
import { createCribHost } from '../create-crib.ts';
import { createRuntime } from '../create-runtime.ts';
import type { CribOptions } from '../crib-options.ts';
import { auditService } from './audit-files.ts';

const DAY_MS = 24 * 3_600_000;

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-retention-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

const home = (): string => join(folder, 'home');
const path = (): string => join(folder, 'crib.db');
const desk = () => auditService(home());

const withStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
  const store = await createSqliteStore({ path: path(), runtime: createRuntime() });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};

/** Two rows for each, so many days old, the oldest first. */
const fill = (ages: readonly number[]): Promise<void> =>
  withStore(async ({ audit }) => {
    const now = createRuntime().now();
    await Promise.all(
      ages.map(async (days, index) => {
        const facts = { executionId: `e${index}`, at: now - days * DAY_MS };
        const intended = audit.append(intentEntry(facts.executionId, facts));
        await audit.append(auditEntry(facts));
        await intended;
      }),
    );
  });

const warnings: string[] = [];
const log: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message) => warnings.push(message),
  error: (message) => warnings.push(message),
};
beforeEach(() => {
  warnings.length = 0;
});

/** As a short command does it: opened, one call, closed. */
const oneCall = async (options: CribOptions): Promise<void> => {
  const crib = await createCribHost({
    builtins: false,
    tools: [aTool()],
    store: { sqlite: path() },
    home: home(),
    root: folder,
    runtime: { log },
    ...options,
  });
  expect(await crib.execute('echo', {})).toMatchObject({ success: true });
  await crib.close();
};

/** What the processes on the store go by. */
const mark = () =>
  withStore(({ memory }) => memory.read('["audit-retention"]', 'last', createRuntime().now()));
const rows = () => withStore(({ audit }) => audit.query());
const verify = () =>
  withStore((store) => desk().verify({ store, files: [], checkpointFiles: [], publicKeys: [] }));

describe('audit.retentionDays', () => {
  it('removes older rows after a call, records that, and the rest verifies', async () => {
    await fill([400, 100, 31, 29, 0]);
    await oneCall({ config: { audit: { retentionDays: 30 } } });
    const left = await rows();
    expect(left.filter(({ executionId }) => /^e[012]$/.test(executionId))).toEqual([]);
    expect(left.filter(({ executionId }) => /^e[34]$/.test(executionId))).toHaveLength(4);
    expect(left[0]).toMatchObject({
      kind: 'event',
      tool: 'audit_prune',
      detail: { pruned: 6, throughSeq: 6, setting: 'audit.retentionDays' },
    });
    expect(await verify()).toMatchObject({ ok: true, rows: 6, checkpoints: 1 });
    expect(warnings).toEqual([]);
  });

  it('prunes once a day, however many calls are made', async () => {
    await fill([100]);
    const config = { audit: { retentionDays: 30 } };
    await oneCall({ config });
    const first = await mark();
    expect(first).toMatchObject({ at: expect.any(Number) });
    await oneCall({ config });
    expect(await mark()).toEqual(first);
    expect((await rows()).filter(({ kind }) => kind === 'event')).toHaveLength(1);
  });

  it('is enforced by one of several cribs that share a store', async () => {
    await fill(times(300, () => 100));
    const config = { audit: { retentionDays: 30 } };
    await Promise.all(times(4, () => oneCall({ config })));
    const left = await rows();
    expect(left.filter(({ executionId }) => executionId.startsWith('e'))).toEqual([]);
    const told = left.filter(({ kind }) => kind === 'event').map(({ detail }) => detail.pruned);
    expect(told.reduce<number>((sum, count) => sum + Number(count), 0)).toBe(600);
    expect(await verify()).toMatchObject({ ok: true });
    expect(warnings).toEqual([]);
  });

  it('removes nothing and makes no key when it is not set', async () => {
    await fill([4000, 0]);
    await oneCall({});
    expect(await rows()).toHaveLength(5);
    expect(existsSync(home())).toBe(false);
  });

  it('keeps a call in doubt and all later rows', async () => {
    await fill([100]);
    await withStore(async (store) => {
      await store.audit.append(intentEntry('open', { at: createRuntime().now() - 90 * DAY_MS }));
      await oneCall({ config: { audit: { retentionDays: 30 } } });
    });
    const left = (await rows()).map(({ executionId }) => executionId);
    expect([left.includes('open'), left.includes('e0')]).toEqual([true, false]);
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('continues pruning where a short command had to stop', async () => {
    await fill(times(1200, () => 100));
    const config = { audit: { retentionDays: 30 } };
    await oneCall({ config });
    expect((await rows()).length).toBeGreaterThan(1000);
    expect(await mark()).toBeUndefined();
    await oneCall({ config });
    await oneCall({ config });
    expect((await rows()).filter(({ executionId }) => executionId.startsWith('e'))).toHaveLength(0);
    expect(await verify()).toMatchObject({ ok: true });
    expect(warnings).toEqual([]);
  });

  it('does not fail a call when pruning fails', async () => {
    await fill([100]);
    mkdirSync(join(home(), 'keys', 'signing.pem'), { recursive: true });
    await oneCall({ config: { audit: { retentionDays: 30 } } });
    expect(warnings).toEqual(['Old rows of the record could not be forgotten.']);
    expect(await rows()).toHaveLength(3);
  });

  it('stores no checkpoint of a store that ends with its process', async () => {
    await oneCall({ config: { audit: { retentionDays: 30 } }, store: 'memory' });
    const crib = await createCribHost({ builtins: false, store: 'memory', home: home() });
    await desk().checkpoint(await crib.store(), 1);
    await crib.close();
    expect(existsSync(join(home(), 'checkpoints.jsonl'))).toBe(false);
  });
});

describe('audit.retentionDays set by a project', () => {
  const settingsOf = async (project: string, user?: string) => {
    const cwd = join(folder, 'project');
    mkdirSync(join(cwd, '.toolcrib'), { recursive: true });
    mkdirSync(home(), { recursive: true });
    writeFileSync(join(cwd, '.toolcrib', 'config.yml'), project);
    if (user !== undefined) writeFileSync(join(home(), 'config.yml'), user);
    const place = { cwd, env: { HOME: folder, TOOLCRIB_HOME: home() } };
    await trustAround(place);
    return (await loadConfig(place)).config;
  };
  const days = (count: number): string => `audit:\n  retentionDays: ${count}\n`;

  it.each([
    ['cannot begin to forget', days(1), undefined, 2],
    ['cannot forget sooner than the user', days(1), days(200), 2],
    ['can keep longer than the user', days(200), days(30), 2],
    ['is not needed for the user’s own', '{}\n', days(30), 0],
  ])('%s', async (_what, project, user, kept) => {
    await fill([100]);
    await oneCall({ settings: await settingsOf(project, user) });
    const left = (await rows()).filter(({ executionId }) => executionId === 'e0');
    expect(left).toHaveLength(kept);
  });
});
