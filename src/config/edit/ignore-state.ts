/** Keeps the database of calls out of version control, next to the configuration that belongs there. */
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * `file` is the configuration or the database. Does nothing when the project has such a file already, or
 * when this one lies elsewhere.
 */
export const ignoreState = async (file: string): Promise<void> => {
  const folder = dirname(file);
  if (basename(folder) !== '.toolcrib') return;
  await writeFile(join(folder, '.gitignore'), 'state.db*\n', { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      // Where nothing can be written there is nothing to keep out, either.
      if (!['EEXIST', 'EROFS', 'EACCES'].includes(error.code ?? '')) throw error;
    },
  );
};
