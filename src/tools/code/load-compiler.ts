/** Loads a TypeScript with a JavaScript API into this process. */
import { createRequire } from 'node:module';
import type ts from 'typescript-api';
import { ToolFailure } from '../../contract/errors.ts';
import { type CompilerOptions, compilerFiles } from '../compiler-files.ts';

export type Compiler = typeof ts;

export interface LoadedCompiler {
  readonly ts: Compiler;
  /** The file it was loaded from. */
  readonly file: string;
}

/** Checks for the API: TypeScript 7 is a package of the same name without it. */
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

export const noCompiler = (): ToolFailure =>
  new ToolFailure('DEPENDENCY_MISSING', 'There is no TypeScript with a JavaScript API.', {
    suggestions: ['Run `npm install -D typescript@6` where Toolcrib is installed.'],
  });

/** Loads a compiler. Fails with DEPENDENCY_MISSING when there is none. */
export const loadCompiler = async (options: CompilerOptions = {}): Promise<LoadedCompiler> => {
  for (const file of compilerFiles(options)) {
    const compiler = load(file);
    if (compiler) return compiler;
  }
  throw noCompiler();
};
