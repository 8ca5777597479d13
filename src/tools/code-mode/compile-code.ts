/** Compiles a model's code to one module for the sandbox; errors name line and column of the code. */
import type { SourceMap } from 'node:module';
import type { BuildOptions, Message, Plugin } from 'esbuild';
import type { Issue } from '../../contract/errors.ts';
import { BUNDLE_IN_MEMORY, columnOf, isBuildFailure } from '../../kit/text/build-message.ts';
import type { ApiTool } from './api-tools.ts';
import { badCode, issueAt, type Position } from './code-issues.ts';
import { CODE, ENTRY, guestModules, LINES_BEFORE } from './guest-api.ts';

export interface CompiledCode {
  readonly text: string;
  /** Finds the first position of a stack trace that is in the code. */
  placeIn(stack: string): Position | undefined;
}

/** The name of the code in the sandbox; stack traces show it. */
export const CODE_NAME = 'code.js';

const POSITIONS = /code\.js:(\d+)(?::(\d+))?/g;

const bundlePlugin = (modules: ReadonlyMap<string, string>): Plugin => ({
  name: 'toolcrib-code',
  setup: (build) => {
    build.onResolve({ filter: /.*/ }, ({ path }) =>
      modules.has(path)
        ? { path, namespace: 'm' }
        : { errors: [{ text: 'There are no modules to import: use tools and results.' }] },
    );
    build.onLoad({ filter: /.*/, namespace: 'm' }, ({ path }) => ({
      contents: modules.get(path) ?? '',
      loader: path === CODE ? 'ts' : 'js',
    }));
  },
});

const unknownTool = (text: string, suggestion: string): string | undefined => {
  const [, name] = /^Import "(.+?)" will always be undefined/.exec(text) ?? [];
  if (name === undefined) return undefined;
  return `There is no tools.${name}.${suggestion === '' ? ' Search for the tools there are first.' : ` Did you mean tools.${suggestion}?`}`;
};

const issueOf = ({ text, location }: Message): Issue => {
  const message = unknownTool(text, location?.suggestion ?? '') ?? text;
  if (!location?.file.endsWith(CODE)) return { path: ['code'], message };
  const { line, lineText, column } = location;
  return issueAt({ line: line - LINES_BEFORE, column: columnOf(lineText, column) }, message);
};

const placeFinder = (map: string): CompiledCode['placeIn'] => {
  let source: SourceMap | undefined;
  return (stack) => {
    const { SourceMap: Reader } = process.getBuiltinModule('node:module');
    source ??= new Reader(JSON.parse(map));
    for (const [, line, column] of stack.matchAll(POSITIONS)) {
      const entry = source.findEntry(Number(line) - 1, Number(column ?? 1) - 1);
      if (!('originalSource' in entry) || !entry.originalSource.endsWith(CODE)) continue;
      const at = entry.originalLine + 1 - LINES_BEFORE;
      if (at >= 1) return { line: at, column: entry.originalColumn + 1 };
    }
    return undefined;
  };
};

const OPTIONS = {
  entryPoints: { code: ENTRY },
  ...BUNDLE_IN_MEMORY,
} as const satisfies BuildOptions;

/** Compiles the code. Fails with VALIDATION_ERROR for bad syntax, imports of modules, and unknown tools. */
export const compileCode = async (
  code: string,
  tools: readonly ApiTool[],
): Promise<CompiledCode> => {
  const { build } = await import('esbuild');
  const plugins = [bundlePlugin(guestModules(code, tools))];
  try {
    const { outputFiles, warnings } = await build({ ...OPTIONS, plugins });
    const wrong = warnings.filter(({ id }) => id === 'import-is-undefined');
    if (wrong.length > 0) throw badCode(wrong.map(issueOf));
    const named = (end: string): string =>
      outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
    return { text: named('.js'), placeIn: placeFinder(named('.js.map')) };
  } catch (error) {
    throw isBuildFailure(error) ? badCode(error.errors.map(issueOf)) : error;
  }
};
