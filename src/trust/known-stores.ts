/**
 * The databases that this user's own processes made, one record each in the user's folder. A database
 * that has no record here came from elsewhere, whatever it says about itself.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfigText } from '../config/load/read-config-file.ts';
import { sha256Hex } from '../kit/data/canonical-json.ts';
import { isRecord } from '../kit/data/is-record.ts';
import { createFile, putFile } from '../kit/file/replace-file.ts';
import { trustFileFault } from './trust-file.ts';

const MAX_RECORD_BYTES = 64 * 1024;
const MAX_RECORDS_SEARCHED = 2000;
const SUFFIX = '.json';

export interface KnownStore {
  /** Where the database lies, with no link on the way. */
  readonly path: string;
  /** What the database says it is; random, and the same for as long as it is used. */
  readonly id: string;
  /** The user said that the database there is theirs: its next opening gives it this id. */
  readonly adopt?: true;
  /** Which file the database was when it was last opened: inode and time of birth. */
  readonly database?: string;
  /** The same of its write-ahead log. */
  readonly log?: string;
}

const folderIn = (userDir: string): string => join(userDir, 'stores');

/** Makes a name for what belongs to the database at this path. */
export const storeKey = (path: string): string => sha256Hex(path).slice(0, 32);

const recordFile = (userDir: string, path: string): string =>
  join(folderIn(userDir), `${storeKey(path)}${SUFFIX}`);

const textAt = (tree: Readonly<Record<string, unknown>>, key: string): string | undefined => {
  const value = Object.hasOwn(tree, key) ? tree[key] : undefined;
  return typeof value === 'string' ? value : undefined;
};

const parseRecord = (text: string): KnownStore | undefined => {
  try {
    const tree: unknown = JSON.parse(text);
    if (!isRecord(tree)) return undefined;
    const [path, id] = [textAt(tree, 'path'), textAt(tree, 'id')];
    if (path === undefined || id === undefined || id === '') return undefined;
    const [database, log] = [textAt(tree, 'database'), textAt(tree, 'log')];
    return {
      path,
      id,
      ...(Object.hasOwn(tree, 'adopt') && tree.adopt === true && { adopt: true as const }),
      ...(database !== undefined && { database }),
      ...(log !== undefined && { log }),
    };
  } catch {
    return undefined;
  }
};

/** Reads one record; `undefined` for none, or for one that another user could have written. */
const readRecord = async (file: string): Promise<KnownStore | undefined> => {
  const self = process.getuid?.();
  const { text } = await readConfigText(file, {
    check: (stats) => trustFileFault(stats, self),
    maxBytes: MAX_RECORD_BYTES,
    noLink: true,
  });
  return text === undefined ? undefined : parseRecord(text);
};

/** Finds the record of the database at this path. */
export const readKnownStore = async (
  userDir: string,
  path: string,
): Promise<KnownStore | undefined> => {
  const record = await readRecord(recordFile(userDir, path));
  return record?.path === path ? record : undefined;
};

/** Finds the record of a database by which file it is: its folder may have been moved since. */
export const findMovedStore = async (
  userDir: string,
  database: string,
): Promise<KnownStore | undefined> => {
  const names = await readdir(folderIn(userDir)).catch(() => []);
  const records = names.filter((name) => name.endsWith(SUFFIX)).slice(0, MAX_RECORDS_SEARCHED);
  for (const name of records) {
    const record = await readRecord(join(folderIn(userDir), name));
    if (record?.database === database) return record;
  }
  return undefined;
};

const textOf = (record: KnownStore): string =>
  `${JSON.stringify({ version: 1, ...record }, null, 2)}\n`;

const makeFolder = (userDir: string): Promise<unknown> =>
  mkdir(folderIn(userDir), { recursive: true, mode: 0o700 });

const writeRecord = async (userDir: string, record: KnownStore): Promise<void> => {
  await makeFolder(userDir);
  await putFile(recordFile(userDir, record.path), textOf(record));
};

const newId = (): string => randomBytes(16).toString('hex');

/**
 * Records a database that is about to be made. Of several processes that do so at once one wins, and
 * all get its id. Throws when the user's folder cannot be written.
 */
export const createKnownStore = async (userDir: string, path: string): Promise<KnownStore> => {
  await makeFolder(userDir);
  const file = recordFile(userDir, path);
  const record = { path, id: newId() };
  if (await createFile(file, textOf(record))) return record;
  const winner = await readKnownStore(userDir, path);
  if (winner) return winner;
  // The record that is there cannot be believed; the database is new, and so may be its record.
  await writeRecord(userDir, record);
  return record;
};

/** Records which files a database consists of now, and that it was adopted if it was to be. */
export const noteStoreFiles = async (
  userDir: string,
  { path, id }: Pick<KnownStore, 'path' | 'id'>,
  files: Pick<KnownStore, 'database' | 'log'>,
): Promise<void> => {
  const record = await readKnownStore(userDir, path);
  const next = { path, id, ...files };
  if (record && textOf(record) === textOf(next)) return;
  await writeRecord(userDir, next);
};

/** Records that the user calls the database at this path their own, with all that is in it. */
export const adoptStore = (userDir: string, path: string): Promise<void> =>
  writeRecord(userDir, { path, id: newId(), adopt: true });
