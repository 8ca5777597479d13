/**
 * Opens files and folders so that a name swapped after the check is noticed before a byte is read or
 * written. On Linux the open descriptor says where it really lies, and a folder is used through its
 * descriptor, so later swaps of its parents change nothing; elsewhere device and inode are compared.
 */
import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { systemCode } from './file-failure.ts';

export type Verification = 'descriptor' | 'inode';

/** No link as the last part, no waiting for the other end of a pipe, no terminal taken over. */
export const OPEN_SAFELY = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

const DESCRIPTORS = '/proc/self/fd';
const MAX_TRIES = 8;
const LOOKS = 4;

/** Chooses the strongest verification that this machine has. */
export const bestVerification = (exists: (path: string) => boolean = existsSync): Verification =>
  exists(DESCRIPTORS) ? 'descriptor' : 'inode';

const swapped = () =>
  new ToolFailure('SECURITY_VIOLATION', 'The path changed while it was being opened.', {
    suggestions: ['Make sure that nothing replaces directories of the workspace, then call again.'],
  });

/** Names that differ in case only are the same file where case does not count. */
const sameText = (a: string, b: string): boolean =>
  a === b || a.toLowerCase().normalize() === b.toLowerCase().normalize();

/** `replaced`: another file took the place meanwhile, as every atomic write does. */
type FileState = 'there' | 'replaced' | 'elsewhere';
type Verify = (handle: FileHandle, path: string) => Promise<FileState>;

/**
 * Compares device and inode. Several looks must agree, because each can fall into another moment of
 * a continued swap. That narrows the gap; only the descriptor closes it.
 */
const byInode: Verify = async (handle, path) => {
  const opened = await handle.stat({ bigint: true });
  for (let look = 0; look < LOOKS; look += 1) {
    if (!sameText(await realpath(path), path)) return 'elsewhere';
    const named = await lstat(path, { bigint: true });
    if (opened.dev !== named.dev || opened.ino !== named.ino) return 'replaced';
  }
  return 'there';
};

const byDescriptor: Verify = async (handle, path) => {
  const place = await readlink(`${DESCRIPTORS}/${handle.fd}`);
  if (sameText(place, path)) return 'there';
  return sameText(place, `${path} (deleted)`) ? 'replaced' : 'elsewhere';
};

export interface Opening {
  /** Absolute, every link resolved: where the file must turn out to lie. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly verification: Verification;
  /** Another way to the same place, through the descriptor of a parent. */
  readonly through?: string;
}

const tryOpen = async (opening: Opening): Promise<FileHandle | undefined> => {
  const { path, kind, verification, through = path } = opening;
  const flags = constants.O_RDONLY | OPEN_SAFELY | (kind === 'folder' ? constants.O_DIRECTORY : 0);
  const handle = await open(through, flags);
  let state: FileState = 'elsewhere';
  try {
    const stats = await handle.stat();
    if (kind === 'file' ? stats.isFile() : stats.isDirectory()) {
      state = await (verification === 'descriptor' ? byDescriptor : byInode)(handle, path);
    }
  } finally {
    if (state !== 'there') await handle.close();
  }
  if (state === 'elsewhere') throw swapped();
  return state === 'there' ? handle : undefined;
};

/** Opens a regular file or folder that lies where it should. Throws otherwise. */
export const openVerified = async (opening: Opening): Promise<FileHandle> => {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const handle = await tryOpen(opening);
    if (handle) return handle;
  }
  throw new ToolFailure('CONFLICT', 'The file keeps being replaced by another program.', {
    suggestions: ['Call again a little later.'],
  });
};

/** An open folder, closed by the code that opened it. */
export interface Folder {
  readonly path: string;
  /** Gives the path of an entry. */
  at(name: string): string;
  /** Throws when the folder does not lie where it did. */
  verify(): Promise<void>;
  /** Opens a folder below it, and creates it if it is missing. */
  enter(name: string): Promise<Folder>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

const madeIfMissing = async (path: string): Promise<void> => {
  try {
    await mkdir(path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
};

/** Ignores that a file system cannot sync a folder; such systems order renames themselves. */
const ignoreUnsupported = (error: unknown): void => {
  if (!['EINVAL', 'ENOTSUP', 'EPERM'].includes(systemCode(error))) throw error;
};

export const openFolder = async (opening: Omit<Opening, 'kind'>): Promise<Folder> => {
  const { path, verification } = opening;
  const handle = await openVerified({ ...opening, kind: 'folder' });
  const anchored = verification === 'descriptor';
  const base = anchored ? `${DESCRIPTORS}/${handle.fd}` : path;
  const at = (name: string) => join(base, name);
  return {
    path,
    at,
    verify: async () => {
      if ((await (anchored ? byDescriptor : byInode)(handle, path)) !== 'there') throw swapped();
    },
    enter: async (name) => {
      await madeIfMissing(at(name));
      return openFolder({ path: join(path, name), through: at(name), verification });
    },
    sync: () => handle.sync().catch(ignoreUnsupported),
    close: () => handle.close(),
  };
};
