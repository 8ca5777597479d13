/** Reads a file that nobody else can read or replace, and refuses any other. */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';

/** No file of credentials is larger. */
const MAX_BYTES = 1024 * 1024;
const ROOT = 0;
const FOR_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;

/** Refused with what to do about it. */
export const refusedFile = (path: string, why: string, remedy: string): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', `The secrets file ${path} ${why}.`, { suggestions: [remedy] });

/** Where files have no owner in numbers, as on Windows, the system's own rules have to do. */
const self = (): number | undefined => process.getuid?.();

/** Who can write to the folder can put another file in the place of this one. */
export const assertSafeFolder = async (path: string): Promise<void> => {
  const uid = self();
  if (uid === undefined) return;
  const folder = dirname(path);
  const found = await stat(folder);
  if ((found.mode & WRITABLE_BY_OTHERS) !== 0) {
    throw refusedFile(path, 'is in a folder that others can write to', `chmod go-w ${folder}`);
  }
  if (found.uid !== uid && found.uid !== ROOT) {
    throw refusedFile(path, 'is in a folder of another user', 'Keep it in a folder of your own.');
  }
};

const assertPrivate = (path: string, found: Stats): void => {
  if (!found.isFile()) {
    throw refusedFile(path, 'is not a regular file', 'Put the secrets into a plain file.');
  }
  if (found.size > MAX_BYTES) {
    throw refusedFile(path, 'is larger than 1 MB', 'Keep nothing but secrets in it.');
  }
  const uid = self();
  if (uid === undefined) return;
  if (found.uid !== uid) {
    throw refusedFile(path, 'belongs to another user', `Make it your own: chown ${uid} ${path}`);
  }
  if ((found.mode & FOR_OTHERS) !== 0) {
    throw refusedFile(path, 'can be read or written by others', `chmod 600 ${path}`);
  }
};

/** `undefined` when there is none. A link is not followed, a pipe is not waited for. */
const openPlainly = async (path: string): Promise<FileHandle | undefined> => {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') {
      throw refusedFile(path, 'is a link', 'Name the file that it points at.');
    }
    throw refusedFile(path, `cannot be opened (${code})`, 'See who owns it and its folder.');
  }
};

/** `undefined` when there is no such file; fails with CONFIG_INVALID when others could have a hand in it. */
export const readPrivateFile = async (path: string): Promise<string | undefined> => {
  const file = await openPlainly(path);
  if (!file) return undefined;
  try {
    assertPrivate(path, await file.stat());
    await assertSafeFolder(path);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
};
