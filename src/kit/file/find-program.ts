/** Finds a program as the shell would: along the PATH, a file that may be run. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

const isProgram = (file: string): Promise<boolean> =>
  access(file, constants.X_OK)
    .then(() => stat(file))
    .then(
      (found) => found.isFile(),
      () => false,
    );

/** The first of the names that is there; `undefined` when none is. A path is looked at as it stands. */
export const findProgram = async (
  { env }: { readonly env: Readonly<Record<string, string | undefined>> },
  names: readonly string[],
): Promise<string | undefined> => {
  for (const name of names.filter((each) => isAbsolute(each))) {
    if (await isProgram(name)) return name;
  }
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder === '') continue;
    for (const name of names) {
      const file = join(folder, name);
      if (await isProgram(file)) return file;
    }
  }
  return undefined;
};
