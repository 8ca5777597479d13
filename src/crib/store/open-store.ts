/**
 * Opens the store of a crib. A database inside the project is used only if this user created it;
 * otherwise state is kept in the user's own folder, and the project's database is ignored.
 */
import { join, resolve } from 'node:path';
import { ignoreState } from '../../config/edit/ignore-state.ts';
import { FOLDER } from '../../config/load/find-config-files.ts';
import type { Config } from '../../config/schema.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Secrets } from '../../contract/secrets.ts';
import type { Store } from '../../contract/store.ts';
import { Seals } from '../../governance/approvals/seals.ts';
import type { SigningKey } from '../../governance/signing/open-signing-key.ts';
import { sealedTokens } from '../../governance/signing/sealed-tokens.ts';
import { isBelow } from '../../kit/file/segments-below.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { placeElsewhere, placeStore, type StoreLocation } from '../../trust/locate-store.ts';
import { noteOpened } from './note-opened.ts';
import { openPlace } from './open-place.ts';
import { pathInProject } from './path-in-project.ts';
import { assertSealKey } from './seal-key.ts';

export interface StoreOptions {
  readonly store?: 'memory' | { readonly sqlite: string } | { readonly postgres: string } | Store;
}

export interface OpenStoreDeps {
  readonly config: Pick<Config, 'store' | 'audit' | 'secrets'>;
  /** The project, absolute: relative paths of the configuration start here. */
  readonly project: string;
  /** The user's configuration folder. */
  readonly userDir: string;
  readonly runtime: Runtime;
  signingKey(): Promise<SigningKey>;
  /** Replaces the sources of secrets that the configuration names. */
  readonly secrets?: Secrets | undefined;
}

const IN_MEMORY = ':memory:';

/**
 * Returns the path in the project of a database that may have come with it; `undefined` for any other. A
 * program that names a file outside `.toolcrib` vouches for it.
 */
const pathWithProject = async (
  file: string,
  isNamed: boolean,
  project: string,
): Promise<string | undefined> => {
  const path = await pathInProject(project, file);
  const folder = isNamed ? join(project, FOLDER) : project;
  return path !== undefined && isBelow(folder, path) ? path : undefined;
};

const openSqlite = async (location: StoreLocation, deps: OpenStoreDeps): Promise<Store> => {
  const { createSqliteStore } = await import('../../stores/sqlite/create-sqlite-store.ts');
  const { runtime, config } = deps;
  const { path, identity } = location;
  const { syncEveryRecord } = config.audit;
  return createSqliteStore({ path, runtime, syncEveryRecord, identity });
};

const warnOfLocation = (
  { path, foreign, unrecorded }: StoreLocation,
  { runtime }: OpenStoreDeps,
): void => {
  if (foreign !== undefined) {
    const message = `The database of this project ${foreign}: nothing in it counts. State is kept in your own folder.`;
    runtime.log.warn(message, { path, next: 'if it is yours: toolcrib trust --store' });
  }
  if (unrecorded !== undefined) {
    const message = 'Your own folder cannot be written: the next process will not know this store.';
    runtime.log.warn(message, { why: unrecorded });
  }
};

interface LocatedStore {
  readonly store: Store;
  readonly location: StoreLocation;
}

/** Opens the store elsewhere when its identity is not the recorded one. */
const openLocated = async (location: StoreLocation, deps: OpenStoreDeps): Promise<LocatedStore> => {
  try {
    const store = await openSqlite(location, deps);
    warnOfLocation(location, deps);
    return { store, location };
  } catch (error) {
    const { ForeignStore } = await import('../../stores/sqlite/database/store-identity.ts');
    if (!(error instanceof ForeignStore)) throw error;
    return openLocated(placeElsewhere(location, deps.userDir), deps);
  }
};

const openProjectStore = async (file: string, deps: OpenStoreDeps): Promise<Store> => {
  const { project, userDir, runtime } = deps;
  const located = await placeStore(file, { userDir, projectDir: project, runtime });
  const { store, location } = await openLocated(located, deps);
  await noteOpened(location, deps);
  if (location.foreign === undefined) await ignoreState(file);
  return store;
};

const withSeals = (store: Store, { signingKey, runtime }: OpenStoreDeps): Store => ({
  ...store,
  tokens: sealedTokens(store.tokens, new Seals(signingKey, runtime.log)),
});

/** Opens the PostgreSQL store of an address, in which references to secrets are replaced. */
const openPostgres = async (url: string, deps: OpenStoreDeps): Promise<Store> => {
  const [{ createPostgresStore }, { resolveAddress }] = await Promise.all([
    import('../../stores/postgres/create-postgres-store.ts'),
    import('../resolve-address.ts'),
  ]);
  const { store, audit } = deps.config;
  const opened = await createPostgresStore({
    place: await openPlace(deps.userDir),
    url: await resolveAddress(url, 'store', deps),
    schema: store.schema,
    connections: store.connections,
    runtime: deps.runtime,
    syncEveryRecord: audit.syncEveryRecord,
  });
  try {
    await assertSealKey(opened, deps.signingKey);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
};

/**
 * Returns the store that the program chose, else that of the configuration, where an address counts
 * before a driver.
 */
const choiceOf = (
  chosen: StoreOptions['store'],
  { driver, path, url }: Config['store'],
): NonNullable<StoreOptions['store']> => {
  if (chosen !== undefined) return chosen;
  if (url !== undefined) return { postgres: url };
  return driver === 'memory' ? 'memory' : { sqlite: path };
};

export const openStore = async (
  chosen: StoreOptions['store'],
  deps: OpenStoreDeps,
): Promise<Store> => {
  const choice = choiceOf(chosen, deps.config.store);
  if (choice === 'memory') return createMemoryStore();
  if ('postgres' in choice) return withSeals(await openPostgres(choice.postgres, deps), deps);
  if (!('sqlite' in choice)) return choice;
  if (choice.sqlite === IN_MEMORY) return openSqlite({ path: IN_MEMORY }, deps);
  const file = resolve(deps.project, choice.sqlite);
  const inside = await pathWithProject(file, chosen !== undefined, deps.project);
  if (inside !== undefined) return withSeals(await openProjectStore(inside, deps), deps);
  const store = await openSqlite({ path: file }, deps);
  await ignoreState(file);
  return withSeals(store, deps);
};
