/**
 * Compiles user code to one ES module for the sandbox, with esbuild. Nothing is read from the disk: code
 * can import `toolcrib` and the trusted files, and no built-in module of Node.
 */
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { Loader, Message, OnLoadResult, OnResolveResult, Plugin } from 'esbuild';
import { BUNDLE_IN_MEMORY, columnOf, isBuildFailure } from '../../kit/text/build-message.ts';
import { BadToolFile, type FileProblem, type Position, START } from './file-problem.ts';
import { guestModules, PUBLIC_MODULE, TOOL_MODULE, type ToolKind } from './guest-entry.ts';
import { markStatements } from './mark-statements.ts';

export interface ToolCode {
  readonly kind: ToolKind;
  /** Its file, relative to the folder. */
  readonly file: string;
  readonly text: string;
  readonly loader: Loader;
  /** Converts a position in `text` to one in the file. */
  positionOf(line: number, column: number): Position;
}

export interface CompiledCode {
  readonly code: string;
  /** A source map, as JSON; its sources are files below the folder. */
  readonly map: string;
  /** What the user's module exports. */
  readonly exports: readonly string[];
}

export type ToolFiles = ReadonlyMap<string, Uint8Array>;

const ENTRY = 'toolcrib:entry';
const USER = 'user';
const GUEST = 'guest';

const LOADERS: Readonly<Record<string, Loader>> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.js': 'js',
  '.mjs': 'js',
  '.json': 'json',
  '.txt': 'text',
};

const loaderOf = (file: string): Loader | undefined => {
  const extension = posix.extname(file);
  return Object.hasOwn(LOADERS, extension) ? LOADERS[extension] : undefined;
};

const refusal = (text: string): OnResolveResult => ({ errors: [{ text }] });

const resolveUser = (path: string, importer: string, files: ToolFiles): OnResolveResult => {
  const target = posix.join(posix.dirname(importer), path);
  const names = [target, `${target}.ts`, `${target}.js`, target.replace(/\.js$/, '.ts')];
  const match = names.find((name) => files.has(name));
  if (match === undefined) {
    return refusal('There is no such file among the trusted ones of the folder of custom tools.');
  }
  return loaderOf(match) === undefined
    ? refusal(`Only ${Object.keys(LOADERS).join(', ')} files can be imported.`)
    : { path: match, namespace: USER };
};

const resolveBare = (path: string): OnResolveResult =>
  isBuiltin(path)
    ? refusal('There are no built-in modules of Node in the sandbox; use the context of the call.')
    : refusal(
        `Packages cannot be imported; only "${PUBLIC_MODULE}" and files beside this one can.`,
      );

const bundlePlugin = (tool: ToolCode, files: ToolFiles): Plugin => {
  const guest = guestModules(tool.kind);
  const resolve = (path: string, importer: string, from: string): OnResolveResult => {
    const isOurs = from === GUEST || from === '';
    if (isOurs && path === TOOL_MODULE) return { path: tool.file, namespace: USER };
    if ((isOurs || path === PUBLIC_MODULE) && guest.has(path)) return { path, namespace: GUEST };
    return /^\.\.?(?:\/|$)/.test(path) ? resolveUser(path, importer, files) : resolveBare(path);
  };
  const loadUser = (path: string): OnLoadResult => {
    if (path === tool.file) return { contents: tool.text, loader: tool.loader };
    const contents = files.get(path) ?? new Uint8Array();
    return { contents, loader: loaderOf(path) ?? 'empty' };
  };
  return {
    name: 'toolcrib-custom',
    setup: (build) => {
      build.onResolve({ filter: /.*/ }, ({ path, importer, namespace }) =>
        resolve(path, importer, namespace === 'file' ? '' : namespace),
      );
      build.onLoad({ filter: /.*/, namespace: USER }, ({ path }) => loadUser(path));
      build.onLoad({ filter: /.*/, namespace: GUEST }, ({ path }) => ({
        contents: guest.get(path) ?? '',
        loader: 'js',
      }));
    },
  };
};

const withoutNamespace = (file: string): string => file.replace(/^user:/, '');

const problemOf = ({ text, location }: Message, tool: ToolCode): FileProblem => {
  if (!location) return { file: tool.file, ...START, message: text };
  const file = withoutNamespace(location.file);
  const { line, lineText } = location;
  const column = columnOf(lineText, location.column);
  const position = file === tool.file ? tool.positionOf(line, column) : { line, column };
  return { file, ...position, message: text };
};

/** Throws `BadToolFile` with the errors of the compiler, at their positions in the user's file. */
export const compileTool = async (tool: ToolCode, files: ToolFiles): Promise<CompiledCode> => {
  const { build } = await import('esbuild');
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: { entry: ENTRY, tool: TOOL_MODULE },
      plugins: [bundlePlugin(tool, files)],
      ...BUNDLE_IN_MEMORY,
      metafile: true,
    });
    const outputOf = (end: string): string =>
      outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
    const user = Object.values(metafile.outputs).find(
      ({ entryPoint }) => entryPoint === `${USER}:${tool.file}`,
    );
    const code = await markStatements(outputOf('entry.js'));
    return { code, map: outputOf('entry.js.map'), exports: user?.exports ?? [] };
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    throw new BadToolFile(error.errors.map((message) => problemOf(message, tool)));
  }
};
