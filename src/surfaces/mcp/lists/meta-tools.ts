/** The tools of the search and code surfaces through which all others are found and called. */
import type { Tool } from '@modelcontextprotocol/server';
import type { CatalogEntry } from '../../../contract/catalog.ts';
import type { Crib } from '../../../contract/crib.ts';
import {
  CALL_TOOL,
  DESCRIBE_TOOL,
  type MetaDeps,
  type MetaTool,
  SEARCH_TOOLS,
} from '../../../kit/model/meta-tools.ts';
import type { SurfaceKind } from '../mcp-options.ts';

const READS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;

const listed = (
  { name, description, schema }: MetaTool,
  annotations: NonNullable<Tool['annotations']>,
): Tool => ({ name, description, inputSchema: schema as Tool['inputSchema'], annotations });

/** The tool behind the search of the code surface: it answers with declarations for programs. */
export const SEARCH_API = 'search_api';

const SEARCH = listed(SEARCH_TOOLS, READS);
const SEARCH_FOR_CODE = listed(
  {
    ...SEARCH_TOOLS,
    description:
      'Finds tools by what they do. Returns what they take and give back, for programs that run_code runs.',
  },
  READS,
);
const DESCRIBE = listed(DESCRIBE_TOOL, READS);
const CALL = listed(CALL_TOOL, { destructiveHint: true, openWorldHint: true });

export const META_TOOLS: Readonly<Record<SurfaceKind, readonly Tool[]>> = {
  full: [],
  search: [SEARCH, DESCRIBE, CALL],
  code: [SEARCH_FOR_CODE],
};

export const isMetaTool = (kind: SurfaceKind, name: string): boolean =>
  META_TOOLS[kind].some((tool) => tool.name === name);

export const isShown = ({ enabled, quarantine }: CatalogEntry): boolean =>
  enabled && quarantine === undefined;

/** Gives these tools access to everything that is enabled and out of quarantine. */
export const metaDeps = ({ tools }: Crib): MetaDeps => ({
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
