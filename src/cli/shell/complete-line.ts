/** Completes a line: commands, subcommands, tools, fields of a tool and their values. */
import type { JsonSchema } from '../../contract/schema.ts';
import { alternativesOf, fixedValues, propertyOf, typesOf } from '../input/schema-alternatives.ts';

interface CompletionDeps {
  /** Names of the commands, without their slash, and of their subcommands. */
  readonly commands: ReadonlyMap<string, readonly string[]>;
  tools(): readonly string[];
  /** Returns the input schema of a tool; `undefined` for one that does not exist. */
  schemaOf(tool: string): JsonSchema | undefined;
}

/** Subcommands that take the name of a tool. */
const WITH_TOOL: ReadonlySet<string> = new Set([
  'tools info',
  'tools enable',
  'tools disable',
  'tools health',
  'tools test',
  'tools accept',
  'policy explain',
]);

const starting = (names: readonly string[], start: string): string[] =>
  names.filter((name) => name.startsWith(start)).toSorted();

const fieldNames = (schema: JsonSchema): readonly string[] => [
  ...new Set(
    alternativesOf(schema, schema).flatMap(({ properties }) =>
      typeof properties === 'object' && properties !== null ? Object.keys(properties) : [],
    ),
  ),
];

const valuesOf = (schema: JsonSchema, field: string): readonly string[] => {
  const schemas = propertyOf(alternativesOf(schema, schema), field, schema);
  const fixed = fixedValues(schemas).map(String);
  return fixed.length === 0 && typesOf(schemas).has('boolean') ? ['true', 'false'] : fixed;
};

/** Completes `path=`, or the values of `operation=` after the field is named. */
const completeInput = (
  schema: JsonSchema,
  word: string,
  used: readonly string[],
): readonly string[] => {
  const [, field, value] = /^([^=:]+)=(.*)$/.exec(word) ?? [];
  if (field !== undefined) {
    return starting(valuesOf(schema, field), value ?? '').map(
      (candidate) => `${field}=${candidate} `,
    );
  }
  const usedFields = new Set(used.map((pair) => /^[^=:]+/.exec(pair)?.[0]));
  const unusedFields = fieldNames(schema).filter((name) => !usedFields.has(name));
  return starting(unusedFields, word).map((name) => `${name}=`);
};

const spaced = (names: readonly string[]): string[] => names.map((name) => `${name} `);

const completeCommand = (
  { commands, tools }: CompletionDeps,
  before: readonly string[],
  word: string,
): readonly string[] => {
  const [command, ...rest] = before;
  if (command === undefined) {
    return spaced(starting([...commands.keys()], word.slice(1)).map((name) => `/${name}`));
  }
  const name = command.slice(1);
  if (rest.length === 0) return spaced(starting(commands.get(name) ?? [], word));
  return rest.length === 1 && WITH_TOOL.has(`${name} ${rest[0]}`)
    ? spaced(starting(tools(), word))
    : [];
};

/** Returns what readline expects: the candidates, and the part of the line that they replace. */
export const completeLine = (deps: CompletionDeps, line: string): readonly [string[], string] => {
  const words = line.trimStart().split(/\s+/);
  const word = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (line.trimStart().startsWith('/')) return [[...completeCommand(deps, before, word)], word];
  const [tool] = before;
  if (tool === undefined) return [spaced(starting(deps.tools(), word)), word];
  const schema = deps.schemaOf(tool);
  return [schema ? [...completeInput(schema, word, before.slice(1))] : [], word];
};
