/** Which database a crib opens when its path leads into the project by a link. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import { configSchema } from '../../config/schema.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { createRuntime } from '../create-runtime.ts';
import { openStore, type StoreOptions } from './open-store.ts';

const runtime = createRuntime({
  log: {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  },
});

describe('a path of the store that leads into the project by a link', () => {
  let base: string;
  let project: string;
  let link: string;
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-link-')));
    project = join(base, 'project');
    link = join(base, 'link');
    mkdirSync(join(project, '.toolcrib'), { recursive: true });
    symlinkSync(project, link);
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const usersIn = async (path: string, chosen?: StoreOptions['store']) => {
    const signingKey = () => Promise.reject(new Error('not needed'));
    const config = configSchema.parse({ store: { path } });
    const userDir = join(base, 'user');
    const store = await openStore(chosen, { config, project, userDir, runtime, signingKey });
    const users = (await store.audit.query()).map(({ userId }) => userId);
    await store.audit.append({ ...auditEntry(), userId: 'me' });
    await store.close();
    return users;
  };

  it('hostile: does not open a database that came with the project', async () => {
    const planted = join(project, '.toolcrib', 'state.db');
    const store = await createSqliteStore({ path: planted, runtime });
    await store.audit.append({ ...auditEntry(), userId: 'planted' });
    await store.close();
    const path = join(link, '.toolcrib', 'state.db');
    expect(await usersIn(path)).toEqual([]);
    expect(await usersIn('unused.db', { sqlite: path })).toEqual(['me']);
  });

  it('opens the database that the user made there, by whatever path', async () => {
    const path = join('.toolcrib', 'state.db');
    expect(await usersIn(path)).toEqual([]);
    expect(await usersIn(join(link, path))).toEqual(['me']);
    expect(await usersIn('unused.db', { sqlite: join(link, path) })).toEqual(['me', 'me']);
  });
});
