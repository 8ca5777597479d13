/**
 * The tools of the surface itself (`search_tools`, `describe_tool`, `call_tool`), through which the
 * search and code surfaces find and call all others: defines and answers them, and finds the call
 * that a request is about.
 */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { CatalogEntry } from '../../../contract/catalog.ts';
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure, toolError } from '../../../contract/errors.ts';
import { FLOW_PREFIX } from '../../../kit/model/flow-name.ts';
import {
  answerMeta,
  CALL_TOOL,
  DESCRIBE_TOOL,
  innerCall,
  type MetaDeps,
  type MetaTool,
  SEARCH_TOOLS,
} from '../../../kit/model/meta-tools.ts';
import { issuesBeside, issueText } from '../../../kit/text/issues-text.ts';
import type { SurfaceKind } from '../mcp-options.ts';
import type { ServerDeps } from '../surface-deps.ts';
import { META } from './tool-reply.ts';

export interface NamedCall {
  readonly name: string;
  readonly input: unknown;
}

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

/** What each surface lists of them. */
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
const metaDeps = ({ tools }: Crib): MetaDeps => ({
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

/** Answers a call of a tool of the surface itself. */
export const metaReply = (deps: ServerDeps, { name, input }: NamedCall): CallToolResult => {
  // Without describe_tool the search has to return the schemas.
  const about = { ...metaDeps(deps.crib), withSchemas: deps.kind === 'code' };
  const data = answerMeta(about, name, input);
  return {
    content: [{ type: 'text', text: JSON.stringify(data) }],
    structuredContent: { ...data },
  };
};

/** Makes the protocol error for a name that no tool has. */
export const unknownTool = (deps: ServerDeps, name: string): Error => {
  const { ProtocolError, ProtocolErrorCode } = deps.sdk;
  const close = deps.kind === 'full' ? deps.crib.tools.suggest(name) : [];
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool', {
    code: 'TOOL_NOT_FOUND',
    ...(close.length > 0 && { suggestions: close }),
  });
};

/** Answers bad input of the surface's own tools with an error that the model can correct. */
export const refusal = (error: unknown): CallToolResult => {
  if (!(error instanceof ToolFailure)) throw error;
  const { code, message, extras } = error;
  const { issues = [], suggestions } = toolError(code, message, extras);
  const lines = [
    `${code}: ${message}`,
    ...issuesBeside(message, issues).map((issue) => `- ${issueText(issue)}`),
    ...suggestions.map((each) => `- ${each}`),
  ];
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    isError: true,
    _meta: { [META.code]: code },
  };
};

/** Tells whether a name may be that of an offered flow: it has the prefix, and no real tool has it. */
export const isFlow = ({ flows, crib }: ServerDeps, name: string): boolean =>
  flows !== undefined && name.startsWith(FLOW_PREFIX) && !crib.tools.has(name);

/** Tells whether a call is a search of the code surface for which the crib has the tool `search_api`. */
export const searchesApi = ({ kind, crib }: ServerDeps, name: string): boolean => {
  if (kind !== 'code' || name !== SEARCH_TOOLS.name) return false;
  const entry = crib.tools.get(SEARCH_API);
  return entry !== undefined && isShown(entry);
};

/** Returns the call behind the request. Only tools that the surface lists can be called by name. */
export const callOf = (deps: ServerDeps, { name, input }: NamedCall): NamedCall => {
  if (name === CALL_TOOL.name && isMetaTool(deps.kind, name)) return innerCall(input);
  if (searchesApi(deps, name)) return { name: SEARCH_API, input };
  // An unknown name on the full surface goes through the crib, so that the attempt is on record.
  const isLimited = deps.kind !== 'full' || deps.options.servers !== undefined;
  if (isLimited && !deps.tools.entry(name)) throw unknownTool(deps, name);
  return { name, input };
};
