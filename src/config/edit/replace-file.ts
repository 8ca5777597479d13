/** Puts a text in the place of a file in one step: whoever reads it sees the old one or the new one. */
import { mkdir, mkdtemp, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const whenAbsent =
  <T>(fallback: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return fallback;
    throw error;
  };

/** Keeps the mode of a file that is there; a new one gets `mode`. */
export const replaceFile = async (
  file: string,
  text: string | Uint8Array,
  mode = 0o644,
): Promise<void> => {
  // Through a link, or the link itself would be replaced.
  const target = await realpath(file).catch(whenAbsent(file));
  const kept = await stat(target).then((found) => found.mode & 0o777, whenAbsent(mode));
  await mkdir(dirname(target), { recursive: true });
  const scratch = await mkdtemp(join(dirname(target), '.toolcrib-'));
  try {
    const handle = await open(join(scratch, 'file'), 'wx', kept);
    try {
      await handle.writeFile(text);
      await handle.chmod(kept);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(join(scratch, 'file'), target);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};
