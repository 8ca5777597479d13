/** Keeps the database of calls out of version control; it lies beside the configuration. */
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Writes a `.gitignore` beside `file`, the configuration or the database. Does nothing when there is one
 * already, or outside of `.toolcrib`.
 */
export const ignoreState = async (file: string): Promise<void> => {
  const folder = dirname(file);
  if (basename(folder) !== '.toolcrib') return;
  await writeFile(join(folder, '.gitignore'), 'state.db*\n', { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      // A folder that cannot be written holds no database either.
      if (!['EEXIST', 'EROFS', 'EACCES'].includes(error.code ?? '')) throw error;
    },
  );
};
