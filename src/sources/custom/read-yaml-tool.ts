/** One YAML file to a tool: its definition, and its code with where that stands in the file. */
import type { Scalar } from 'yaml';
import type { Tool } from '../../contract/tool.ts';
import { buildTool, type Runner, sandboxName } from './build-tool.ts';
import { checkDefinition } from './check-definition.ts';
import type { CompiledCode, ToolCode } from './compile-tool.ts';
import { type YamlDefinition, yamlDefinition } from './definition-shape.ts';
import { yamlReach } from './derive-reach.ts';
import { BadToolFile, type Place } from './file-problem.ts';
import { readStrictYaml } from './read-strict-yaml.ts';
import type { ReadTool } from './read-tool.ts';

/**
 * Where a place in the code is in the file. Of a block every line is a line of the file, indented; of
 * text in quotes that cannot be told, so it is where the text begins.
 */
const placer = (text: string, start: Place, scalar: Scalar | undefined) => {
  if (scalar?.type !== 'BLOCK_LITERAL') return () => start;
  const below = text.split('\n').slice(start.line);
  const first = below.find((line) => line.trim() !== '') ?? '';
  const indent = first.length - first.trimStart().length;
  return (line: number, column: number): Place => ({
    line: start.line + line,
    column: column + indent,
  });
};

const FUNCTIONS: readonly string[] = ['execute', 'run', 'default'];

const assertCallable = ({ file, place }: ToolCode, { exports }: CompiledCode): void => {
  if (exports.some((name) => FUNCTIONS.includes(name))) return;
  const message = 'code: exports no function "execute"; write "export async function execute"';
  throw new BadToolFile([{ file, ...place(1, 1), message }]);
};

const toolOf = (
  definition: YamlDefinition,
  code: ToolCode,
  { compiled, ...runner }: Runner & { readonly compiled: CompiledCode },
): Tool =>
  buildTool(
    {
      definition,
      reach: yamlReach(definition),
      code: {
        name: sandboxName(code.file),
        text: compiled.code,
        map: compiled.map,
        file: code.file,
        place: code.place,
      },
      request: {},
      rest: {
        input: definition.schema,
        category: 'custom',
        ...(!definition.enabled && { enabled: false }),
      },
    },
    runner,
  );

/** Throws `BadToolFile`. */
export const readYamlTool: ReadTool = async ({ file, text }, { compile, ...runner }) => {
  const yaml = await readStrictYaml(file, text);
  const { value, place } = yaml;
  const definition = checkDefinition(yamlDefinition, { file, value, place });
  const code: ToolCode = {
    kind: 'yaml',
    file,
    text: definition.code,
    loader: definition.runtime === 'typescript' ? 'ts' : 'js',
    place: placer(text, place(['code']), yaml.scalar(['code'])),
  };
  const { compiled } = await compile(code);
  assertCallable(code, compiled);
  return [{ tool: toolOf(definition, code, { compiled, ...runner }), place: place(['name']) }];
};
