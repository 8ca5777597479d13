/** The version of this package. */
import { createRequire } from 'node:module';

/** Reads the version of this package; works from sources, library and bundle alike. */
export const ownVersion = (): string => {
  const pack: unknown = createRequire(import.meta.url)('toolcrib/package.json');
  return (pack as { version: string }).version;
};
