/** Builds a tool from the listing of a server. The user decides its risk; hints of the server can only raise it. */
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { ToolContext } from '../../../contract/context.ts';
import { defineTool } from '../../../contract/define-tool.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { TraceContext } from '../../../contract/telemetry.ts';
import type { Capability, Tier, Tool } from '../../../contract/tool.ts';
import { judgeSchema } from '../../../kit/data/judge-schema.ts';
import { secretKeysOf } from '../../../kit/text/resolve-secrets.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { readResult } from '../call/read-result.ts';
import { askersOf, isErrorAnswer } from '../call/running-calls.ts';
import type { Connection } from '../connect-server.ts';
import { mayHaveRun, serverFailure } from '../server-failure.ts';
import type { ServerLink } from '../server-link.ts';
import type { ServerSettings } from '../server-settings.ts';
import { assignedFlow } from './flow-labels.ts';
import type { ToolHints, ToolListing } from './list-server.ts';

const MAX_DESCRIPTION = 20_000;
const MAX_TITLE = 200;

const UNUSABLE = /[^A-Za-z0-9_.:-]+/g;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;

/** Gives the name, or the nearest legal one; `undefined` when there is none. */
const usableName = (name: string): string | undefined => {
  if (NAME.test(name)) return name;
  const near = name
    .replaceAll(UNUSABLE, '_')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 128);
  return NAME.test(near) ? near : undefined;
};

/** Tells whether a schema refers to another document, which some reader might fetch. */
const hasForeignReference = (schema: unknown): boolean => {
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    for (const [key, value] of Object.entries(node)) {
      const isReference = key === '$ref' || key === '$dynamicRef' || key === '$recursiveRef';
      if (isReference && typeof value === 'string' && !value.startsWith('#')) return true;
      open.push(value);
    }
  }
  return false;
};

/** Gives progress from 0 to 1. Without a total it grows with each step and never reaches 1. */
const fractionOf = (progress: number, total: number | undefined): number => {
  if (total !== undefined && total > 0) return Math.min(1, Math.max(0, progress / total));
  return progress > 0 ? progress / (progress + 1) : 0;
};

const tierOf = ({ tier, toolTiers }: ServerSettings, name: string): Tier =>
  Object.hasOwn(toolTiers, name) ? (toolTiers[name] ?? tier) : tier;

/** A tool with the hints of its server, so that the lock pins them as well. */
export type McpTool = Tool & { readonly annotations?: ToolHints };

/** Added when the server warns; a reassurance changes nothing. */
const DESTROYS: Capability = {
  action: 'destroy',
  description: 'The server says that this tool can destroy something.',
  destructive: true,
  requiresConfirmation: true,
};

/** Lists what is not checked here: parts that break the protocol, and parts that no engine of ours can run. */
export const uncheckedParts = ({ inputSchema, outputSchema, notes = [] }: ToolListing) => [
  ...notes,
  ...judgeSchema(inputSchema, 'input'),
  ...(outputSchema ? judgeSchema(outputSchema, 'output') : []),
];

/** Keeps the hints of the server, also in the documentation, where people see them. */
const hintsOf = (
  listing: ToolListing,
): Partial<Pick<McpTool, 'annotations' | 'documentation' | 'capabilities'>> => {
  const { annotations } = listing;
  const hints = Object.entries(annotations ?? {}).map(([name, value]) => `${name} ${value}`);
  const unchecked = uncheckedParts(listing);
  const documentation = [
    ...(hints.length > 0
      ? [`Hints of the server, which nobody has checked: ${hints.join(', ')}.`]
      : []),
    ...(unchecked.length > 0 ? [`Left to the server: ${unchecked.join('; ')}.`] : []),
  ];
  return {
    ...(annotations && { annotations }),
    ...(documentation.length > 0 && { documentation: documentation.join(' ') }),
    ...(annotations?.destructiveHint === true && { capabilities: [DESTROYS] }),
  };
};

interface CallDeps {
  /** Throws when the server now describes the tool differently. */
  assertCurrent(): void;
  readonly tier: Tier;
  redact(text: string): string;
}

interface Request {
  readonly name: string;
  readonly server: string;
  readonly link: ServerLink;
}

/** Sends a request in a span of its own, named as the conventions for MCP have it. */
const inRequestSpan = async (
  { startSpan, trace }: ToolContext,
  { name, server, link }: Request,
  send: (trace: TraceContext | undefined) => Promise<CallToolResult>,
): Promise<CallToolResult> => {
  if (!startSpan) return send(trace);
  const { transport } = link.settings;
  const span = startSpan(`tools/call ${name}`, {
    kind: 'client',
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'network.transport': transport === 'stdio' ? 'pipe' : 'tcp',
      'toolcrib.server': server,
    },
  });
  try {
    const result = await span.run(() => send(span.trace));
    span.end({}, result.isError === true ? { type: 'tool_error' } : undefined);
    return result;
  } catch (error) {
    span.end({}, { type: error instanceof Error ? error.name : 'Error' });
    throw error;
  }
};

