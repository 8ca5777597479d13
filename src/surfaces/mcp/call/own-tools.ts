/**
 * The tools of the surface itself (`search_tools`, `describe_tool`, `call_tool`): answers them, and
 * finds the call that a request is about.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ToolFailure, toolError } from '../../../contract/errors.ts';
import { answerMeta, CALL_TOOL, innerCall, SEARCH_TOOLS } from '../../../kit/model/meta-tools.ts';
import { isMetaTool, isShown, metaDeps, SEARCH_API } from '../lists/meta-tools.ts';
import type { ServerDeps } from '../surface-deps.ts';
import { META } from './tool-reply.ts';

export interface NamedCall {
  readonly name: string;
  readonly input: unknown;
}

/** Makes the protocol error for a name that no tool has. */
export const unknownTool = (deps: ServerDeps, name: string): Error => {
  const { ProtocolError, ProtocolErrorCode } = deps.sdk;
  const close = deps.kind === 'full' ? deps.crib.tools.suggest(name) : [];
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool', {
    code: 'TOOL_NOT_FOUND',
    ...(close.length > 0 && { suggestions: close }),
  });
};

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

/** Answers bad input of the surface's own tools with an error that the model can correct. */
export const refusal = (error: unknown): CallToolResult => {
  if (!(error instanceof ToolFailure)) throw error;
  const { code, message, extras } = error;
  const { issues = [], suggestions } = toolError(code, message, extras);
  const lines = [
    `${code}: ${message}`,
    ...issues.map(({ path, message: what }) => `- ${path.join('.')}: ${what}`),
    ...suggestions.map((each) => `- ${each}`),
  ];
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    isError: true,
    _meta: { [META.code]: code },
  };
};

/** Tells a search of the code surface that the tool `search_api` answers, where the crib has it. */
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
