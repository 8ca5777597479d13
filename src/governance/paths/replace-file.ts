/**
 * Replaces a file in one step: readers see the old file or the new one, and after a crash one of
 * the two is on disk.
 */
import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { link, lstat, open, readdir, rename, unlink } from 'node:fs/promises';
import { ToolFailure } from '../../contract/errors.ts';
import { systemCode } from './file-failure.ts';
import { type Folder, OPEN_SAFELY } from './open-verified.ts';

/** Left behind only by a crash; listings leave it out and tools cannot write it. */
export const TEMPORARY_PREFIX = '.toolcrib-tmp-';

export interface Replacement {
  readonly bytes: Uint8Array;
  /** What the old file had. A new file gets the defaults of the system. */
  readonly mode?: number | undefined;
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  /** True when there is an old file to take the place of. */
  readonly replaces: boolean;
  /** Checks right before the step; throws when the old file is not what it was. */
  confirm(): Promise<void>;
  /** Told when it fails before the step: the old file is as it was. */
  unchanged?: (() => void) | undefined;
}

const isUnsupported = (error: unknown): boolean =>
  ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(systemCode(error));

const writeTemporary = async (path: string, replacement: Replacement): Promise<void> => {
  const { bytes, mode, owner } = replacement;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | OPEN_SAFELY;
  // No set-id bits: new content must not inherit another user's power.
  const plain = mode === undefined ? undefined : mode & 0o777;
  const handle = await open(path, flags, plain ?? 0o666);
  try {
    await handle.writeFile(bytes);
    // Only root can give a file back to another owner; for everybody else it becomes theirs.
    if (owner) await handle.chown(owner.uid, owner.gid).catch(() => undefined);
    if (plain !== undefined) await handle.chmod(plain);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Gives the file its name by a link, which never covers a file that was created meanwhile. */
const linkInto = async (temporary: string, target: string): Promise<void> => {
  try {
    await link(temporary, target);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') {
      throw new ToolFailure('CONFLICT', 'Another program made a file of that name meanwhile.', {
        suggestions: ['Read the file before you write it again.'],
      });
    }
    if (!isUnsupported(error)) throw error;
    await rename(temporary, target);
    return;
  }
  // The file is there. The next write removes a second name that is left.
  await unlink(temporary).catch(() => undefined);
};

/**
 * Removes the temporary name that a crash right after the link leaves on a file: it would keep the
 * file from ever being written again. Other names stay.
 */
export const dropLeftovers = async (folder: Folder, file: Stats): Promise<void> => {
  for (const name of await readdir(folder.at('.'))) {
    if (!name.startsWith(TEMPORARY_PREFIX)) continue;
    const { ino, dev } = await lstat(folder.at(name));
    if (ino === file.ino && dev === file.dev) await unlink(folder.at(name));
  }
};

export const replaceFile = async (
  folder: Folder,
  name: string,
  replacement: Replacement,
): Promise<void> => {
  const temporary = folder.at(`${TEMPORARY_PREFIX}${randomBytes(8).toString('hex')}`);
  const target = folder.at(name);
  try {
    await writeTemporary(temporary, replacement);
    await folder.verify();
    await replacement.confirm();
    await (replacement.replaces ? rename(temporary, target) : linkInto(temporary, target));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    replacement.unchanged?.();
    throw error;
  }
  await folder.sync();
};
