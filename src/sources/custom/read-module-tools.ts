/**
 * Reads the tools of one TypeScript file. The module never runs in this process: it describes its tools
 * inside the sandbox, and the description is untrusted data.
 */
import type { ToolFailure } from '../../contract/errors.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { buildTool, sandboxConfig, sandboxName } from './build-tool.ts';
import type { ToolCode } from './compile-tool.ts';
import { checkDefinition, type ModuleDefinition, moduleDefinition } from './definition-shape.ts';
import { moduleReach } from './derive-reach.ts';
import { BadToolFile, type Position, START } from './file-problem.ts';
import { type MappedCode, mapFailure } from './map-failure.ts';
import type { LocatedTool, ReaderDeps, ReadTool } from './read-tool.ts';

/** How long a module may take to describe its tools: it takes milliseconds, but machines are busy. */
const MAX_DESCRIBE_MS = 10_000;
const MAX_TOOLS = 100;

const positionOf = (text: string, pattern: RegExp): Position => {
  const at = text.search(pattern);
  if (at < 0) return START;
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
};

interface ToolDescription {
  readonly fields: unknown;
  readonly functions: readonly unknown[];
}

const isDescription = (value: unknown): value is ToolDescription =>
  isRecord(value) && Object.hasOwn(value, 'fields') && Array.isArray(value.functions);

const badFile = (file: string, position: Position, message: string): BadToolFile =>
  new BadToolFile([{ file, ...position, message }]);

const describeTools = async (
  code: MappedCode,
  { runCode, maxDescribeMs = MAX_DESCRIBE_MS }: Pick<ReaderDeps, 'runCode' | 'maxDescribeMs'>,
): Promise<unknown> => {
  try {
    return await runCode({
      code: code.text,
      name: code.name,
      input: { describe: true },
      context: undefined,
      config: sandboxConfig('wasm', maxDescribeMs),
    });
  } catch (error) {
    const mapped = mapFailure(error, code) as ToolFailure;
    const [, line, column] = /:(\d+):(\d+)\)?$/.exec(mapped.message) ?? [];
    const position = line === undefined ? START : { line: Number(line), column: Number(column) };
    throw badFile(code.file, position, mapped.message);
  }
};

const checkFunctions = (file: string, position: Position, functions: readonly unknown[]): void => {
  if (!functions.includes('run')) throw badFile(file, position, 'run: expected a function');
  const other = functions.find((name) => name !== 'run');
  if (other === undefined) return;
  const why = 'a function cannot leave the sandbox; only run is called';
  throw badFile(file, position, `${String(other)}: ${why}`);
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
    positionOf: (line, column) => ({ line, column }),
  };
  const { compiled, describe } = await compile(source);
  const position = positionOf(text, /export\s+default|export\s*\{[^}]*\bdefault\b/);
  if (!compiled.exports.includes('default')) {
    const message = 'exports no tool; write "export default defineTool({ … })"';
    throw badFile(file, position, message);
  }
  const name = sandboxName(file);
  const code: MappedCode = {
    name,
    text: compiled.code,
    map: compiled.map,
    file,
    positionOf: source.positionOf,
  };
  const list = await describe(() => describeTools(code, runner));
  if (!Array.isArray(list) || list.length > MAX_TOOLS || !list.every(isDescription)) {
    throw badFile(file, position, `expected one tool, or a list of at most ${MAX_TOOLS}`);
  }
  return list.map(({ fields, functions }, index): LocatedTool => {
    if (!isRecord(fields)) throw badFile(file, position, 'the default export is no tool');
    checkFunctions(file, position, functions);
    const checked = { file, value: fields, positionOf: () => position };
    const definition = checkDefinition(moduleDefinition, checked);
    const reach = moduleReach(definition);
    const parts = { definition, reach, code, request: { index }, rest: restOf(definition) };
    return { tool: buildTool(parts, runner), position };
  });
};
