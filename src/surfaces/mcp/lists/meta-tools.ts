/** The tools that stand for all others, as this protocol words them, over what a surface lists. */
import type { Tool } from '@modelcontextprotocol/server';
import type { CatalogEntry } from '../../../contract/catalog.ts';
import type { Crib } from '../../../contract/crib.ts';
import {
  CALL_TOOL,
  DESCRIBE_TOOL,
  type MetaSite,
  type MetaTool,
  SEARCH_TOOLS,
} from '../../../kit/model/meta-tools.ts';
import type { SurfaceKind } from '../mcp-options.ts';

const READS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;

const listed = (
  { name, description, schema }: MetaTool,
  annotations: NonNullable<Tool['annotations']>,
): Tool => ({ name, description, inputSchema: schema as Tool['inputSchema'], annotations });

const SEARCH = listed(SEARCH_TOOLS, READS);
const DESCRIBE = listed(DESCRIBE_TOOL, READS);
const CALL = listed(CALL_TOOL, { destructiveHint: true, openWorldHint: true });

export const META_TOOLS: Readonly<Record<SurfaceKind, readonly Tool[]>> = {
  full: [],
  search: [SEARCH, DESCRIBE, CALL],
  code: [SEARCH],
};

export const isMetaTool = (kind: SurfaceKind, name: string): boolean =>
  META_TOOLS[kind].some((tool) => tool.name === name);

export const isShown = ({ enabled, quarantine }: CatalogEntry): boolean =>
  enabled && quarantine === undefined;

/** Everything that is on and out of quarantine. */
export const metaSite = ({ tools }: Crib): MetaSite => ({
  search: (text, limit) =>
    tools.search({ text, limit, filter: { enabled: true } }).map(({ entry }) => entry),
  entry: (name) => {
    const entry = tools.get(name);
    return entry && isShown(entry) ? entry : undefined;
  },
  suggest: (name) => tools.suggest(name),
  schemas: ({ tool: { name } }) => ({
    inputSchema: tools.inputSchema(name),
    outputSchema: tools.outputSchema(name),
  }),
});
