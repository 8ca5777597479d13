/** A client's session: who it calls as, what its signed states are bound to, and what waits for it. */
import { randomUUID } from 'node:crypto';
import { type CallerNames, LOCAL_CALLER } from '../../contract/caller.ts';
import { digestOf } from './call/call-digest.ts';
import type { McpCaller, McpIdentity } from './mcp-options.ts';

const MAX_REMEMBERED = 200;

/** Approvals that calls of this session wait for: the same call sent again finds its own. */
export class WaitingCalls {
  readonly #ids = new Map<string, string>();

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  get(call: string): string | undefined {
    return this.#ids.get(call);
  }

  set(call: string, approvalId: string): void {
    this.#ids.delete(call);
    this.#ids.set(call, approvalId);
    const [oldest] = this.#ids.keys();
    if (this.#ids.size > MAX_REMEMBERED && oldest !== undefined) this.#ids.delete(oldest);
  }

  delete(call: string): void {
    this.#ids.delete(call);
  }
}

export interface McpSession {
  readonly caller: McpCaller;
  /** What a state that travels through the client is good for. */
  readonly binding: string;
  /** How the record names whoever answers through this client. */
  readonly by: string;
  readonly waiting: WaitingCalls;
}

/** Of a client that proves itself with each request. */
export interface HttpSession extends McpSession {
  /** Takes over what the client may do now; its names and its session stay the same. */
  renew(identity: McpIdentity): void;
}

const AGENT = 'mcp';

const sessionFor = (caller: McpCaller, sessionId: string, waiting: WaitingCalls): McpSession => {
  const { userId = LOCAL_CALLER.userId, agentId = AGENT } = caller;
  return {
    caller: { ...caller, agentId, sessionId },
    binding: digestOf(userId, agentId, sessionId),
    by: `${userId} (MCP client ${agentId})`,
    waiting,
  };
};

/** Makes the session of a connection that is one client's for as long as it lasts. */
export const connectionSession = (caller: McpCaller): McpSession =>
  sessionFor(caller, caller.sessionId ?? `mcp-${randomUUID()}`, new WaitingCalls());

const nameOf = (key: string, part: string): string => `mcp-${digestOf(key, part).slice(0, 22)}`;

/**
 * Makes the session of a client that proves itself with each request. `part` tells its sessions apart
 * where the protocol has any; it may be a secret, so only its digest is kept.
 */
export const identitySession = (
  identity: McpIdentity,
  part: string,
  waiting = new WaitingCalls(),
): HttpSession => {
  const { key, caller: first } = identity;
  // A client opens as many sessions as it likes: to limits and labels they are all one.
  const proven: CallerNames = {
    userId: first.userId ?? LOCAL_CALLER.userId,
    agentId: first.agentId ?? AGENT,
    sessionId: first.sessionId ?? nameOf(key, ''),
  };
  const withNames = (caller: McpCaller): McpCaller => ({
    ...caller,
    authenticated: caller.authenticated ?? proven,
  });
  const sessionId = first.sessionId ?? nameOf(key, part);
  const session = sessionFor(withNames(first), sessionId, waiting);
  const { agentId = AGENT } = session.caller;
  let latest = identity;
  let { caller } = session;
  return {
    ...session,
    get caller() {
      return caller;
    },
    renew: (given) => {
      if (given === latest) return;
      latest = given;
      caller = { ...withNames(given.caller), agentId, sessionId };
    },
  };
};
