/** Which database file is copied: the user's own, never one that came with the project. */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import { defaultConfig } from '../../config/schema.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { createRuntime } from '../create-runtime.ts';
import { locateSource } from './locate-source.ts';
import { openStore } from './open-store.ts';

const runtime = createRuntime();
let base: string;
let project: string;
let userDir: string;
let file: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-source-')));
  project = join(base, 'project');
  userDir = join(base, 'user');
  file = join(project, '.toolcrib', 'state.db');
  mkdirSync(join(project, '.toolcrib'), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const config = defaultConfig();

/** Uses the store of the project as a crib does. */
const useProject = async (): Promise<void> => {
  const signingKey = () => Promise.reject(new Error('not needed'));
  const store = await openStore(undefined, { config, project, userDir, runtime, signingKey });
  await store.audit.append(auditEntry());
  await store.close();
};

const plant = async (path: string): Promise<void> => {
  const store = await createSqliteStore({ path, runtime });
  await store.audit.append(auditEntry());
  await store.close();
};

const locate = (named?: string, foreign = false) =>
  locateSource({ named, foreign }, { config, project, userDir, runtime });

describe('the database that is copied', () => {
  it('is that of the project when the user made it there, named or not', async () => {
    await useProject();
    for (const named of [undefined, file]) {
      const { file: source, foreign } = await locate(named);
      expect([source.path, foreign]).toEqual([file, undefined]);
      expect(source.identity).toMatchObject({ id: expect.any(String) });
    }
  });

  it("hostile: is the one in the user's folder when another came with the project", async () => {
    await plant(file);
    const planted = readFileSync(file);
    const filesOf = () => readdirSync(join(project, '.toolcrib'));
    // Its log may be removed a moment after it was closed.
    const files = filesOf();
    await useProject();
    const source = await locate();
    expect(source.file.path.startsWith(join(userDir, 'stores'))).toBe(true);
    expect(source.foreign).toContain('was not made by you');
    expect(readFileSync(file).equals(planted)).toBe(true);
    expect(files).toEqual(expect.arrayContaining(filesOf()));
  });

  it('hostile: is not a database that was put in the place of the one of the user', async () => {
    await useProject();
    const other = join(base, 'other.db');
    await plant(other);
    for (const ending of ['-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
    copyFileSync(other, file);
    expect((await locate()).file.path.startsWith(join(userDir, 'stores'))).toBe(true);
    await expect(locate(file)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('hostile: a file of the project that the user names is refused unless it is said to be foreign', async () => {
    await plant(file);
    await expect(locate(file)).rejects.toMatchObject({ code: 'CONFLICT' });
    const link = join(project, 'link.db');
    symlinkSync(file, link);
    await expect(locate(link)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await locate(file, true)).toEqual({ file: { path: file } });
  });

  it.each([
    ['the project', '', '.toolcrib/state.db'],
    ['its folder', '.toolcrib', 'state.db'],
    ['the file', '.toolcrib/state.db', ''],
  ])(
    'hostile: a file of the project that the user names by a link to %s is refused',
    async (_, target, rest) => {
      await plant(file);
      const link = join(base, 'link');
      symlinkSync(join(project, target), link);
      const named = join(link, rest);
      await expect(locate(named)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await locate(named, true)).toEqual({ file: { path: named } });
    },
  );

  it('hostile: a file that is named by its real path is one of a project that was opened by a link', async () => {
    await plant(file);
    const link = join(base, 'link');
    symlinkSync(project, link);
    const deps = { config, project: link, userDir, runtime };
    const located = locateSource({ named: file, foreign: false }, deps);
    await expect(located).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('is that of the user in the project, named by a link to it, with its identity', async () => {
    await useProject();
    const link = join(base, 'link');
    symlinkSync(project, link);
    const { file: source, foreign } = await locate(join(link, '.toolcrib', 'state.db'));
    expect([source.path, foreign]).toEqual([file, undefined]);
    expect(source.identity).toMatchObject({ id: expect.any(String) });
  });

  it('is any file outside of the project that the user names', async () => {
    const named = join(base, 'backup.db');
    expect(await locate(named)).toEqual({ file: { path: named } });
  });

  describe('that the user names from another folder', () => {
    const elsewhere = (named: string, foreign = false) => {
      const away = join(base, 'away');
      mkdirSync(away, { recursive: true });
      return locateSource({ named, foreign }, { config, project: away, userDir, runtime });
    };

    it.each([
      ['it lies in the folder .toolcrib of a project', '.toolcrib/state.db'],
      ['it lies deeper in that folder', '.toolcrib/old/state.db'],
      ['it lies in a folder .TOOLCRIB', '.TOOLCRIB/state.db'],
      ['it lies elsewhere in a project', 'data/state.db'],
    ])('threat: is refused unless it is said to be foreign: %s', async (_, name) => {
      const planted = join(project, name);
      mkdirSync(dirname(planted), { recursive: true });
      writeFileSync(join(project, '.toolcrib', 'config.yml'), '');
      await plant(planted);
      const link = join(base, 'link.db');
      symlinkSync(planted, link);
      const before = readFileSync(planted);
      for (const named of [planted, link]) {
        await expect(elsewhere(named)).rejects.toMatchObject({ code: 'CONFLICT' });
        expect(await elsewhere(named, true)).toEqual({ file: { path: named } });
      }
      expect(readFileSync(planted).equals(before)).toBe(true);
    });

    it('is the one that the user made in that project, with its identity', async () => {
      await useProject();
      const { file: source, foreign } = await elsewhere(file);
      expect([source.path, foreign]).toEqual([file, undefined]);
      expect(source.identity).toMatchObject({ id: expect.any(String) });
    });

    it('is the one of a project that the user has moved', async () => {
      await useProject();
      const moved = join(base, 'moved');
      renameSync(project, moved);
      const { file: source } = await elsewhere(join(moved, '.toolcrib', 'state.db'));
      expect(source.identity).toMatchObject({ id: expect.any(String) });
    });

    it('is a backup in no project, and the state that is kept in the folder of the user', async () => {
      const backup = join(base, 'backups', 'state.db');
      mkdirSync(join(base, 'backups'));
      await plant(backup);
      const own = join(userDir, 'stores', 'key', 'state.db');
      mkdirSync(dirname(own), { recursive: true });
      await plant(own);
      for (const named of [backup, own]) {
        expect(await elsewhere(named)).toEqual({ file: { path: named } });
      }
    });
  });
});
