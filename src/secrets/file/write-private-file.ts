/**
 * Replaces a file as a whole, so that a crash leaves the old one or the new one. The temporary file
 * is the lock at the same time: two processes cannot both take the old content for the latest.
 */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import { syncFolder } from '../../kit/file/replace-file.ts';

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

/** Writes what `content` answers; nothing for `undefined`. Resolves to whether it wrote. */
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
