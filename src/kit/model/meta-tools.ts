/**
 * The three tools that stand for all others where showing them all would fill the prompt. What may be
 * found, described and called is for the place that offers them to say.
 */
import type { CatalogEntry } from '../../contract/catalog.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { JsonSchema } from '../../contract/schema.ts';
import { unknownNameText } from '../text/did-you-mean.ts';

const MAX_HITS = 50;
const USUAL_HITS = 10;
const SUMMARY = 240;

export interface MetaTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema & {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, JsonSchema>>;
  };
}

const closed = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: string,
): MetaTool['schema'] => ({
  type: 'object',
  properties,
  required: [required],
  additionalProperties: false,
});

export const SEARCH_TOOLS: MetaTool = {
  name: 'search_tools',
  description: 'Finds tools by what they do. Returns names and summaries, best first.',
  schema: closed(
    {
      query: { type: 'string', description: 'what you want to do, in a few words' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_HITS, default: USUAL_HITS },
    },
    'query',
  ),
};

export const DESCRIBE_TOOL: MetaTool = {
  name: 'describe_tool',
  description: 'The input and output schema, risk and examples of one tool. Read it before a call.',
  schema: closed({ name: { type: 'string', description: 'as search_tools returned it' } }, 'name'),
};

export const CALL_TOOL: MetaTool = {
  name: 'call_tool',
  description: 'Calls a tool by name. The input has to match the schema from describe_tool.',
  schema: closed(
    {
      name: { type: 'string' },
      input: { type: 'object', description: 'the input of that tool' },
    },
    'name',
  ),
};

export interface ToolSchemas {
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
}

/** The tools that may be found, described and called. */
export interface MetaDeps {
  /** Finds tools, the best first, and no more than the limit. */
  search(text: string, limit: number): readonly CatalogEntry[];
  entry(name: string): CatalogEntry | undefined;
  /** Lists names close to one that has no entry. */
  suggest(name: string): readonly string[];
  /** Returns the schemas of a tool; nothing where they cannot be shown. */
  schemas(entry: CatalogEntry): ToolSchemas | undefined;
  /** What is found comes with its schemas, where no `describe_tool` stands beside the search. */
  readonly withSchemas?: boolean;
}

const field = (input: unknown, name: string): unknown =>
  typeof input === 'object' && input !== null && Object.hasOwn(input, name)
    ? (input as Record<string, unknown>)[name]
    : undefined;

/** Refuses fields that a tool does not have: dropped without a word, they would look like a missing input. */
const assertFields = ({ schema }: MetaTool, input: unknown): void => {
  const names = Object.keys(schema.properties);
  const given = typeof input === 'object' && input !== null ? Object.keys(input) : [];
  const issues = given
    .filter((name) => !names.includes(name))
    .map((name) => ({ path: [name], message: unknownNameText(name, names) }));
  if (issues.length > 0) throw new ToolFailure('VALIDATION_ERROR', undefined, { issues });
};

const textField = (input: unknown, name: string): string => {
  const value = field(input, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new ToolFailure('VALIDATION_ERROR', undefined, {
    issues: [{ path: [name], message: 'has to be a text that is not empty' }],
  });
};

const limitOf = (input: unknown): number => {
  const limit = field(input, 'limit');
  return typeof limit === 'number' && limit >= 1
    ? Math.min(Math.floor(limit), MAX_HITS)
    : USUAL_HITS;
};

const summary = (text: string): string =>
  text.length > SUMMARY ? `${text.slice(0, SUMMARY)}…` : text;

const schemasIn = (deps: MetaDeps, entry: CatalogEntry) => {
  const { inputSchema, outputSchema } = deps.schemas(entry) ?? {};
  return {
    ...(inputSchema && { input: inputSchema }),
    ...(outputSchema && { output: outputSchema }),
  };
};

const search = (deps: MetaDeps, input: unknown) => ({
  tools: deps.search(textField(input, 'query'), limitOf(input)).map((entry) => ({
    name: entry.wireName,
    description: summary(entry.tool.description),
    tier: entry.tool.tier,
    ...(deps.withSchemas === true && schemasIn(deps, entry)),
  })),
});

const noSuchTool = (close: readonly string[]): ToolFailure =>
  new ToolFailure('TOOL_NOT_FOUND', undefined, {
    suggestions: close.length > 0 ? [`Close to it: ${close.join(', ')}`] : [],
  });

const describe = (deps: MetaDeps, input: unknown) => {
  const name = textField(input, 'name');
  const entry = deps.entry(name);
  if (!entry) throw noSuchTool(deps.suggest(name));
  const { tool, wireName } = entry;
  return {
    name: wireName,
    description: tool.description,
    version: tool.version,
    tier: tool.tier,
    ...schemasIn(deps, entry),
    ...(tool.examples && {
      examples: tool.examples.map(({ title, input: example }) => ({ title, input: example })),
    }),
  };
};

/** Reads the catalog; runs nothing. Throws a ToolFailure on bad input. */
export const answerMeta = (
  deps: MetaDeps,
  name: string,
  input: unknown,
): Readonly<Record<string, unknown>> => {
  const isSearch = name === SEARCH_TOOLS.name;
  assertFields(isSearch ? SEARCH_TOOLS : DESCRIBE_TOOL, input);
  return isSearch ? search(deps, input) : describe(deps, input);
};

/** Reads the call inside a `call_tool`. */
export const innerCall = (input: unknown): { readonly name: string; readonly input: unknown } => {
  assertFields(CALL_TOOL, input);
  return { name: textField(input, 'name'), input: field(input, 'input') ?? {} };
};
