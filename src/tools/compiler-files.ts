/**
 * Where a TypeScript with a JavaScript API may lie: beside this program and in folders that its owner
 * trusts, never where a call points to. Nothing is loaded here, for it is large.
 */

export interface CompilerOptions {
  /** Absolute folders with trusted `node_modules`, asked first: a workspace once it is trusted. */
  readonly compilerFolders?: readonly string[];
}

/** TypeScript 7 is a package of the first name without the API: whoever loads it has to look. */
const NAMES = ['typescript', 'typescript-api'] as const;

/** The best place first. */
export const compilerFiles = ({
  compilerFolders = [],
}: CompilerOptions = {}): readonly string[] => {
  const { createRequire } = process.getBuiltinModule('node:module');
  const places = [...compilerFolders.map((folder) => `${folder}/package.json`), import.meta.url];
  return places.flatMap((place) => {
    const { resolve } = createRequire(place);
    return NAMES.flatMap((name) => {
      try {
        return [resolve(name)];
      } catch {
        return [];
      }
    });
  });
};
