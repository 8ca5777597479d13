/**
 * Reads MCP servers beside calling their tools: resources, prompts and completions. What a caller reads there
 * is a call like any other: judged and recorded as that caller, redacted, and labelled as the server is.
 */

import type { ReadyTool } from '../../contract/call.ts';
import type { CallAs } from '../../contract/call-options.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ResultHandle, ToolResult } from '../../contract/result.ts';
import type { Schema } from '../../contract/schema.ts';
import type { CompletionAsked, PromptText, ResourceText, Servers } from '../../contract/servers.ts';
import type { AssignedFlow } from '../../contract/tool.ts';
import { BoundedMap } from '../../kit/data/bounded-map.ts';
import { shortDigestOf } from '../../kit/data/canonical-json.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { defineInternalTool } from '../../pipeline/internal-tool.ts';
import type { MemberDeps } from './member-deps.ts';

const SERVER_TOOL = 'toolcrib:server';

/** How many pending approvals are remembered until the same read is made again. */
const MAX_WAITING = 500;

type Read =
  | { readonly action: 'read_resource'; readonly server: string; readonly uri: string }
  | {
      readonly action: 'get_prompt';
      readonly server: string;
      readonly name: string;
      readonly args: Readonly<Record<string, string>>;
    }
  | { readonly action: 'complete'; readonly server: string; readonly asked: CompletionAsked };

export interface ServerReadDeps extends Pick<MemberDeps, 'open'> {
  readonly servers: Servers;
}

/** The members of `Servers` that take a caller. */
export type ServerReads = Pick<Servers, 'readResource' | 'getPrompt' | 'complete'>;

const input: Schema<Read> = {
  // Made here alone, by the functions below.
  validate: (value) => ({ ok: true, value: value as Read }),
  json: { type: 'object', properties: { action: { type: 'string' }, server: { type: 'string' } } },
};

const READ = { tier: 'read_only', destructive: false } as const;
const CAPABILITIES = [
  { action: 'read_resource', description: 'Read a resource of an MCP server.', ...READ },
  { action: 'get_prompt', description: 'Fill in a prompt of an MCP server.', ...READ },
  { action: 'complete', description: 'Have an MCP server complete what was typed.', ...READ },
];

const perform = (read: Read, servers: Servers): Promise<unknown> => {
  switch (read.action) {
    case 'read_resource':
      return servers.readResource(read.server, read.uri);
    case 'get_prompt':
      return servers.getPrompt(read.server, read.name, read.args);
    case 'complete':
      return servers.complete(read.server, read.asked);
  }
};

/** The tool of one server; a token with a list of tools has to name `server:<name>` to read it. */
const toolOf = (server: string, assigned: AssignedFlow, servers: Servers): ReadyTool =>
  defineInternalTool<Read, unknown>(
    {
      name: SERVER_TOOL,
      description: 'Reads from an MCP server without calling a tool of it.',
      tier: 'read_only',
      actionField: 'action',
      capabilities: CAPABILITIES,
      permissions: [`tool:server:${server}`],
      cost: { model: 'free' },
      assigned,
      run: (read) => perform(read, servers),
    },
    { input, labels: { trust: assigned.trust, sensitivity: assigned.sensitivity } },
  );

/** Tells whether a read sends the caller's own text to the server; the URI of a listed resource is none. */
const carriesWords = async (read: Read, servers: Servers): Promise<boolean> => {
  if (read.action === 'complete') return true;
  if (read.action === 'get_prompt') return Object.keys(read.args).length > 0;
  const listed = await servers.resources();
  return !listed.some(({ server, uri }) => server === read.server && uri === read.uri);
};

const failureOf = (result: Exclude<ToolResult, { success: true }>): ToolFailure => {
  const { code, message, ...extras } = result.error;
  if (!result.approval) return new ToolFailure(code, message, extras);
  const { approvalId } = result.approval;
  return new ToolFailure(
    code,
    `A person has to approve this read first; it waits as ${approvalId}.`,
    {
      suggestions: [`Approve it with: toolcrib approvals approve ${approvalId}, then read again.`],
    },
  );
};

const isHandle = (data: unknown): data is ResultHandle =>
  isRecord(data) && typeof data.handle === 'string' && typeof data.preview === 'string';

/** Says where a result is that is too large to return at once. */
const tooLarge = ({ handle, bytes, preview }: ResultHandle): string =>
  `${preview}\n\nThis is the start of ${bytes} bytes. Read the rest at toolcrib://results/${handle}`;

class GovernedReads {
  readonly #deps: ServerReadDeps;
  readonly #tools = new Map<string, ReadyTool>();
  readonly #waiting = new BoundedMap<string, string>(MAX_WAITING);

  constructor(deps: ServerReadDeps) {
    this.#deps = deps;
  }

  /** Makes the call. Rejects with the refusal, or with what the server failed with. */
  async make(read: Read, as: CallAs): Promise<unknown> {
    const { servers, open } = this.#deps;
    const known = servers.list().find(({ name }) => name === read.server);
    // Says itself that there is no such server.
    if (!known) return perform(read, servers);
    const sink = known.labels.sink && (await carriesWords(read, servers));
    const tool = this.#toolOf(read.server, { ...known.labels, sink });
    const { engine } = await open();
    const { userId, agentId, sessionId } = as;
    const digest = shortDigestOf([userId ?? '', agentId ?? '', sessionId ?? '', read]);
    const approvalId = this.#waiting.get(digest);
    this.#waiting.delete(digest);
    const first = await engine.startInternal(tool, read, {
      ...as,
      ...(approvalId && { approvalId }),
    });
    const isOver = approvalId !== undefined && first.error?.code === 'APPROVAL_EXPIRED';
    const result = isOver ? await engine.startInternal(tool, read, as) : first;
    if (result.success) return result.data;
    if (result.approval) this.#waiting.set(digest, result.approval.approvalId);
    throw failureOf(result);
  }

  #toolOf(server: string, flow: AssignedFlow): ReadyTool {
    const key = JSON.stringify([server, flow.trust, flow.sensitivity, flow.sink]);
    const tool = this.#tools.get(key) ?? toolOf(server, flow, this.#deps.servers);
    this.#tools.set(key, tool);
    return tool;
  }
}

/** Makes the members. Without a caller the program itself reads, and the read is not governed. */
export const serverReads = (deps: ServerReadDeps): ServerReads => {
  const { servers } = deps;
  const governed = new GovernedReads(deps);
  return {
    readResource: async (server, uri, as) => {
      if (!as) return servers.readResource(server, uri);
      const data = await governed.make({ action: 'read_resource', server, uri }, as);
      return isHandle(data) ? [{ uri, text: tooLarge(data) }] : (data as readonly ResourceText[]);
    },
    getPrompt: async (...[server, name, args, as]: Parameters<Servers['getPrompt']>) => {
      if (!as) return servers.getPrompt(server, name, args);
      const data = await governed.make({ action: 'get_prompt', server, name, args }, as);
      if (!isHandle(data)) return data as PromptText;
      return { messages: [{ role: 'user', content: { type: 'text', text: tooLarge(data) } }] };
    },
    complete: async (server, asked, as) => {
      if (!as) return servers.complete(server, asked);
      const data = await governed.make({ action: 'complete', server, asked }, as);
      return Array.isArray(data) ? (data as readonly string[]) : [];
    },
  };
};
