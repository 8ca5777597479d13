/** The tools a surface lists: those that are on and out of quarantine, as the protocol words them. */
import type { Tool } from '@modelcontextprotocol/server';
import type { CatalogEntry } from '../../../contract/catalog.ts';
import type { Crib } from '../../../contract/crib.ts';
import type { JsonSchema } from '../../../contract/schema.ts';
import { SEARCH_TOOLS } from '../../../kit/model/meta-tools.ts';
import type { SurfaceKind } from '../mcp-options.ts';
import { isShown, META_TOOLS, SEARCH_API } from './meta-tools.ts';

/** The tools that stand beside the ones of the surface, where the crib has them. */
const COMPANIONS: Readonly<Record<SurfaceKind, readonly string[]>> = {
  full: [],
  search: ['read_result'],
  code: ['run_code', 'read_result'],
};

/** What comes instead of a result that is too large to hand over. */
const HANDLE = {
  type: 'object',
  properties: {
    handle: { type: 'string' },
    bytes: { type: 'integer' },
    preview: { type: 'string' },
  },
  required: ['handle', 'bytes', 'preview'],
} as const;

/** References other than into the definitions would lead elsewhere once the schema is wrapped. */
const canWrap = (schema: JsonSchema): boolean =>
  !/"\$(?:ref|dynamicRef)":"(?!#\/(?:\$defs|definitions)\/)/.test(JSON.stringify(schema)) &&
  schema.$id === undefined;

const wrapped = (schema: JsonSchema): JsonSchema | undefined => {
  if (!canWrap(schema)) return undefined;
  const { $schema, $defs, definitions, ...own } = schema;
  return {
    ...($schema !== undefined && { $schema }),
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    type: 'object',
    anyOf: [own, HANDLE],
  };
};

/** A result may be a handle instead: the schema says so, or clients would refuse it. */
const listed = (definition: Record<string, unknown>): Tool => {
  const { outputSchema, ...rest } = definition;
  const schema = outputSchema === undefined ? undefined : wrapped(outputSchema as JsonSchema);
  return { ...rest, ...(schema && { outputSchema: schema }) } as Tool;
};

/** The code surface has one search, under its own name: its texts name no tool that is not listed. */
const inWordsOf = (kind: SurfaceKind, tool: Tool): Tool =>
  kind === 'code' && tool.description !== undefined
    ? { ...tool, description: tool.description.replaceAll(SEARCH_API, SEARCH_TOOLS.name) }
    : tool;

export interface ListedTools {
  all(): readonly Tool[];
  /** The entry behind a name of the list; a tool that is not listed has none. */
  entry(name: string): CatalogEntry | undefined;
}

/** Reads results that are too large to hand over, whoever made them. */
const RESULT_READER = 'read_result';

/** Whether a surface that is limited to some servers offers this tool. */
const isOfServers = ({ tool }: CatalogEntry, servers: readonly string[] | undefined): boolean =>
  servers === undefined ||
  tool.name === RESULT_READER ||
  servers.some((name) => tool.server === `mcp:${name}`);

export const listedTools = (
  crib: Crib,
  kind: SurfaceKind,
  servers?: readonly string[],
): ListedTools => {
  const kept = new WeakMap<object, Tool>();
  const once = (definition: Record<string, unknown>): Tool => {
    const tool = kept.get(definition) ?? inWordsOf(kind, listed(definition));
    kept.set(definition, tool);
    return tool;
  };
  const isOpen = (entry: CatalogEntry): boolean =>
    isShown(entry) &&
    isOfServers(entry, servers) &&
    (kind === 'full' || COMPANIONS[kind].includes(entry.tool.name));
  const own = (): readonly Tool[] => {
    const names = new Set(crib.tools.list({ enabled: true }).filter(isOpen).map(wireNameOf));
    return crib.tools
      .forModel('mcp')
      .definitions.filter(({ name }) => names.has(String(name)))
      .map(once);
  };
  const entry = (name: string): CatalogEntry | undefined => {
    const found = crib.tools.get(name);
    return found && isOpen(found) ? found : undefined;
  };
  return {
    all: () => [...META_TOOLS[kind], ...own()],
    entry,
  };
};

const wireNameOf = ({ wireName }: CatalogEntry): string => wireName;
