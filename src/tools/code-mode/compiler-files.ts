/**
 * Where a TypeScript with a JavaScript API may lie: beside this program, never where a call points
 * to. Nothing is loaded here, for it is large; the thread that checks types looks which one it is.
 */

/** TypeScript 7 is a package of the first name without the API. */
const NAMES = ['typescript', 'typescript-api'] as const;

export const compilerFiles = (): readonly string[] => {
  const { resolve } = process.getBuiltinModule('node:module').createRequire(import.meta.url);
  return NAMES.flatMap((name) => {
    try {
      return [resolve(name)];
    } catch {
      return [];
    }
  });
};
