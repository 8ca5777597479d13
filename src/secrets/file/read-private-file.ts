/**
 * Reads a file that nobody else can read or replace, and refuses any other. Writes it as a whole,
 * so that a crash leaves the old one or the new one; the temporary file is also the lock, so that
 * two processes cannot both start from the old content.
 */
import type { Stats } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import {
  type FileFault,
  othersReach,
  ownUid,
  readCheckedFile,
  UNREADABLE_BY_OTHERS,
  UNWRITABLE_BY_OTHERS,
} from '../../kit/file/private-file.ts';
import { syncFolder } from '../../kit/file/replace-file.ts';

/** No file of credentials is larger. */
const MAX_BYTES = 1024 * 1024;

/** Makes the failure of a file, with what to do about it. */
export const refusedFile = (path: string, why: string, remedy: string): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', `The secrets file ${path} ${why}.`, { suggestions: [remedy] });

/** Refuses a folder that others can write to: they could replace the file. */
export const assertSafeFolder = async (path: string): Promise<void> => {
  const folder = dirname(path);
  const rules = { forbidden: UNWRITABLE_BY_OTHERS, orRoot: true };
  switch (othersReach(await stat(folder), rules, ownUid())) {
    case 'mode':
      throw refusedFile(path, 'is in a folder that others can write to', `chmod go-w ${folder}`);
    case 'owner':
      throw refusedFile(path, 'is in a folder of another user', 'Keep it in a folder of your own.');
    default:
  }
};

const assertPrivate = (path: string, stats: Stats): void => {
  switch (
    stats.isFile() ? othersReach(stats, { forbidden: UNREADABLE_BY_OTHERS }, ownUid()) : undefined
  ) {
    case 'owner':
      throw refusedFile(
        path,
        'belongs to another user',
        `Make it your own: chown ${ownUid()} ${path}`,
      );
    case 'mode':
      throw refusedFile(path, 'can be read or written by others', `chmod 600 ${path}`);
    default:
  }
};

const cannotOpen = (path: string, error: unknown): unknown => {
  if (error instanceof ToolFailure) return error;
  const code = errorCodeOf(error);
  return code === 'ELOOP'
    ? refusedFile(path, 'is a link', 'Name the file that it points at.')
    : refusedFile(path, `cannot be opened (${code})`, 'See who owns it and its folder.');
};

const FAULTS: Readonly<Record<FileFault, readonly [why: string, remedy: string]>> = {
  'not-regular': ['is not a regular file', 'Put the secrets into a plain file.'],
  'too-large': ['is larger than 1 MB', 'Keep nothing but secrets in it.'],
  changed: ['changed while it was read', 'Try again.'],
};

/** Reads the file, if there is one. Fails with CONFIG_INVALID when others could have written it. */
export const readPrivateFile = async (path: string): Promise<string | undefined> => {
  const check = (stats: Stats): void => assertPrivate(path, stats);
  let read: Uint8Array | FileFault;
  try {
    read = await readCheckedFile(path, { maxBytes: MAX_BYTES, noLink: true, check });
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw cannotOpen(path, error);
  }
  if (typeof read === 'string') throw refusedFile(path, ...FAULTS[read]);
  await assertSafeFolder(path);
  return new TextDecoder().decode(read);
};

const OWNER_ONLY = 0o600;

const lock = async (temporary: string): Promise<FileHandle> => {
  try {
    return await open(temporary, 'wx', OWNER_ONLY);
  } catch (error) {
    const code = errorCodeOf(error) || 'unknown';
    if (code === 'EEXIST') {
      throw new ToolFailure('LOCK', 'Somebody else is changing the secrets file.', {
        suggestions: [`Try again; if nothing else runs, remove what a crash left: ${temporary}`],
      });
    }
    throw new ToolFailure('STORE_UNAVAILABLE', `The secrets file cannot be written (${code}).`, {
      suggestions: [`See who may write to ${dirname(temporary)} and whether there is space.`],
    });
  }
};

/** Writes what `content` returns, or nothing for `undefined`. Tells whether it wrote. */
export const writePrivateFile = async (
  path: string,
  content: () => Promise<string | undefined>,
): Promise<boolean> => {
  const temporary = `${path}.new`;
  const file = await lock(temporary);
  try {
    const text = await content();
    if (text !== undefined) {
      await file.writeFile(text);
      await file.sync();
      await rename(temporary, path);
      await syncFolder(dirname(path));
    }
    return text !== undefined;
  } finally {
    await file.close();
    await rm(temporary, { force: true });
  }
};
