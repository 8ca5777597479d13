/**
 * Finds the files of a TypeScript with a JavaScript API: those of this program and of folders that its
 * owner trusts, never of a folder that a call names. Loads nothing, because the compiler is large.
 */

export interface CompilerOptions {
  /** Absolute folders with trusted `node_modules`, searched first: a workspace, once it is trusted. */
  readonly compilerFolders?: readonly string[];
}

/** TypeScript 7 has the first name and no API, so the loader has to check what it loaded. */
const NAMES = ['typescript', 'typescript-api'] as const;

/** Lists the files, the best one first. */
export const compilerFiles = ({
  compilerFolders = [],
}: CompilerOptions = {}): readonly string[] => {
  const { createRequire } = process.getBuiltinModule('node:module');
  const bases = [...compilerFolders.map((folder) => `${folder}/package.json`), import.meta.url];
  return bases.flatMap((base) => {
    const { resolve } = createRequire(base);
    return NAMES.flatMap((name) => {
      try {
        return [resolve(name)];
      } catch {
        return [];
      }
    });
  });
};