interface CallRequest {
  readonly name: string;
  readonly input: Record<string, unknown>;
  readonly link: ServerLink;
  readonly context: ToolContext;
}

const sendCall = (
  { callTool, calls }: Connection,
  { name, input, link, context }: CallRequest,
): Promise<CallToolResult> => {
  const server = link.settings.name;
  const running = calls.add(askersOf(context, server), context);
  const send = (trace: TraceContext | undefined) =>
    callTool(
      { name, arguments: input },
      {
        signal: context.signal,
        call: running,
        trace,
        onProgress: (progress, total, message) =>
          context.progress(fractionOf(progress, total), message),
      },
    );
  return calls.settle(running, inRequestSpan(context, { name, server, link }, send));
};

const call = async (request: CallRequest, deps: CallDeps): Promise<unknown> => {
  const { link, context } = request;
  const { tier, redact, assertCurrent } = deps;
  const server = link.settings.name;
  let isInDoubt = false;
  try {
    return await link.use(context.signal, async (connection) => {
      // The server may have started for this call, and may describe another tool than was accepted.
      assertCurrent();
      const result = await sendCall(connection, request).catch((error: unknown) => {
        isInDoubt = mayHaveRun(error);
        throw error;
      });
      return readResult(result, link.settings);
    });
  } catch (error) {
    const retryable = (tier === 'read_only' || !isInDoubt) && !isErrorAnswer(error);
    throw serverFailure(error, { server, retryable, redact });
  }
};

export interface BuildDeps {
  redact(text: string): string;
  /** Tells whether the server still describes the tool as it did when the tool was built. */
  isCurrent?(listing: ToolListing): boolean;
}

const changedFailure = (): ToolFailure =>
  new ToolFailure(
    'TOOL_QUARANTINED',
    'The server describes this tool differently than it did; nothing was called.',
    { suggestions: ['Look at the difference with `toolcrib tools lock`, then call again.'] },
  );

/** Makes invisible characters of the title visible: people read it. */
const titleOf = ({ title }: ToolListing): Pick<McpTool, 'title'> =>
  title === undefined || title.trim() === ''
    ? {}
    : { title: visibleText(title.slice(0, MAX_TITLE)) };

/** A tool that cannot be used, and why. */
export interface Refusal {
  readonly tool: string;
  readonly reason: string;
}

/** Says why a tool cannot be used; nothing for one that can. */
export const refusalOf = (listing: ToolListing): Refusal | undefined => {
  const { inputSchema, outputSchema, unusable } = listing;
  const tool = usableName(listing.name);
  if (tool === undefined) return { tool: '?', reason: 'its name cannot be used' };
  if (hasForeignReference(inputSchema) || hasForeignReference(outputSchema)) {
    return { tool, reason: 'its schema refers to another document' };
  }
  return unusable === undefined ? undefined : { tool, reason: unusable };
};

/** Returns `undefined` for a tool that cannot be used. */
export const buildTool = (
  listing: ToolListing,
  link: ServerLink,
  { redact, isCurrent }: BuildDeps,
): McpTool | undefined => {
  const { settings } = link;
  const name = usableName(listing.name);
  if (name === undefined || refusalOf(listing)) return undefined;
  const tier = tierOf(settings, listing.name);
  const assertCurrent = (): void => {
    if (isCurrent?.(listing) === false) throw changedFailure();
  };
  const qualified = `${settings.name}.${name}`;
  const secrets = secretKeysOf({ ...settings.env, ...prefixed(settings.headers) });
  return defineTool<Record<string, unknown>, unknown>({
    name,
    ...titleOf(listing),
    description: (listing.description ?? listing.title ?? '').slice(0, MAX_DESCRIPTION),
    source: 'mcp',
    category: 'service',
    tier,
    // Always leads to this tool, also when another one has the short name.
    ...(NAME.test(qualified) && { aliases: [qualified] }),
    tags: ['mcp', settings.name],
    assigned: assignedFlow(settings, { name: listing.name, tier }),
    server: `mcp:${settings.name}`,
    timeoutMs: settings.maxCallMs,
    idleTimeoutMs: settings.timeoutMs,
    needs: {
      ...(settings.url !== '' && { hosts: [new URL(settings.url).hostname] }),
      // Declared, so that redaction knows them.
      ...(secrets.length > 0 && { secrets }),
    },
    input: listing.inputSchema,
    ...(listing.outputSchema && { output: listing.outputSchema }),
    ...hintsOf(listing),
    run: (input, context) =>
      call({ name: listing.name, input, link, context }, { tier, redact, assertCurrent }),
  }) as McpTool;
};

/** Prefixes header names, so that they cannot collide with names of variables. */
const prefixed = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [`header ${name}`, value]));
