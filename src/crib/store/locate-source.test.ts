/** Which database file is copied: the user's own, never one that came with the project. */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

  it('is any file outside of the project that the user names', async () => {
    const named = join(base, 'backup.db');
    expect(await locate(named)).toEqual({ file: { path: named } });
  });
});
