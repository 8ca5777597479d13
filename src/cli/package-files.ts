/**
 * Reads files of the package that the program runs from. It must stay in this folder: its relative paths
 * are right both for the source and for the bundled program.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMissing } from '../kit/file/is-missing.ts';

/** Finds the folder of the built console; `undefined` when it was not built. */
export const consoleFolder = async (): Promise<string | undefined> => {
  const folder = fileURLToPath(new URL('../../dist/console', import.meta.url));
  return (await isMissing(join(folder, 'index.html'))) ? undefined : folder;
};

/** Reads the version from the package. */
export const programVersion = (): string => {
  const pack: unknown = createRequire(import.meta.url)('../../package.json');
  return (pack as { version: string }).version;
};
