/** The tools that a surface lists: enabled and out of quarantine, as definitions of the protocol. */
import type { Tool } from '@modelcontextprotocol/server';
import type { CatalogEntry } from '../../../contract/catalog.ts';
import type { Crib } from '../../../contract/crib.ts';
import type { JsonSchema } from '../../../contract/schema.ts';
import { SEARCH_TOOLS } from '../../../kit/model/meta-tools.ts';
import { isShown, META_TOOLS, SEARCH_API } from '../call/own-tools.ts';
import type { SurfaceKind } from '../mcp-options.ts';
import type { ListedTools } from '../surface-deps.ts';

/** Tools that are listed beside the surface's own, where the crib has them. */
const COMPANIONS: Readonly<Record<SurfaceKind, readonly string[]>> = {
  full: [],
  search: ['read_result'],
  code: ['run_code', 'read_result'],
};

/** The schema of what replaces a result that is too large to hand over. */
const HANDLE = {
  type: 'object',
  properties: {
    handle: { type: 'string' },
    bytes: { type: 'integer' },
    preview: { type: 'string' },
  },
  required: ['handle', 'bytes', 'preview'],
} as const;

/** Tells whether a schema can be wrapped: references outside its definitions would break. */
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

/** Adds the handle to the output schema, because clients would refuse a result that does not fit. */
const listed = (definition: Record<string, unknown>): Tool => {
  const { outputSchema, ...rest } = definition;
  const schema = outputSchema === undefined ? undefined : wrapped(outputSchema as JsonSchema);
  return { ...rest, ...(schema && { outputSchema: schema }) } as Tool;
};

/** Renames the search in the texts of the code surface, which lists it under its own name. */
const withListedNames = (kind: SurfaceKind, tool: Tool): Tool =>
  kind === 'code' && tool.description !== undefined
    ? { ...tool, description: tool.description.replaceAll(SEARCH_API, SEARCH_TOOLS.name) }
    : tool;

/** The tool that reads large results is offered whatever the servers. */
const RESULT_READER = 'read_result';

/** Tells whether a surface that is limited to some servers offers this tool. */
const isOfServers = ({ tool }: CatalogEntry, servers: readonly string[] | undefined): boolean =>
  servers === undefined ||
  tool.name === RESULT_READER ||
  servers.some((name) => tool.server === `mcp:${name}`);

export const listedTools = (
  crib: Crib,
  kind: SurfaceKind,
  servers?: readonly string[],
): ListedTools => {
  const cache = new WeakMap<object, Tool>();
  const cached = (definition: Record<string, unknown>): Tool => {
    const tool = cache.get(definition) ?? withListedNames(kind, listed(definition));
    cache.set(definition, tool);
    return tool;
  };
  const isListed = (entry: CatalogEntry): boolean =>
    isShown(entry) &&
    isOfServers(entry, servers) &&
    (kind === 'full' || COMPANIONS[kind].includes(entry.tool.name));
  const own = (): readonly Tool[] => {
    const names = new Set(
      crib.tools
        .list({ enabled: true })
        .filter(isListed)
        .map(({ wireName }) => wireName),
    );
    return crib.tools
      .forModel('mcp')
      .definitions.filter(({ name }) => names.has(String(name)))
      .map(cached);
  };
  const entry = (name: string): CatalogEntry | undefined => {
    const listedEntry = crib.tools.get(name);
    return listedEntry && isListed(listedEntry) ? listedEntry : undefined;
  };
  return {
    all: () => [...META_TOOLS[kind], ...own()],
    entry,
  };
};
