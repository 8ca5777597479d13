/**
 * A database that came with a cloned folder has no authority: not its tokens, grants, stored results,
 * budgets, labels or memory. The user's own goes on working, also when its folder is moved.
 */
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fakeIo } from '../../test/fixtures/fake-io.ts';
import { runCli } from '../cli/run-cli.ts';
import type { CribHost } from '../contract/crib-host.ts';
import { defineTool } from '../contract/define-tool.ts';
import { openDatabase } from '../kit/sqlite/open-database.ts';
import { createSqliteStore } from '../stores/sqlite/create-sqlite-store.ts';
import { createTokenService } from '../surfaces/http/auth/token-service.ts';
import { createCribHost } from './create-crib.ts';
import { createRuntime } from './create-runtime.ts';
import type { CribOptions } from './crib-options.ts';

let base = '';
const cribs: CribHost[] = [];
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-planted-')));
  mkdirSync(join(base, 'clone'));
});
afterEach(async () => {
  for (const crib of cribs.splice(0)) await crib.close();
  rmSync(base, { recursive: true, force: true });
});

const warnings: string[] = [];
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message: string) => void warnings.push(message),
  error: () => undefined,
};
beforeEach(() => void warnings.splice(0));

const runs: string[] = [];
beforeEach(() => void runs.splice(0));

const send = defineTool({
  name: 'send',
  description: 'Sends.',
  tier: 'write',
  input: z.object({ text: z.string() }),
  output: z.object({ sent: z.string() }),
  run: async ({ text }) => {
    runs.push(text);
    return { sent: text };
  },
});

const open = async (who: string, folder = 'clone', more: Partial<CribOptions> = {}) => {
  const crib = await createCribHost({
    root: join(base, folder),
    home: join(base, who),
    builtins: false,
    tools: [send],
    policy: { version: 1, rules: [{ name: 'send', effect: 'allow', tools: ['send'] }] },
    runtime: { log },
    ...more,
  });
  cribs.push(crib);
  return crib;
};

const closeAll = async (): Promise<void> => {
  for (const crib of cribs.splice(0)) await crib.close();
};

const auditServiceOf = (crib: CribHost) =>
  createTokenService({
    runtime: createRuntime(),
    randomBytes: (size) => randomBytes(size),
    tokens: async () => (await crib.store()).tokens,
  });

const labelOf = async (crib: CribHost): Promise<string> => (await crib.store()).label;
const inProject = (folder = 'clone'): string => join(base, folder, '.toolcrib', 'state.db');

/** What the maker of the folder puts into its database. */
const plant = async (): Promise<string> => {
  const crib = await open('maker');
  const { token } = await auditServiceOf(crib).create({ name: 'boss', role: 'admin' }, 'maker');
  await crib.permissions.grant({
    subject: {},
    resource: 'tool:*',
    actions: ['*'],
    skipsApproval: true,
    by: 'maker',
  });
  const call = { idempotencyKey: 'k1', userId: 'user' };
  await crib.execute('send', { text: 'hello' }, call);
  await (await crib.store()).memory.write({ space: 's', key: 'k', value: 'planted' });
  await closeAll();
  runs.splice(0);
  warnings.splice(0);
  return token;
};

