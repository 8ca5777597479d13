/**
 * Reads MCP servers beside calling their tools: resources, prompts, completions and subscriptions. What a
 * caller reads there is a call like any other: judged and recorded as that caller, redacted, and labelled as
 * the server is.
 */
import type { ReadyTool } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ResultHandle, ToolResult } from '../../contract/result.ts';
import type { Schema } from '../../contract/schema.ts';
import type {
  CompletionAsked,
  PromptText,
  ReadAs,
  ResourceText,
  Servers,
} from '../../contract/servers.ts';
import type { AssignedFlow } from '../../contract/tool.ts';
import { isListed } from '../../governance/policy/rights.ts';
import { BoundedMap } from '../../kit/data/bounded-map.ts';
import { shortDigestOf } from '../../kit/data/canonical-json.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { defineInternalTool, SERVER_TOOL } from '../../pipeline/internal-tool.ts';
import type { ServerViews } from '../../sources/mcp/server-views.ts';
import type { MemberDeps } from './member-deps.ts';

/** How many pending approvals are remembered until the same read is made again. */
const MAX_WAITING = 500;

type Read =
  | {
      readonly action: 'read_resource' | 'subscribe';
      readonly server: string;
      readonly uri: string;
    }
  | {
      readonly action: 'get_prompt';
      readonly server: string;
      readonly name: string;
      readonly args: Readonly<Record<string, string>>;
    }
  | { readonly action: 'complete'; readonly server: string; readonly asked: CompletionAsked };

export interface ServerReadDeps extends Pick<MemberDeps, 'open'> {
  readonly servers: Pick<
    ServerViews,
    'list' | 'timeoutMs' | 'resources' | 'prompts' | keyof ServerReads
  >;
}

/** The members of `Servers` that take a caller. */
export type ServerReads = Pick<Servers, 'readResource' | 'getPrompt' | 'complete' | 'subscribe'>;

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
  { action: 'subscribe', description: 'Hear of changes of a resource of an MCP server.', ...READ },
];

/** Sends a read to its server. A subscription is made by `subscribed`. */
type Perform = (read: Read, signal: AbortSignal) => Promise<unknown>;

const performAt =
  (servers: ServerReadDeps['servers'], subscribed?: Perform): Perform =>
  async (read, signal) => {
    switch (read.action) {
      case 'read_resource':
        return servers.readResource(read.server, read.uri, { signal });
      case 'get_prompt':
        return servers.getPrompt(read.server, read, { signal });
      case 'complete':
        return servers.complete(read.server, read.asked, { signal });
      case 'subscribe':
        return subscribed?.(read, signal);
    }
  };

/** Returns what a list of tools has to name for its caller to read a server. */
const listedAs = (server: string): string => `server:${server}`;

interface ToolFacts {
  readonly server: string;
  readonly assigned: AssignedFlow;
  readonly timeoutMs: number;
  /** Tells completions, about which nobody is asked: each key that is typed would be a question. */
  readonly neverAsks: boolean;
}

const toolOf = (
  { server, assigned, timeoutMs, neverAsks }: ToolFacts,
  perform: Perform,
): ReadyTool =>
  defineInternalTool<Read, unknown>(
    {
      name: SERVER_TOOL,
      description: 'Reads from an MCP server without calling a tool of it.',
      tier: 'read_only',
      actionField: 'action',
      capabilities: CAPABILITIES,
      permissions: [`tool:${listedAs(server)}`],
      cost: { model: 'free' },
      timeoutMs,
      assigned,
      run: (read, { signal }) => perform(read, signal),
    },
    {
      input,
      labels: { trust: assigned.trust, sensitivity: assigned.sensitivity },
      listedAs: listedAs(server),
      ...(neverAsks && { neverAsks }),
    },
  );

/** Tells whether a read sends the caller's own text to the server; the URI of a listed resource is none. */
const carriesWords = async (read: Read, servers: ServerReadDeps['servers']): Promise<boolean> => {
  if (read.action === 'complete') return true;
  if (read.action === 'get_prompt') {
    if (Object.keys(read.args).length > 0) return true;
    const prompts = await servers.prompts(read.server);
    return !prompts.some(({ name }) => name === read.name);
  }
  const resources = await servers.resources(read.server);
  return !resources.some(({ uri }) => uri === read.uri);
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
  async make(read: Read, as: ReadAs, subscribed?: Perform): Promise<unknown> {
    const tool = await this.#toolFor(read, as, subscribed);
    const { engine } = await this.#deps.open();
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

  /** Finds the tool. A caller whose list does not name the server is refused by it, and starts no server. */
  async #toolFor(read: Read, as: ReadAs, subscribed: Perform | undefined): Promise<ReadyTool> {
    const { servers } = this.#deps;
    const { server } = read;
    // Throws where there is no such server.
    const timeoutMs = servers.timeoutMs(server);
    const labels = servers.list().find(({ name }) => name === server)?.labels;
    const { trust = 'untrusted', sensitivity = 'private', sink = true } = labels ?? {};
    const isRead = isListed({ tools: as.tools }, listedAs(server));
    const carries = sink && (!isRead || (await carriesWords(read, servers)));
    const assigned = { trust, sensitivity, sink: carries };
    const facts = { server, assigned, timeoutMs, neverAsks: read.action === 'complete' };
    if (subscribed) return toolOf(facts, performAt(servers, subscribed));
    const key = JSON.stringify(facts);
    const tool = this.#tools.get(key) ?? toolOf(facts, performAt(servers));
    this.#tools.set(key, tool);
    return tool;
  }
}

type Subscribe = Parameters<Servers['subscribe']>;

/** Subscribes within a governed call. A call that was answered from an earlier one subscribes after it. */
const subscribeAs = async (
  [server, uri, changed, as]: Subscribe,
  governed: GovernedReads,
  servers: ServerReadDeps['servers'],
): Promise<() => void> => {
  if (!as) return servers.subscribe(server, uri, changed);
  let stop: (() => void) | undefined;
  await governed.make({ action: 'subscribe', server, uri }, as, async (_, signal) => {
    const end = await servers.subscribe(server, uri, changed);
    // Nobody takes it any more.
    if (signal.aborted) end();
    else stop = end;
    return { subscribed: uri };
  });
  return stop ?? servers.subscribe(server, uri, changed);
};

/** Returns the values; none where a person would have to be asked for them. */
const completeAs = async (
  read: Extract<Read, { readonly action: 'complete' }>,
  as: ReadAs,
  governed: GovernedReads,
): Promise<readonly string[]> => {
  try {
    const data = await governed.make(read, as);
    return Array.isArray(data) ? (data as readonly string[]) : [];
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'APPROVAL_REQUIRED') return [];
    throw error;
  }
};

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
      if (!as) return servers.getPrompt(server, { name, args });
      const data = await governed.make({ action: 'get_prompt', server, name, args }, as);
      if (!isHandle(data)) return data as PromptText;
      return { messages: [{ role: 'user', content: { type: 'text', text: tooLarge(data) } }] };
    },
    complete: async (server, asked, as) =>
      as
        ? completeAs({ action: 'complete', server, asked }, as, governed)
        : servers.complete(server, asked),
    subscribe: (...request: Subscribe) => subscribeAs(request, governed, servers),
  };
};
