/** Keeps the database of calls out of version control, next to the configuration that belongs there. */
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Does nothing when the project has such a file already, or the configuration lies elsewhere. */
export const ignoreState = async (configFile: string): Promise<void> => {
  const folder = dirname(configFile);
  if (basename(folder) !== '.toolcrib') return;
  await writeFile(join(folder, '.gitignore'), 'state.db*\n', { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
};