describe('a database that came with the folder', () => {
  it('gives no access by its tokens and grants, and replays no stored result', async () => {
    const token = await plant();
    const before = readFileSync(inProject());
    const crib = await open('user');
    expect(await auditServiceOf(crib).verify(token)).toBeUndefined();
    expect(await auditServiceOf(crib).list()).toEqual([]);
    expect(await crib.permissions.list()).toEqual([]);
    const call = { idempotencyKey: 'k1', userId: 'user' };
    await crib.execute('send', { text: 'hello' }, call);
    expect(runs).toEqual(['hello']);
    expect(await (await crib.store()).memory.read('s', 'k', Date.now())).toBeUndefined();
    expect(await labelOf(crib)).toContain(join(base, 'user', 'stores'));
    expect(warnings.filter((line) => line.includes('nothing in it counts'))).toHaveLength(1);
    await closeAll();
    expect(readFileSync(inProject())).toEqual(before);
  });

  it('keeps the state of such a project in the user folder from one start to the next', async () => {
    await plant();
    const first = await open('user');
    const { token } = await auditServiceOf(first).create({ name: 'mine', role: 'agent' }, 'user');
    await closeAll();
    expect(await auditServiceOf(await open('user')).verify(token)).toMatchObject({ name: 'mine' });
  });

  it('is not used when a program names the default path itself', async () => {
    const token = await plant();
    const crib = await open('user', 'clone', { store: { sqlite: inProject() } });
    expect(await auditServiceOf(crib).verify(token)).toBeUndefined();
    expect(await labelOf(crib)).toContain(join(base, 'user', 'stores'));
  });

  it.each(['-wal', '-journal'])('is not used when only a planted %s is there', async (suffix) => {
    mkdirSync(join(base, 'clone', '.toolcrib'));
    writeFileSync(`${inProject()}${suffix}`, randomBytes(4096));
    expect(await labelOf(await open('user'))).toContain(join(base, 'user', 'stores'));
    expect(statSync(`${inProject()}${suffix}`).size).toBe(4096);
  });

  it('is not used when it replaces the database that the user made at the same place', async () => {
    await closeAfter(open('user'));
    rmSync(join(base, 'clone', '.toolcrib'), { recursive: true });
    const token = await plant();
    const crib = await open('user');
    expect(await auditServiceOf(crib).verify(token)).toBeUndefined();
    expect(await labelOf(crib)).toContain(join(base, 'user', 'stores'));
  });

  it.each(['state.db', 'state.db-wal', 'state.db-shm', 'state.db-journal'])(
    'does not write through a link named %s',
    async (name) => {
      mkdirSync(join(base, 'clone', '.toolcrib'));
      const target = join(base, 'victim');
      symlinkSync(target, join(base, 'clone', '.toolcrib', name));
      expect(await labelOf(await open('user'))).toContain(join(base, 'user', 'stores'));
      expect(existsSync(target)).toBe(false);
    },
  );

  it('does not write through a folder that is a link', async () => {
    mkdirSync(join(base, 'victim'));
    symlinkSync(join(base, 'victim'), join(base, 'clone', '.toolcrib'));
    expect(await labelOf(await open('user'))).toContain(join(base, 'user', 'stores'));
    expect(readdirSync(join(base, 'victim'))).toEqual([]);
  });
});

const closeAfter = async (opening: Promise<CribHost>): Promise<void> => {
  await (await opening).store();
  await closeAll();
};

describe('a log planted beside the database of the user', () => {
  it('is not applied to the database', async () => {
    const first = await open('user');
    await (await first.store()).memory.write({ space: 's', key: 'k', value: 'mine' });
    await closeAll();
    // A log that another database left: it belongs to pages of the same numbers.
    const other = await createSqliteStore({
      path: join(base, 'other.db'),
      runtime: createRuntime(),
    });
    await other.memory.write({ space: 's', key: 'k', value: 'planted' });
    // As an archive or a pull puts it there: a file of its own.
    rmSync(`${inProject()}-wal`, { force: true });
    copyFileSync(join(base, 'other.db-wal'), `${inProject()}-wal`);
    await other.close();
    const crib = await open('user');
    expect(await (await crib.store()).memory.read('s', 'k', Date.now())).toBeUndefined();
    expect(await labelOf(crib)).toContain(join(base, 'user', 'stores'));
    await closeAll();
    rmSync(`${inProject()}-wal`);
    const again = await open('user');
    expect(await (await again.store()).memory.read('s', 'k', Date.now())).toBe('mine');
  });

  it('is told apart from the log that a killed process of the user left', async () => {
    const alive = await open('user');
    await (await alive.store()).memory.write({ space: 's', key: 'k', value: 'mine' });
    expect(statSync(`${inProject()}-wal`).size).toBeGreaterThan(0);
    const beside = await open('user');
    expect(await labelOf(beside)).toBe(`sqlite at ${inProject()}`);
    expect(await (await beside.store()).memory.read('s', 'k', Date.now())).toBe('mine');
  });
});

