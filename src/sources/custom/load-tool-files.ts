/** Loads the tools of all tool files of a folder. A file with faults is reported and left out. */
import type { Tool } from '../../contract/tool.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import type { Runner } from './build-tool.ts';
import type { CompileCache } from './compile-cache.ts';
import { compileTool, type ToolCode, type ToolFiles } from './compile-tool.ts';
import type { ComposedFile } from './composed-file.ts';
import { BadToolFile, type FileProblem, START } from './file-problem.ts';
import { guestModules } from './guest-entry.ts';
import { readModuleTools } from './read-module-tools.ts';
import type { Compilation, LocatedTool, ReadTool } from './read-tool.ts';
import { readYamlTool } from './read-yaml-tool.ts';

/** Change it when the same text compiles differently, or the entry has another format. */
const CACHE_VERSION = 'toolcrib custom 3';
const MAX_BYTES = 1024 * 1024;

export interface LoadDeps extends Runner {
  readonly files: ToolFiles;
  readonly cache: CompileCache;
  /** Says which files have tools; those at the top of the folder by default. */
  readonly hasTools?: (file: string) => boolean;
  readonly maxDescribeMs?: number;
}

export interface LoadedFiles {
  readonly tools: readonly Tool[];
  readonly problems: readonly FileProblem[];
  readonly composed: readonly ComposedFile[];
}

const isYaml = (file: string): boolean => /\.ya?ml$/i.test(file);

/** Tells whether a file has tools. Files in subfolders can only be imported; tests and types are no tools. */
export const isToolFile = (file: string): boolean =>
  !file.includes('/') &&
  (isYaml(file) || (/\.m?ts$/.test(file) && !/\.(?:d|test|spec)\.m?ts$/.test(file)));

/** Hashes every file that a bundle may import; which ones it does is only known afterwards. */
const importable = (files: ToolFiles): readonly (readonly [string, string])[] =>
  [...files]
    .filter(([file]) => !isYaml(file))
    .map(([file, bytes]) => [file, sha256Hex(bytes)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

const createCompiler = ({ files, cache }: LoadDeps) => {
  const parts = importable(files);
  return async (code: ToolCode): Promise<Compilation> => {
    const { kind, file, text, loader } = code;
    const sources = [CACHE_VERSION, kind, file, loader, text, [...guestModules(kind)], parts];
    const key = sha256Hex(JSON.stringify(sources));
    const cached = await cache.get(key);
    const compiled = cached ?? (await compileTool(code, files));
    if (!cached) await cache.put(key, compiled);
    const describe: Compilation['describe'] = async (ask) => {
      if (cached?.description !== undefined) return cached.description;
      const description = await ask();
      await cache.put(key, { ...compiled, description });
      return description;
    };
    return { compiled, describe };
  };
};

const textOf = (file: string, bytes: Uint8Array): string => {
  const fault = (message: string) => new BadToolFile([{ file, ...START, message }]);
  if (bytes.length > MAX_BYTES) throw fault(`is larger than ${MAX_BYTES} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw fault('is not UTF-8 text');
  }
};

type Outcome = { readonly file: string } & (
  | { readonly tools: readonly LocatedTool[] }
  | { readonly composed: ComposedFile }
  | { readonly problems: readonly FileProblem[] }
);

const problemsOf = (file: string, error: unknown): readonly FileProblem[] => {
  if (error instanceof BadToolFile) return error.problems;
  const message = reasonOf(error);
  return [{ file, ...START, message }];
};

/** Drops tools whose name an earlier file uses, and reports them. */
const withoutDuplicates = (outcomes: readonly Outcome[]): LoadedFiles => {
  const tools = new Map<string, { readonly tool: Tool; readonly file: string }>();
  const problems: FileProblem[] = [];
  const composed: ComposedFile[] = [];
  for (const outcome of outcomes) {
    if ('problems' in outcome) {
      problems.push(...outcome.problems);
      continue;
    }
    if ('composed' in outcome) {
      composed.push(outcome.composed);
      continue;
    }
    for (const { tool, position } of outcome.tools) {
      const taken = tools.get(tool.name);
      if (taken) {
        const message = `name: ${tool.name} is taken by ${taken.file}`;
        problems.push({ file: outcome.file, ...position, message });
      } else tools.set(tool.name, { tool, file: outcome.file });
    }
  }
  return { tools: [...tools.values()].map(({ tool }) => tool), problems, composed };
};

/** Loads the tools of all files. Never rejects because of the content of a file. */
export const loadToolFiles = async (deps: LoadDeps): Promise<LoadedFiles> => {
  const compile = createCompiler(deps);
  const { runCode, defaultSandbox, onlySandbox, hasTools = isToolFile, maxDescribeMs } = deps;
  const runner = { runCode, defaultSandbox, ...(onlySandbox && { onlySandbox }) };
  const limit = maxDescribeMs === undefined ? {} : { maxDescribeMs };
  const readerDeps = { compile, ...runner, ...limit };
  const readOne = async (file: string, bytes: Uint8Array): Promise<Outcome> => {
    const read: ReadTool = isYaml(file) ? readYamlTool : readModuleTools;
    try {
      const content = await read({ file, text: textOf(file, bytes) }, readerDeps);
      return 'positionOf' in content ? { file, composed: content } : { file, tools: content };
    } catch (error) {
      return { file, problems: problemsOf(file, error) };
    }
  };
  const toolFiles = [...deps.files]
    .filter(([file]) => hasTools(file))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return withoutDuplicates(
    await Promise.all(toolFiles.map(([file, bytes]) => readOne(file, bytes))),
  );
};
