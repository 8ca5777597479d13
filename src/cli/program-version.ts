/** The version of the program that runs, as its package names it. */
import { createRequire } from 'node:module';

export const programVersion = (): string => {
  // From this depth the path holds both for the source and for the bundled program.
  const pack: unknown = createRequire(import.meta.url)('../../package.json');
  return (pack as { version: string }).version;
};
