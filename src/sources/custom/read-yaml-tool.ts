/** Reads the tool of one YAML file: its definition, and its code with its position in the file. */
import type { Scalar } from 'yaml';
import type { Tool } from '../../contract/tool.ts';
import { readYaml, type YamlPath, type YamlRules } from '../../kit/text/strict-yaml.ts';
import { buildTool, type Runner, sandboxName } from './build-tool.ts';
import type { CompiledCode, ToolCode } from './compile-tool.ts';
import { isComposed, isMeantComposed } from './composed-file.ts';
import { checkDefinition, type YamlDefinition, yamlDefinition } from './definition-shape.ts';
import { yamlReach } from './derive-reach.ts';
import { BadToolFile, type Position, START } from './file-problem.ts';
import type { ReadTool } from './read-tool.ts';

/**
 * Maps positions in the code to the file. Each line of a block is an indented line of the file; positions
 * in quoted text are not known, so its start is used.
 */
const positionMapper = (text: string, start: Position, scalar: Scalar | undefined) => {
  if (scalar?.type !== 'BLOCK_LITERAL') return () => start;
  const below = text.split('\n').slice(start.line);
  const first = below.find((line) => line.trim() !== '') ?? '';
  const indent = first.length - first.trimStart().length;
  return (line: number, column: number): Position => ({
    line: start.line + line,
    column: column + indent,
  });
};

const FUNCTIONS: readonly string[] = ['execute', 'run', 'default'];

const assertCallable = ({ file, positionOf }: ToolCode, { exports }: CompiledCode): void => {
  if (exports.some((name) => FUNCTIONS.includes(name))) return;
  const message = 'code: exports no function "execute"; write "export async function execute"';
  throw new BadToolFile([{ file, ...positionOf(1, 1), message }]);
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
        positionOf: code.positionOf,
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

/** Throws `BadToolFile`. A composition is returned as it is: what it is made of is not known here. */
export const readYamlTool: ReadTool = async ({ file, text }, { compile, ...runner }) => {
  const yaml = await readStrictYaml(file, text);
  const { value, positionOf } = yaml;
  if (isComposed(value)) return { file, text, value, positionOf };
  if (isMeantComposed(value)) {
    const message = 'type: a file with a composition needs "type: composed"';
    throw new BadToolFile([{ file, ...positionOf(['type']), message }]);
  }
  const definition = checkDefinition(yamlDefinition, { file, value, positionOf });
  const code: ToolCode = {
    kind: 'yaml',
    file,
    text: definition.code,
    loader: definition.runtime === 'typescript' ? 'ts' : 'js',
    positionOf: positionMapper(text, positionOf(['code']), yaml.scalar(['code'])),
  };
  const { compiled } = await compile(code);
  assertCallable(code, compiled);
  return [
    { tool: toolOf(definition, code, { compiled, ...runner }), position: positionOf(['name']) },
  ];
};

const RULES: YamlRules = { maxDepth: 40, maxNodes: 50_000, aliases: 'refuse' };

interface StrictYaml {
  readonly value: unknown;
  /** Gives the position of a value, or of the nearest existing one around it. */
  positionOf(path: readonly PropertyKey[]): Position;
  /** Gives the node of a text value, with its start and end in the file. */
  scalar(path: readonly PropertyKey[]): Scalar | undefined;
}

/** Parses the text of a tool file. Refuses aliases. Throws `BadToolFile` with all faults. */
export const readStrictYaml = async (file: string, text: string): Promise<StrictYaml> => {
  const library = await import('yaml');
  const { value, faults, placeOf } = readYaml(library, text, RULES);
  if (faults.length > 0) {
    throw new BadToolFile(
      faults.map(({ line, column, message }) => ({ file, line, column, message })),
    );
  }
  const at = (path: readonly PropertyKey[]) => placeOf(path as YamlPath);
  const positionOf = (path: readonly PropertyKey[]): Position =>
    at(path)?.value ?? (path.length === 0 ? START : positionOf(path.slice(0, -1)));
  return {
    value,
    positionOf,
    scalar: (path) => {
      const node = at(path)?.node;
      return library.isScalar(node) ? node : undefined;
    },
  };
};
