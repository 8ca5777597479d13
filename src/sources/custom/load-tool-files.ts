/** Every tool file of a folder to its tools. A file that is wrong is told of and left out. */
import type { Tool } from '../../contract/tool.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import type { Runner } from './build-tool.ts';
import type { CompileCache } from './compile-cache.ts';
import { compileTool, type ToolCode, type ToolFiles } from './compile-tool.ts';
import { BadToolFile, type FileProblem, START } from './file-problem.ts';
import { guestModules } from './guest-entry.ts';
import { readModuleTools } from './read-module-tools.ts';
import type { Compilation, FoundTool, ReadTool } from './read-tool.ts';
import { readYamlTool } from './read-yaml-tool.ts';

/** Changes when what is compiled, or how, is different with the same text. */
const CACHE_VERSION = 'toolcrib custom 2';
const MAX_BYTES = 1024 * 1024;

export interface LoadDeps extends Runner {
  readonly files: ToolFiles;
  readonly cache: CompileCache;
}

export interface LoadedFiles {
  readonly tools: readonly Tool[];
  readonly problems: readonly FileProblem[];
}

const isYaml = (file: string): boolean => /\.ya?ml$/i.test(file);

/** Files in folders below are there to be imported. Tests and types are no tools. */
export const isToolFile = (file: string): boolean =>
  !file.includes('/') &&
  (isYaml(file) || (/\.m?ts$/.test(file) && !/\.(?:d|test|spec)\.m?ts$/.test(file)));

/** Over all that a bundle may be made of; which parts it takes is only known afterwards. */
const importable = (files: ToolFiles): readonly (readonly [string, string])[] =>
  [...files]
    .filter(([file]) => !isYaml(file))
    .map(([file, bytes]) => [file, sha256Hex(bytes)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

const compiler = ({ files, cache }: LoadDeps) => {
  const parts = importable(files);
  return async (code: ToolCode): Promise<Compilation> => {
    const { kind, file, text, loader } = code;
    const made = [CACHE_VERSION, kind, file, loader, text, [...guestModules(kind)], parts];
    const key = sha256Hex(JSON.stringify(made));
    const kept = await cache.get(key);
    const compiled = kept ?? (await compileTool(code, files));
    if (!kept) await cache.put(key, compiled);
    const told: Compilation['told'] = async (ask) => {
      if (kept?.told !== undefined) return kept.told;
      const answer = await ask();
      await cache.put(key, { ...compiled, told: answer });
      return answer;
    };
    return { compiled, told };
  };
};

const textOf = (file: string, bytes: Uint8Array): string => {
  const wrong = (message: string) => new BadToolFile([{ file, ...START, message }]);
  if (bytes.length > MAX_BYTES) throw wrong(`is larger than ${MAX_BYTES} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw wrong('is not UTF-8 text');
  }
};

type Outcome = { readonly file: string } & (
  | { readonly found: readonly FoundTool[] }
  | { readonly problems: readonly FileProblem[] }
);

const problemsOf = (file: string, error: unknown): readonly FileProblem[] => {
  if (error instanceof BadToolFile) return error.problems;
  const message = reasonOf(error);
  return [{ file, ...START, message }];
};

/** A later file with a name that is taken is at fault. */
const withoutTwins = (outcomes: readonly Outcome[]): LoadedFiles => {
  const tools = new Map<string, { readonly tool: Tool; readonly file: string }>();
  const problems: FileProblem[] = [];
  for (const outcome of outcomes) {
    if ('problems' in outcome) {
      problems.push(...outcome.problems);
      continue;
    }
    for (const { tool, place } of outcome.found) {
      const taken = tools.get(tool.name);
      if (taken) {
        const message = `name: ${tool.name} is taken by ${taken.file}`;
        problems.push({ file: outcome.file, ...place, message });
      } else tools.set(tool.name, { tool, file: outcome.file });
    }
  }
  return { tools: [...tools.values()].map(({ tool }) => tool), problems };
};

/** Never rejects for what is in a file. */
export const loadToolFiles = async (deps: LoadDeps): Promise<LoadedFiles> => {
  const compile = compiler(deps);
  const { runCode, defaultSandbox } = deps;
  const tools = { compile, runCode, defaultSandbox };
  const readOne = async (file: string, bytes: Uint8Array): Promise<Outcome> => {
    const read: ReadTool = isYaml(file) ? readYamlTool : readModuleTools;
    try {
      return { file, found: await read({ file, text: textOf(file, bytes) }, tools) };
    } catch (error) {
      return { file, problems: problemsOf(file, error) };
    }
  };
  const wanted = [...deps.files]
    .filter(([file]) => isToolFile(file))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return withoutTwins(await Promise.all(wanted.map(([file, bytes]) => readOne(file, bytes))));
};
