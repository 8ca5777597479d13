/** Finds which declared packages the sources of a project use, and which they use without declaring them. */
import { isBuiltin } from 'node:module';
import type { ToolContext } from '../../contract/context.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import type { CompilerOptions } from '../compiler-files.ts';
import type { JsonObject } from '../npm-program.ts';
import { findSources, readSources } from './source-files.ts';
import { workOnSources } from './work-on-sources.ts';

export interface UsageRequest {
  readonly context: ToolContext;
  /** The folder of the project, relative to the workspace root. */
  readonly folder: string;
  readonly manifest: JsonObject;
  readonly compiler: CompilerOptions;
}

const MAX_FILES = 5_000;
const DECLARING = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
const PACKAGE = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*/i;

/** Finds the package of an import; `undefined` for a path, a built-in module and an alias such as `#x`. */
const packageOf = (module: string): string | undefined => {
  if (isBuiltin(module) || /^(?:node|data|https?|file):/.test(module)) return undefined;
  return PACKAGE.exec(module)?.[0];
};

const keysOf = (value: unknown): readonly string[] => (isRecord(value) ? Object.keys(value) : []);

const importedBy = async ({ context, folder, compiler }: UsageRequest): Promise<Set<string>> => {
  const { files, truncated } = await findSources(context, folder, MAX_FILES);
  if (truncated) context.warn(`Only the first ${MAX_FILES} source files were read.`);
  const packages = new Set<string>();
  for await (const sources of readSources(context, files)) {
    const answers = await workOnSources({ task: 'imports', sources, compiler }, context.signal);
    for (const module of answers.flat()) {
      const name = packageOf(module);
      if (name !== undefined) packages.add(name);
    }
  }
  return packages;
};

/** Finds the package that `@types` describe: `@types/x` is for `x`, `@types/a__b` for `@a/b`. */
const typedBy = (name: string): string =>
  name.replace(/^@types\/(?:(.+)__)?/, (_, scope?: string) => (scope ? `@${scope}/` : ''));

const binsOf = async ({ context, folder }: UsageRequest, name: string) => {
  const path = `${folder}/node_modules/${name}/package.json`;
  try {
    const manifest: unknown = JSON.parse(new TextDecoder().decode(await context.fs.read(path)));
    const bin = isRecord(manifest) ? manifest.bin : undefined;
    return typeof bin === 'string' ? [name.replace(/^@[^/]+\//, '')] : keysOf(bin);
  } catch {
    // Not installed: only its own name is known.
    return [];
  }
};

const wordsOfScripts = ({ manifest }: UsageRequest): ReadonlySet<string> => {
  const { scripts } = manifest;
  const texts = isRecord(scripts) ? Object.values(scripts).map(String) : [];
  return new Set(texts.join(' ').split(/[\s;&|()'"=]+/));
};

export const findUsage = async (request: UsageRequest) => {
  const { manifest } = request;
  const declared = new Set(DECLARING.flatMap((field) => keysOf(manifest[field])));
  const imported = await importedBy(request);
  const words = wordsOfScripts(request);
  // Recognizes packages that the compiler loads without an import.
  const isAmbient = (name: string) => name === '@types/node' || name === 'typescript';
  const unused: string[] = [];
  for (const name of declared) {
    if (imported.has(name) || imported.has(typedBy(name)) || isAmbient(name)) continue;
    const names = [name, ...(await binsOf(request, name))];
    if (!names.some((each) => words.has(each))) unused.push(name);
  }
  const isOwn = (name: string) => declared.has(name) || name === manifest.name;
  const missing = [...imported].filter((name) => !isOwn(name) && !declared.has(`@types/${name}`));
  return { unused: unused.sort(), missing: missing.sort() };
};
