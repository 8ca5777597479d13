/**
 * Opens the store of a crib. A database inside the project is used only when this user made it there;
 * otherwise the state is kept in the user's own folder, and nothing of the other one counts.
 */
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ignoreState } from '../config/edit/ignore-state.ts';
import { FOLDER } from '../config/load/find-config-files.ts';
import type { Config } from '../config/schema.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Store } from '../contract/store.ts';
import { Seals } from '../governance/approvals/seals.ts';
import type { SigningKey } from '../governance/signing/open-signing-key.ts';
import { sealedTokens } from '../governance/signing/sealed-tokens.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';
import {
  placeElsewhere,
  placeStore,
  recordOpened,
  type StoreLocation,
} from '../trust/locate-store.ts';

export interface StoreOptions {
  readonly store?: 'memory' | { readonly sqlite: string } | Store;
}

export interface OpenStoreDeps {
  readonly config: Pick<Config, 'store' | 'audit'>;
  /** The project, absolute: relative paths of the configuration start here. */
  readonly project: string;
  /** The user's configuration folder. */
  readonly userDir: string;
  readonly runtime: Runtime;
  signingKey(): Promise<SigningKey>;
}

const IN_MEMORY = ':memory:';

const isBelow = (folder: string, file: string): boolean => {
  const way = relative(folder, file);
  return way !== '' && !isAbsolute(way) && way.split(sep)[0] !== '..';
};

/**
 * Says whether a database could have come with the project. A program that names a file of its own
 * elsewhere answers for it; in `.toolcrib` there is what the project brought.
 */
const mayBeBrought = (file: string, named: boolean, project: string): boolean =>
  isBelow(named ? join(project, FOLDER) : project, file);

const openSqlite = async (place: StoreLocation, deps: OpenStoreDeps): Promise<Store> => {
  const { createSqliteStore } = await import('../stores/sqlite/create-sqlite-store.ts');
  const { runtime, config } = deps;
  const { path, identity } = place;
  const { syncEveryRecord } = config.audit;
  return createSqliteStore({ path, runtime, syncEveryRecord, identity });
};

const tellPlace = (
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

interface PlacedStore {
  readonly store: Store;
  readonly place: StoreLocation;
}

/** A database with another identity than the recorded one is left alone, too. */
const openPlaced = async (place: StoreLocation, deps: OpenStoreDeps): Promise<PlacedStore> => {
  try {
    const store = await openSqlite(place, deps);
    tellPlace(place, deps);
    return { store, place };
  } catch (error) {
    const { ForeignStore } = await import('../stores/sqlite/database/store-identity.ts');
    if (!(error instanceof ForeignStore)) throw error;
    return openPlaced(placeElsewhere(place, deps.userDir), deps);
  }
};

const openProjectStore = async (file: string, deps: OpenStoreDeps): Promise<Store> => {
  const { project, userDir, runtime } = deps;
  const pause = (ms: number) => new Promise<void>((done) => void runtime.after(ms, done));
  const wanted = await placeStore(file, { userDir, projectDir: project, pause });
  const { store, place } = await openPlaced(wanted, deps);
  await recordOpened(place, userDir).catch((error: unknown) => {
    runtime.log.warn('The files of the store were not recorded.', { cause: String(error) });
  });
  if (place.foreign === undefined) await ignoreState(file);
  return store;
};

const withSeals = (store: Store, { signingKey, runtime }: OpenStoreDeps): Store => ({
  ...store,
  tokens: sealedTokens(store.tokens, new Seals(signingKey, runtime.log)),
});

export const openStore = async (
  wanted: StoreOptions['store'],
  deps: OpenStoreDeps,
): Promise<Store> => {
  const { driver, path } = deps.config.store;
  const choice = wanted ?? (driver === 'memory' ? 'memory' : { sqlite: path });
  if (choice === 'memory') return createMemoryStore();
  if (!('sqlite' in choice)) return choice;
  if (choice.sqlite === IN_MEMORY) return openSqlite({ path: IN_MEMORY }, deps);
  const file = resolve(deps.project, choice.sqlite);
  if (mayBeBrought(file, wanted !== undefined, deps.project)) {
    return withSeals(await openProjectStore(file, deps), deps);
  }
  const store = await openSqlite({ path: file }, deps);
  await ignoreState(file);
  return withSeals(store, deps);
};
