/**
 * One TypeScript file to its tools. The module is never run in this process: it is asked in the
 * sandbox what its tools are, and what it tells is data like any other.
 */
import type { ToolFailure } from '../../contract/errors.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { buildTool, type RunCode, sandboxConfig, sandboxName } from './build-tool.ts';
import { checkDefinition } from './check-definition.ts';
import type { ToolCode } from './compile-tool.ts';
import { type ModuleDefinition, moduleDefinition } from './definition-shape.ts';
import { moduleReach } from './derive-reach.ts';
import { BadToolFile, type Place, START } from './file-problem.ts';
import { type MappedCode, mapFailure } from './map-failure.ts';
import type { FoundTool, ReadTool } from './read-tool.ts';

/** How long a module may take to say what it is. */
const TELLING_MS = 2_000;
const MAX_TOOLS = 100;

const placeOf = (text: string, pattern: RegExp): Place => {
  const at = text.search(pattern);
  if (at < 0) return START;
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
};

interface Told {
  readonly fields: unknown;
  readonly functions: readonly unknown[];
}

const isTold = (value: unknown): value is Told =>
  isRecord(value) && Object.hasOwn(value, 'fields') && Array.isArray(value.functions);

const complaint = (file: string, place: Place, message: string): BadToolFile =>
  new BadToolFile([{ file, ...place, message }]);

const askModule = async (code: MappedCode, runCode: RunCode): Promise<unknown> => {
  try {
    return await runCode({
      code: code.text,
      name: code.name,
      input: { describe: true },
      context: undefined,
      config: sandboxConfig('wasm', TELLING_MS),
    });
  } catch (error) {
    const mapped = mapFailure(error, code) as ToolFailure;
    const [, line, column] = /:(\d+):(\d+)\)?$/.exec(mapped.message) ?? [];
    const place = line === undefined ? START : { line: Number(line), column: Number(column) };
    throw complaint(code.file, place, mapped.message);
  }
};

const checkFunctions = (file: string, place: Place, functions: readonly unknown[]): void => {
  if (!functions.includes('run')) throw complaint(file, place, 'run: expected a function');
  const other = functions.find((name) => name !== 'run');
  if (other === undefined) return;
  const why = 'a function cannot leave the sandbox; only run is called';
  throw complaint(file, place, `${String(other)}: ${why}`);
};

const restOf = (definition: ModuleDefinition) => {
  const { input, category, aliases, actionField, idempotent, enabled } = definition;
  return {
    input,
    category,
    ...(aliases !== undefined && { aliases }),
    ...(actionField !== undefined && { actionField }),
    ...(idempotent !== undefined && { idempotent }),
    ...(!enabled && { enabled }),
  };
};

/** Throws `BadToolFile`. */
export const readModuleTools: ReadTool = async ({ file, text }, { compile, ...runner }) => {
  const source: ToolCode = {
    kind: 'module',
    file,
    text,
    loader: file.endsWith('.js') || file.endsWith('.mjs') ? 'js' : 'ts',
    place: (line, column) => ({ line, column }),
  };
  const { compiled, told } = await compile(source);
  const place = placeOf(text, /export\s+default|export\s*\{[^}]*\bdefault\b/);
  if (!compiled.exports.includes('default')) {
    const message = 'exports no tool; write "export default defineTool({ … })"';
    throw complaint(file, place, message);
  }
  const { place: identity } = source;
  const name = sandboxName(file);
  const code: MappedCode = { name, text: compiled.code, map: compiled.map, file, place: identity };
  const list = await told(() => askModule(code, runner.runCode));
  if (!Array.isArray(list) || list.length > MAX_TOOLS || !list.every(isTold)) {
    throw complaint(file, place, `expected one tool, or a list of at most ${MAX_TOOLS}`);
  }
  return list.map(({ fields, functions }, index): FoundTool => {
    if (!isRecord(fields)) throw complaint(file, place, 'the default export is no tool');
    checkFunctions(file, place, functions);
    const checked = { file, value: fields, place: () => place };
    const definition = checkDefinition(moduleDefinition, checked);
    const reach = moduleReach(definition);
    const built = { definition, reach, code, request: { index }, rest: restOf(definition) };
    return { tool: buildTool(built, runner), place };
  });
};
