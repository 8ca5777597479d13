/** A client's session: who it calls as, what its signed states are bound to, and what waits for it. */
import { randomUUID } from 'node:crypto';
import { type Caller, LOCAL_CALLER } from '../../contract/caller.ts';
import { digestOf } from './call-digest.ts';
import type { McpIdentity } from './mcp-options.ts';

const MOST_REMEMBERED = 200;

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
    if (this.#ids.size > MOST_REMEMBERED && oldest !== undefined) this.#ids.delete(oldest);
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

/**
 * Of a client that proves itself with each request. `part` tells its sessions apart where the
 * protocol has any; it may be a secret, so only its digest is kept.
 */
export const identitySession = (
  { key, caller }: McpIdentity,
  part: string,
  waiting = new WaitingCalls(),
): McpSession =>
  sessionFor(caller, caller.sessionId ?? `mcp-${digestOf(key, part).slice(0, 22)}`, waiting);
