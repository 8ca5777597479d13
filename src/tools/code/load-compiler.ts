/**
 * Finds a TypeScript with a JavaScript API. It runs in this process, so it is taken from beside
 * this program and from folders its owner trusts, never from wherever a call points to.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type ts from 'typescript-api';
import { ToolFailure } from '../../contract/errors.ts';

export type Compiler = typeof ts;

export interface LoadedCompiler {
  readonly ts: Compiler;
  /** The file it was loaded from. */
  readonly file: string;
}

export interface CompilerOptions {
  /** Absolute folders with trusted `node_modules`, asked first: a workspace once it is trusted. */
  readonly compilerFolders?: readonly string[];
}

const NAMES = ['typescript', 'typescript-api'] as const;

/** TypeScript 7 is a package of the same name without the API. */
const isCompiler = (module: unknown): module is Compiler =>
  typeof module === 'object' &&
  module !== null &&
  'createSourceFile' in module &&
  'createProgram' in module;

const load = (file: string): LoadedCompiler | undefined => {
  try {
    const module: unknown = createRequire(file)(file);
    return isCompiler(module) ? { ts: module, file } : undefined;
  } catch {
    return undefined;
  }
};

/** Where one may lie, the best place first. Nothing is loaded, for it is large. */
export const compilerFiles = ({ compilerFolders = [] }: CompilerOptions = {}): string[] => {
  const places = [
    ...compilerFolders.map((folder) => join(folder, 'package.json')),
    import.meta.url,
  ];
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

export const noCompiler = (): ToolFailure =>
  new ToolFailure('DEPENDENCY_MISSING', 'There is no TypeScript with a JavaScript API.', {
    suggestions: ['Run `npm install -D typescript@6` where Toolcrib is installed.'],
  });

/** Fails with DEPENDENCY_MISSING when there is none. */
export const loadCompiler = async (options: CompilerOptions = {}): Promise<LoadedCompiler> => {
  for (const file of compilerFiles(options)) {
    const found = load(file);
    if (found) return found;
  }
  throw noCompiler();
};
