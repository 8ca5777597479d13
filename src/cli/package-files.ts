/** The version of the program that runs, as its package names it. */

import { access } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `undefined` when it was not built. */
export const consoleFolder = async (): Promise<string | undefined> => {
  // From this depth the path holds both for the source and for the bundled program.
  const folder = fileURLToPath(new URL('../../dist/console', import.meta.url));
  return access(join(folder, 'index.html')).then(
    () => folder,
    () => undefined,
  );
};

export const programVersion = (): string => {
  // From this depth the path holds both for the source and for the bundled program.
  const pack: unknown = createRequire(import.meta.url)('../../package.json');
  return (pack as { version: string }).version;
};
