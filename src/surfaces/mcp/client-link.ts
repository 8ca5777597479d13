/**
 * The way from a call back to the client that made it, for programs that let their own tools ask
 * the client's user or model. Toolcrib's tools have none: no tool gets it unless the program that
 * opens the surface hands it on.
 */
import type { InputRequest } from '@modelcontextprotocol/server';
import { ToolFailure } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { CallContext } from './call/call-context.ts';

export interface ClientLink {
  /** What the client says it can do. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * Asks the client; `key` names the question within this call. From the 2026-07-28 protocol on the
   * call ends here, with PRECONDITION_FAILED, and is made again from the start with the answer. The
   * answer is the client's word: one that `accepts` does not like is asked for again.
   */
  ask(key: string, request: InputRequest, accepts?: (answer: unknown) => boolean): Promise<unknown>;
  /** A log line for the client; lost when it does not listen. */
  log(level: 'debug' | 'info' | 'warning' | 'error', data: unknown): Promise<void>;
}

/** Runs a call with the way back to its client at hand, e.g. in an AsyncLocalStorage. */
export type AroundCall = (link: ClientLink, run: () => Promise<ToolResult>) => Promise<ToolResult>;

export interface OpenLink extends ClientLink {
  /** What the client has to answer before the call can be made again. */
  readonly needed: Readonly<Record<string, InputRequest>>;
}

export interface LinkSite {
  readonly ctx: CallContext;
  readonly era: 'legacy' | 'modern';
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** What the client answered, in this round and before. */
  readonly answers: Readonly<Record<string, unknown>>;
}

const log =
  ({ ctx }: LinkSite): ClientLink['log'] =>
  (level, data) =>
    ctx.mcpReq.log(level, data).catch(() => undefined);

const refused = (): ToolFailure =>
  new ToolFailure('PRECONDITION_FAILED', 'The client has to answer a question first.');

/** Up to the 2025-11-25 protocol: the client is asked while the call waits. */
const asksAtOnce = (site: LinkSite): OpenLink => ({
  needed: {},
  capabilities: site.capabilities,
  ask: async (_key, { method, params }, accepts = () => true) => {
    const asked = { method, ...(params && { params: { ...params } }) };
    const answer = await site.ctx.mcpReq.send(asked);
    if (accepts(answer)) return answer;
    throw refused();
  },
  log: log(site),
});

/** From the 2026-07-28 protocol on: the questions travel with the reply. */
const asksByReply = (site: LinkSite): OpenLink => {
  const needed: Record<string, InputRequest> = Object.create(null);
  const { answers, capabilities } = site;
  return {
    needed,
    capabilities,
    ask: async (key, request, accepts = () => true) => {
      if (Object.hasOwn(answers, key) && accepts(answers[key])) return answers[key];
      needed[key] = request;
      throw refused();
    },
    log: log(site),
  };
};

export const openLink = (site: LinkSite): OpenLink =>
  site.era === 'legacy' ? asksAtOnce(site) : asksByReply(site);
