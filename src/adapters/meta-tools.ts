/** The three tools that stand for all others where showing them all would fill the prompt. */
import type { CatalogEntry } from '../contract/catalog.ts';
import type { Crib } from '../contract/crib.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { JsonSchema } from '../contract/schema.ts';

const MOST_HITS = 50;
const SUMMARY = 240;

const closed = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: string,
): JsonSchema => ({
  type: 'object',
  properties,
  required: [required],
  additionalProperties: false,
});

const SEARCH = {
  name: 'search_tools',
  description: 'Finds tools by what they do. Returns names and summaries, best first.',
  strict: false,
  schema: closed(
    {
      query: { type: 'string', description: 'what you want to do, in a few words' },
      limit: { type: 'integer', minimum: 1, maximum: MOST_HITS, default: 10 },
    },
    'query',
  ),
} as const;

const DESCRIBE = {
  name: 'describe_tool',
  description: 'The input and output schema, risk and examples of one tool. Read it before a call.',
  strict: false,
  schema: closed({ name: { type: 'string', description: 'as search_tools returned it' } }, 'name'),
} as const;

const CALL = {
  name: 'call_tool',
  description: 'Calls a tool by name. The input has to match the schema from describe_tool.',
  strict: false,
  schema: closed(
    {
      name: { type: 'string' },
      input: { type: 'object', description: 'the input of that tool' },
    },
    'name',
  ),
} as const;

export const META_TOOLS = [SEARCH, DESCRIBE, CALL] as const;
export const CALL_TOOL = CALL.name;

export interface ToolSchemas {
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

/** By wire name; nothing for a tool whose input is no object. */
export type SchemasOf = (name: string) => ToolSchemas | undefined;

/** The tools that may be found, described and called. */
export interface MetaSite {
  readonly crib: Crib;
  /** By wire name. */
  readonly entries: ReadonlyMap<string, CatalogEntry>;
  readonly schemas: SchemasOf;
}

const field = (input: unknown, name: string): unknown =>
  typeof input === 'object' && input !== null && Object.hasOwn(input, name)
    ? (input as Record<string, unknown>)[name]
    : undefined;

const textField = (input: unknown, name: string): string => {
  const value = field(input, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new ToolFailure('VALIDATION_ERROR', undefined, {
    issues: [{ path: [name], message: 'has to be a text that is not empty' }],
  });
};

const limitOf = (input: unknown): number => {
  const limit = field(input, 'limit');
  return typeof limit === 'number' && limit >= 1 ? Math.min(Math.floor(limit), MOST_HITS) : 10;
};

const summary = (text: string): string =>
  text.length > SUMMARY ? `${text.slice(0, SUMMARY)}…` : text;

const search = ({ crib, entries }: MetaSite, input: unknown): unknown => {
  const hits = crib.tools.search({
    text: textField(input, 'query'),
    // Those of other sets are taken out afterwards.
    limit: Math.max(entries.size, MOST_HITS),
    filter: { enabled: true },
  });
  const tools = hits
    .flatMap(({ entry }) => entries.get(entry.wireName) ?? [])
    .slice(0, limitOf(input))
    .map(({ tool, wireName }) => ({
      name: wireName,
      description: summary(tool.description),
      tier: tool.tier,
    }));
  return { tools };
};

const describe = ({ entries, schemas }: MetaSite, input: unknown): unknown => {
  const entry = entries.get(textField(input, 'name'));
  if (!entry) throw new ToolFailure('TOOL_NOT_FOUND');
  const { tool, wireName } = entry;
  const { inputSchema, outputSchema } = schemas(wireName) ?? {};
  return {
    name: wireName,
    description: tool.description,
    version: tool.version,
    tier: tool.tier,
    ...(inputSchema && { input: inputSchema }),
    ...(outputSchema && { output: outputSchema }),
    ...(tool.examples && {
      examples: tool.examples.map(({ title, input: example }) => ({ title, input: example })),
    }),
  };
};

/** Reads the catalog; runs nothing. Throws a ToolFailure on bad input. */
export const answerMeta = (site: MetaSite, name: string, input: unknown): unknown =>
  name === SEARCH.name ? search(site, input) : describe(site, input);

/** The call inside a `call_tool`. */
export const innerCall = (input: unknown): { readonly name: string; readonly input: unknown } => ({
  name: textField(input, 'name'),
  input: field(input, 'input') ?? {},
});
