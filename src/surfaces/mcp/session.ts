/** A client's session: who it calls as, what its signed states are bound to, and what waits for it. */
import { randomUUID } from 'node:crypto';
import { type Caller, type CallerNames, LOCAL_CALLER } from '../../contract/caller.ts';
import { BoundedMap } from '../../kit/data/bounded-map.ts';
import { digestOf } from './call/call-digest.ts';
import type { McpIdentity } from './mcp-options.ts';

const MOST_REMEMBERED = 200;

/** Approvals that calls of this session wait for: the same call sent again finds its own. */
export class WaitingCalls {
  readonly #ids = new BoundedMap<string, string>(MOST_REMEMBERED);

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  get(call: string): string | undefined {
    return this.#ids.get(call);
  }

  set(call: string, approvalId: string): void {
    this.#ids.set(call, approvalId);
  }

  delete(call: string): void {
    this.#ids.delete(call);
  }
}

export interface McpSession {
  readonly caller: Partial<Caller>;
  /** What a state that travels through the client is good for. */
  readonly binding: string;
  /** How the record names whoever answers through this client. */
  readonly by: string;
  readonly waiting: WaitingCalls;
}

const AGENT = 'mcp';

const sessionFor = (
  caller: Partial<Caller>,
  sessionId: string,
  waiting: WaitingCalls,
): McpSession => {
  const { userId = LOCAL_CALLER.userId, agentId = AGENT } = caller;
  return {
    caller: { ...caller, agentId, sessionId },
    binding: digestOf(userId, agentId, sessionId),
    by: `${userId} (MCP client ${agentId})`,
    waiting,
  };
};

/** Of a connection that is one client's for as long as it lasts. */
export const connectionSession = (caller: Partial<Caller>): McpSession =>
  sessionFor(caller, caller.sessionId ?? `mcp-${randomUUID()}`, new WaitingCalls());

const nameOf = (key: string, part: string): string => `mcp-${digestOf(key, part).slice(0, 22)}`;

/** A client opens as many sessions as it likes: to limits and labels they are all one. */
const provenNamesOf = ({ key, caller }: McpIdentity): CallerNames =>
  caller.authenticated ?? {
    userId: caller.userId ?? LOCAL_CALLER.userId,
    agentId: caller.agentId ?? AGENT,
    sessionId: caller.sessionId ?? nameOf(key, ''),
  };

/**
 * Of a client that proves itself with each request. `part` tells its sessions apart where the
 * protocol has any; it may be a secret, so only its digest is kept.
 */
export const identitySession = (
  identity: McpIdentity,
  part: string,
  waiting = new WaitingCalls(),
): McpSession => {
  const { key, caller } = identity;
  const proven = { ...caller, authenticated: provenNamesOf(identity) };
  return sessionFor(proven, caller.sessionId ?? nameOf(key, part), waiting);
};
