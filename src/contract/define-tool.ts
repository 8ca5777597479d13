/** Completes and checks the definitions of tools. Does no I/O. */
import { ToolFailure } from './errors.ts';
import type { LazySchema } from './schema.ts';
import type { AcceptedBy, ParsedBy } from './schema-type.ts';
import { sentence } from './sentence.ts';
import { type NamedTool, TIERS, type Tool, type ToolDefinition } from './tool.ts';
import { bareSchema, unknownToolField, wrongToolField } from './tool-fields.ts';
import { isToolName } from './tool-name.ts';

/** The definition whose schemas give the types. */
type TypedDefinition<I, O> = Omit<ToolDefinition<I, O>, 'name' | 'input' | 'output'>;

const RESERVED_NAME = /^toolcrib:/i;

/** Tells whether a name, in upper or lower case, is reserved for tools of the crib: no catalog takes it. */
export const isReservedName = (name: string): boolean => RESERVED_NAME.test(name);

/**
 * One type parameter for each property that gives a type: TypeScript infers them from nothing else
 * while `run` waits for the type of its input.
 */
interface DefineTool {
  /** Input and data are what the schemas say, Zod or JSON Schema literals. */
  <const N extends string, const In extends LazySchema, const Out extends LazySchema>(
    definition: TypedDefinition<ParsedBy<In>, ParsedBy<Out>> & {
      readonly name: N;
      readonly input: In;
      readonly output: Out;
    },
  ): NamedTool<N, Tool<AcceptedBy<In>, ParsedBy<Out>>>;
  /** Without an output schema, data is what `run` returns. */
  <const N extends string, const In extends LazySchema, O>(
    definition: TypedDefinition<ParsedBy<In>, O> & {
      readonly name: N;
      readonly input: In;
      readonly output?: never;
    },
  ): NamedTool<N, Tool<AcceptedBy<In>, O>>;
  /** The types are given as type arguments, or the definition is no literal. */
  <I, O>(definition: ToolDefinition<I, O>): Tool<I, O>;
}

const NAME_RULE =
  'A tool name is 1 to 128 letters, digits, "_", ".", ":" or "-" and starts with a letter or digit';

const definitionFault = (definition: Pick<Tool, 'name' | 'tier'>): string | undefined => {
  if (typeof definition !== 'object' || definition === null) return 'A tool has to be an object.';
  const { name, tier } = definition;
  if (name === undefined && 'id' in definition) return 'A tool has a name, not an id.';
  if (!isToolName(name)) {
    return `${NAME_RULE}; got ${typeof name === 'string' ? JSON.stringify(name) : typeof name}.`;
  }
  if (!TIERS.includes(tier)) return `Tool ${name}: tier must be one of ${TIERS.join(', ')}.`;
  const fault =
    unknownToolField(definition) ?? wrongToolField(definition) ?? bareSchema(definition);
  return fault && `Tool ${name}: ${sentence(fault)}`;
};

/**
 * Completes a definition. Throws CONFIG_INVALID for an unusable name or tier, and for an unknown or
 * invalid field. Does no I/O.
 *
 * @example
 * const add = defineTool({
 *   name: 'add',
 *   description: 'Adds two numbers.',
 *   tier: 'read_only',
 *   input: z.strictObject({ a: z.number(), b: z.number() }),
 *   run: ({ a, b }) => a + b,
 * });
 * const result = await crib.execute(add, { a: 1, b: 2 });
 */
export const defineTool: DefineTool = <I, O>(definition: ToolDefinition<I, O>): Tool<I, O> => {
  const fault = definitionFault(definition);
  if (fault !== undefined) throw new ToolFailure('CONFIG_INVALID', fault);
  return {
    version: '1.0.0',
    source: 'custom',
    category: 'custom',
    capabilities: [],
    ...definition,
  };
};
