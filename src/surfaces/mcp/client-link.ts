/**
 * The link from a call back to its client: what the client can do, and how programs let their own
 * tools ask its user or model. No tool gets it unless the program that opens the surface hands it
 * on.
 */
import type { InputRequest, Server } from '@modelcontextprotocol/server';
import { ToolFailure } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import type { CallContext, CallState } from './call/call-context.ts';
import type { Sdk } from './load-sdk.ts';

export interface ClientLink {
  /** What the client says it can do. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * Asks the client; `key` names the question within this call. From the 2026-07-28 protocol on the
   * call ends here, with PRECONDITION_FAILED, and is made again from the start with the answer. A
   * client can answer anything: an answer that `accepts` refuses is asked for again.
   */
  ask(key: string, request: InputRequest, accepts?: (answer: unknown) => boolean): Promise<unknown>;
  /** Sends a log line to the client; it is lost when the client does not listen. */
  log(level: 'debug' | 'info' | 'warning' | 'error', data: unknown): Promise<void>;
}

/** Runs a call with the link to its client at hand, e.g. in an AsyncLocalStorage. */
export type AroundCall = (link: ClientLink, run: () => Promise<ToolResult>) => Promise<ToolResult>;

export interface OpenLink extends ClientLink {
  /** What the client has to answer before the call can be made again. */
  readonly needed: Readonly<Record<string, InputRequest>>;
}

/** One request of a client that may have to be asked something first. */
export interface AskRound {
  readonly ctx: CallContext;
  /** Computes the digest of the request: the state of one request is not valid for another. */
  digest(): string;
  readonly state: CallState | undefined;
  readonly link: OpenLink;
}

/** Reads what the client behind a request says it can do. */
export type CapabilitiesOf = (ctx: CallContext) => Readonly<Record<string, unknown>>;

/** Makes the reader: clients declare them with each request in the newer protocol, once in the older ones. */
const clientCapabilities =
  (sdk: Sdk, server: Server): CapabilitiesOf =>
  (ctx) => {
    const envelope = ctx.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
    const own = envelope?.[sdk.CLIENT_CAPABILITIES_META_KEY];
    return { ...(own ?? server.getClientCapabilities()) };
  };

/** Tells whether the client can show forms, as either era declares it; a bare `{}` means forms. */
const takesForms = ({ elicitation }: Readonly<Record<string, unknown>>): boolean => {
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  return 'form' in elicitation || !('url' in elicitation);
};

/** Tells whether the client can show its user the address of a page, and open it. */
export const takesUrls = ({ elicitation }: Readonly<Record<string, unknown>>): boolean =>
  isRecord(elicitation) && isRecord(elicitation.url);

/** Tells whether servers behind the crib could use the client's model. */
export const takesSampling = ({ sampling }: Readonly<Record<string, unknown>>): boolean =>
  typeof sampling === 'object' && sampling !== null;

/** What is known of the client behind a request, for the handlers of its connection. */
export interface ClientAbilities {
  /** Returns the capabilities that the client declares. */
  capabilities(ctx: CallContext): Readonly<Record<string, unknown>>;
  /** Tells whether the client can show its user a form. */
  takesForms(ctx: CallContext): boolean;
  /**
   * Tells whether the person behind the client can approve calls; absent where no person may be
   * asked.
   */
  readonly canElicit: ((ctx: CallContext) => boolean) | undefined;
}

/** Reads the abilities of the clients of a protocol instance; `mayAsk` lets their persons approve. */
export const clientAbilities = (sdk: Sdk, server: Server, mayAsk: boolean): ClientAbilities => {
  const capabilities = clientCapabilities(sdk, server);
  const showsForms = (ctx: CallContext): boolean => takesForms(capabilities(ctx));
  return { capabilities, takesForms: showsForms, canElicit: mayAsk ? showsForms : undefined };
};

/** Tells whether the client can answer any kind of question. */
export const canAnswer = ({ capabilities }: ClientAbilities, ctx: CallContext): boolean => {
  const declared = capabilities(ctx);
  return takesForms(declared) || takesUrls(declared) || takesSampling(declared);
};

export interface LinkDeps {
  readonly ctx: CallContext;
  readonly era: 'legacy' | 'modern';
  readonly capabilities: CapabilitiesOf;
  /** What the client answered, in this round and before. */
  readonly answers: Readonly<Record<string, unknown>>;
}

const log =
  ({ ctx }: LinkDeps): ClientLink['log'] =>
  (level, data) =>
    ctx.mcpReq.log(level, data).catch(() => undefined);

const refused = (): ToolFailure =>
  new ToolFailure('PRECONDITION_FAILED', 'The client has to answer a question first.');

/** Asks clients up to the 2025-11-25 protocol while the call waits. */
const asksAtOnce = (deps: LinkDeps): OpenLink => ({
  needed: {},
  get capabilities() {
    return deps.capabilities(deps.ctx);
  },
  ask: async (_key, { method, params }, accepts = () => true) => {
    const request = { method, ...(params && { params: { ...params } }) };
    const answer = await deps.ctx.mcpReq.send(request);
    if (accepts(answer)) return answer;
    throw refused();
  },
  log: log(deps),
});

/** Asks clients from the 2026-07-28 protocol on with the reply. */
const asksByReply = (deps: LinkDeps): OpenLink => {
  const needed: Record<string, InputRequest> = Object.create(null);
  const { answers } = deps;
  return {
    needed,
    get capabilities() {
      return deps.capabilities(deps.ctx);
    },
    ask: async (key, request, accepts = () => true) => {
      if (Object.hasOwn(answers, key) && accepts(answers[key])) return answers[key];
      needed[key] = request;
      throw refused();
    },
    log: log(deps),
  };
};

export const openLink = (deps: LinkDeps): OpenLink =>
  deps.era === 'legacy' ? asksAtOnce(deps) : asksByReply(deps);
