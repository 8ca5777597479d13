/**
 * Decides where the state of a project is kept: in the project, in a database that this user made
 * there, or else in the user's own folder. A database that came with the folder is never opened.
 */
import { lstat, realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import type { Runtime } from '../contract/runtime.ts';
import { pause } from '../kit/data/pause.ts';
import { errorCodeOf } from '../kit/data/reason-of.ts';
import { isInsideProject } from './inside-project.ts';
import {
  adoptStore,
  createKnownStore,
  findMovedStore,
  type KnownStore,
  noteStoreFiles,
  readKnownStore,
  storeKey,
} from './known-stores.ts';

export interface StoreLocation {
  readonly path: string;
  /** What the database has to say it is; `undefined` for one in the user's own folder. */
  readonly identity?: Pick<KnownStore, 'id' | 'adopt'>;
  /** Why the database in the project is left alone; then `path` lies in the user's folder. */
  readonly foreign?: string;
  /** Why the database could not be recorded as this user's. */
  readonly unrecorded?: string;
}

export interface PlaceStoreDeps {
  readonly userDir: string;
  readonly projectDir: string;
  readonly runtime: Pick<Runtime, 'after'>;
}

/** Another process of this user may be making these files at this moment. */
const PAUSE_MS = 25;
const MAX_TRIES = 40;

const NOT_MADE_HERE = 'was not made by you in this folder';
const OTHER_LOG = 'has a write-ahead log or journal that none of your processes wrote';
const BEHIND_LINK = 'is behind a link';

interface FileState {
  /** Inode and time of birth; `undefined` for no file. */
  readonly mark: string | undefined;
  readonly isFile: boolean;
  readonly isFolder: boolean;
  readonly isEmpty: boolean;
}

const ABSENT: FileState = { mark: undefined, isFile: true, isFolder: false, isEmpty: true };
const UNREADABLE: FileState = { ...ABSENT, isFile: false, isEmpty: false };

const readState = async (path: string): Promise<FileState> => {
  try {
    const stats = await lstat(path, { bigint: true });
    return {
      mark: `${stats.ino}:${stats.birthtimeNs}`,
      isFile: stats.isFile(),
      isFolder: stats.isDirectory(),
      isEmpty: stats.size === 0n,
    };
  } catch (error) {
    const code = errorCodeOf(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? ABSENT : UNREADABLE;
  }
};

interface Files {
  readonly database: FileState;
  readonly log: FileState;
  readonly index: FileState;
  readonly journal: FileState;
}

const filesAt = async (path: string): Promise<Files> => {
  const [database, log, index, journal] = await Promise.all(
    ['', '-wal', '-shm', '-journal'].map((suffix) => readState(`${path}${suffix}`)),
  );
  return {
    database: database ?? UNREADABLE,
    log: log ?? UNREADABLE,
    index: index ?? UNREADABLE,
    journal: journal ?? UNREADABLE,
  };
};

/** Says why a database is not ours. SQLite obeys a log or journal beside it: both must be ours. */
const faultOf = (files: Files, record: KnownStore | undefined): string | undefined => {
  const { database, log, index, journal } = files;
  if (![database, log, index, journal].every(({ isFile }) => isFile)) return BEHIND_LINK;
  const isNew = database.isEmpty && log.isEmpty && journal.isEmpty;
  if (!record) return isNew ? undefined : NOT_MADE_HERE;
  if (record.adopt) return undefined;
  if (!journal.isEmpty) return OTHER_LOG;
  return log.isEmpty || log.mark === record.log ? undefined : OTHER_LOG;
};

const inUserFolder = (path: string, userDir: string): Pick<Required<StoreLocation>, 'path'> => ({
  path: join(userDir, 'stores', storeKey(path), 'state.db'),
});

/** Finds the record of a database, also of one whose folder was moved. Read the files before. */
const recordOf = async (
  path: string,
  { database }: Files,
  userDir: string,
): Promise<KnownStore | undefined> => {
  const record = await readKnownStore(userDir, path);
  if (record || database.mark === undefined || database.isEmpty) return record;
  const moved = await findMovedStore(userDir, database.mark);
  return moved && { ...moved, path };
};

const placeOf = async (
  path: string,
  record: KnownStore | undefined,
  userDir: string,
): Promise<StoreLocation> => {
  try {
    const { id, adopt } = record ?? (await createKnownStore(userDir, path));
    return { path, identity: { id, ...(adopt && { adopt }) } };
  } catch (error) {
    const code = errorCodeOf(error) || 'unknown';
    return { path, unrecorded: code };
  }
};

const realPathOf = async (file: string, projectDir: string): Promise<string> =>
  join(await realpath(projectDir), relative(resolve(projectDir), resolve(file)));

/** Locates the store for a `file` below the project. Creates only the record of a new database. */
export const placeStore = async (file: string, deps: PlaceStoreDeps): Promise<StoreLocation> => {
  const { userDir, projectDir, runtime } = deps;
  const path = await realPathOf(file, projectDir).catch(() => resolve(file));
  for (let tries = 1; ; tries += 1) {
    // The files first: the record of a database is made before it.
    const files = await filesAt(path);
    // A folder is no database and nothing of it is obeyed: opening it says what is wrong.
    if (files.database.isFolder) return { path };
    const isReachable = await isInsideProject(file, { projectDir, inside: ['.'] });
    const record = isReachable ? await recordOf(path, files, userDir) : undefined;
    const fault = isReachable ? faultOf(files, record) : BEHIND_LINK;
    if (fault === undefined) return placeOf(path, record, userDir);
    if (fault !== OTHER_LOG || tries >= MAX_TRIES) {
      return { ...inUserFolder(path, userDir), foreign: fault };
    }
    await pause(PAUSE_MS, runtime);
  }
};

/**
 * Records that the user calls the database in the project their own. Throws `ConfigError` for one
 * that is missing or behind a link.
 */
export const adoptProjectStore = async (
  file: string,
  { userDir, projectDir }: Omit<PlaceStoreDeps, 'runtime'>,
): Promise<string> => {
  const path = await realPathOf(file, projectDir);
  const { database, log, index, journal } = await filesAt(path);
  const isReachable = await isInsideProject(file, { projectDir, inside: ['.'] });
  const areFiles = [database, log, index, journal].every(({ isFile }) => isFile);
  if (!isReachable || !areFiles) {
    throw new ConfigError([{ file: path, path: '', message: BEHIND_LINK }]);
  }
  if (database.mark === undefined) {
    throw new ConfigError([{ file: path, path: '', message: 'does not exist' }]);
  }
  await adoptStore(userDir, path);
  return path;
};

/** Gives the location in the user's folder when the project's database is another one. */
export const placeElsewhere = ({ path }: StoreLocation, userDir: string): StoreLocation => ({
  ...inUserFolder(path, userDir),
  foreign: NOT_MADE_HERE,
});

/** Records which files the opened database consists of, so that others beside it are noticed. */
export const recordOpened = async (
  { path, identity }: StoreLocation,
  userDir: string,
): Promise<void> => {
  if (!identity) return;
  const { database, log } = await filesAt(path);
  await noteStoreFiles(
    userDir,
    { path, id: identity.id },
    {
      ...(database.mark !== undefined && { database: database.mark }),
      ...(log.mark !== undefined && { log: log.mark }),
    },
  );
};