describe('the database of the user', () => {
  it('lies in the project, and its tokens count in every process of the user', async () => {
    const crib = await open('user');
    const { token } = await auditServiceOf(crib).create({ name: 'mine', role: 'admin' }, 'user');
    expect(await labelOf(crib)).toBe(`sqlite at ${inProject()}`);
    expect(await auditServiceOf(await open('user')).verify(token)).toMatchObject({ role: 'admin' });
    await closeAll();
    expect(await auditServiceOf(await open('user')).verify(token)).toMatchObject({ role: 'admin' });
    expect(warnings).toEqual([]);
  });

  it('is made once when many processes start at once', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => open('user')));
    const labels = await Promise.all(all.map(labelOf));
    expect(new Set(labels)).toEqual(new Set([`sqlite at ${inProject()}`]));
  });

  it('goes on working when its folder is renamed', async () => {
    const { token } = await auditServiceOf(await open('user')).create(
      { name: 'm', role: 'agent' },
      'user',
    );
    await closeAll();
    renameSync(join(base, 'clone'), join(base, 'renamed'));
    const crib = await open('user', 'renamed');
    expect(await auditServiceOf(crib).verify(token)).toMatchObject({ name: 'm' });
    expect(await labelOf(crib)).toBe(`sqlite at ${inProject('renamed')}`);
    await closeAll();
    expect(await labelOf(await open('user', 'renamed'))).toBe(`sqlite at ${inProject('renamed')}`);
  });

  it('is taken over from a copy when the user says so, with toolcrib trust --store', async () => {
    const { token } = await auditServiceOf(await open('user')).create(
      { name: 'm', role: 'agent' },
      'user',
    );
    await closeAll();
    cpSync(join(base, 'clone'), join(base, 'copy'), { recursive: true });
    expect(await auditServiceOf(await open('user', 'copy')).verify(token)).toBeUndefined();
    await closeAll();
    const env = { HOME: base, TOOLCRIB_HOME: join(base, 'user') };
    const asked = fakeIo({ cwd: join(base, 'copy'), env });
    expect(await runCli(['trust', '--store'], asked.io)).toBe(2);
    const { io, out } = fakeIo({ cwd: join(base, 'copy'), env });
    expect(await runCli(['trust', '--store', '--yes'], io)).toBe(0);
    expect(out()).toContain('is used from now on');
    for (const _again of [1, 2]) {
      const crib = await open('user', 'copy');
      expect(await auditServiceOf(crib).verify(token)).toMatchObject({ name: 'm' });
      expect(await labelOf(crib)).toBe(`sqlite at ${inProject('copy')}`);
      await closeAll();
    }
  });

  it('is taken over by toolcrib trust --store when the configuration names it by a link', async () => {
    await plant();
    symlinkSync(join(base, 'clone'), join(base, 'link'));
    const path = join(base, 'link', '.toolcrib', 'state.db');
    mkdirSync(join(base, 'user'), { recursive: true });
    writeFileSync(join(base, 'user', 'config.yml'), `store: { path: ${JSON.stringify(path)} }\n`);
    const env = { HOME: base, TOOLCRIB_HOME: join(base, 'user') };
    const { io, out } = fakeIo({ cwd: join(base, 'clone'), env });
    expect(await runCli(['trust', '--store', '--yes'], io)).toBe(0);
    expect(out()).toContain(`${inProject()} is used from now on`);
    expect(await labelOf(await open('user'))).toBe(`sqlite at ${inProject()}`);
  });

  it('that was adopted still ignores rows that the user did not seal', async () => {
    const token = await plant();
    const env = { HOME: base, TOOLCRIB_HOME: join(base, 'user') };
    const { io } = fakeIo({ cwd: join(base, 'clone'), env });
    expect(await runCli(['trust', '--store', '--yes'], io)).toBe(0);
    const crib = await open('user');
    expect(await labelOf(crib)).toBe(`sqlite at ${inProject()}`);
    expect(await auditServiceOf(crib).verify(token)).toBeUndefined();
    expect(await auditServiceOf(crib).list()).toEqual([]);
    await auditServiceOf(crib).verify(token);
    expect(warnings.filter((line) => line.includes('without your seal'))).toHaveLength(1);
  });

  it('gives no access by a token whose role was changed in the file', async () => {
    const { token } = await auditServiceOf(await open('user')).create(
      { name: 'm', role: 'viewer' },
      'user',
    );
    await closeAll();
    const database = await openDatabase(inProject());
    database.exec("UPDATE tokens SET record = json_set(record, '$.role', 'admin')");
    database.close();
    expect(await auditServiceOf(await open('user')).verify(token)).toBeUndefined();
  });

  it('may be placed by a program outside of .toolcrib', async () => {
    const store = { sqlite: join(base, 'clone', 'mine.db') };
    await closeAfter(open('user', 'clone', { store }));
    expect(await labelOf(await open('other', 'clone', { store }))).toContain('mine.db');
  });
});
