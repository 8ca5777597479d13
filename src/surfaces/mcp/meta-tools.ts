/** The tools that stand for all others where listing them all would fill the prompt. */
import type { Tool } from '@modelcontextprotocol/server';
import type { CatalogEntry } from '../../contract/catalog.ts';
import type { Crib } from '../../contract/crib.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { SurfaceKind } from './mcp-options.ts';

const READS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;

const SEARCH: Tool = {
  name: 'search_tools',
  description: 'Finds tools by what they do. Returns names and summaries, best first.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'what you want to do, in a few words' },
      limit: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
    },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: READS,
};

const DESCRIBE: Tool = {
  name: 'describe_tool',
  description: 'The input and output schema, risk and examples of one tool. Read it before a call.',
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string', description: 'as search_tools returned it' } },
    required: ['name'],
    additionalProperties: false,
  },
  annotations: READS,
};

const CALL: Tool = {
  name: 'call_tool',
  description: 'Calls a tool by name. The input has to match the schema from describe_tool.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      input: { type: 'object', description: 'the input of that tool' },
    },
    required: ['name'],
    additionalProperties: false,
  },
  annotations: { destructiveHint: true, openWorldHint: true },
};

export const META_TOOLS: Readonly<Record<SurfaceKind, readonly Tool[]>> = {
  full: [],
  search: [SEARCH, DESCRIBE, CALL],
  code: [SEARCH],
};

export const isMetaTool = (kind: SurfaceKind, name: string): boolean =>
  META_TOOLS[kind].some((tool) => tool.name === name);

type Input = Readonly<Record<string, unknown>>;

const textField = (input: Input, field: string): string => {
  const value = Object.hasOwn(input, field) ? input[field] : undefined;
  if (typeof value === 'string' && value !== '') return value;
  throw new ToolFailure('VALIDATION_ERROR', undefined, {
    issues: [{ path: [field], message: 'has to be a text that is not empty' }],
  });
};

const MOST_HITS = 50;
const SUMMARY = 240;

const limitOf = ({ limit }: Input): number =>
  typeof limit === 'number' && limit >= 1 ? Math.min(Math.floor(limit), MOST_HITS) : 10;

const isShown = ({ enabled, quarantine }: CatalogEntry): boolean =>
  enabled && quarantine === undefined;

const summary = (text: string): string =>
  text.length > SUMMARY ? `${text.slice(0, SUMMARY)}…` : text;

const search = (crib: Crib, input: Input): unknown => {
  const text = textField(input, 'query');
  const limit = limitOf(input);
  const hits = crib.tools.search({ text, limit, filter: { enabled: true } });
  return {
    tools: hits
      .filter(({ entry }) => isShown(entry))
      .map(({ entry: { tool, wireName } }) => ({
        name: wireName,
        description: summary(tool.description),
        tier: tool.tier,
      })),
  };
};

const shownEntry = (crib: Crib, name: string): CatalogEntry => {
  const entry = crib.tools.get(name);
  if (entry && isShown(entry)) return entry;
  const close = crib.tools.suggest(name);
  throw new ToolFailure('TOOL_NOT_FOUND', undefined, {
    suggestions: close.length > 0 ? [`Close to it: ${close.join(', ')}`] : [],
  });
};

const describe = (crib: Crib, input: Input): unknown => {
  const { tool, wireName } = shownEntry(crib, textField(input, 'name'));
  const output = crib.tools.outputSchema(tool.name);
  return {
    name: wireName,
    description: tool.description,
    version: tool.version,
    tier: tool.tier,
    input: crib.tools.inputSchema(tool.name),
    ...(output && { output }),
    ...(tool.examples && {
      examples: tool.examples.map(({ title, input: example }) => ({ title, input: example })),
    }),
  };
};

/** Reads the catalog; runs nothing. Throws a ToolFailure on bad input. */
export const answerMeta = (crib: Crib, name: string, input: Input): unknown =>
  name === SEARCH.name ? search(crib, input) : describe(crib, input);

/** The call inside a `call_tool`. */
export const innerCall = (input: Input): { readonly name: string; readonly input: unknown } => ({
  name: textField(input, 'name'),
  input: Object.hasOwn(input, 'input') ? input.input : {},
});

export const CALL_TOOL = CALL.name;
