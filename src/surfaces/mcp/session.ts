/** A client's session: as whom it calls, what its signed states are bound to, and its open approvals. */
import { randomUUID } from 'node:crypto';
import { type CallerNames, LOCAL_CALLER } from '../../contract/caller.ts';
import { BoundedMap } from '../../kit/data/bounded-map.ts';
import { shortDigestOf } from '../../kit/data/canonical-json.ts';
import type { McpCaller, McpIdentity } from './mcp-options.ts';

const MAX_WAITING = 200;

/** The ids of approvals by the digest of the call that waits for them: the same call again uses its own. */
export type WaitingCalls = BoundedMap<string, string>;

export const newWaitingCalls = (): WaitingCalls => new BoundedMap(MAX_WAITING);

export interface McpSession {
  readonly caller: McpCaller;
  /** Names the session in the signed states that travel through the client. */
  readonly binding: string;
  /** Names the person who answers through this client in the record. */
  readonly by: string;
  readonly waiting: WaitingCalls;
}

/** The session of a client that proves its identity with each request. */
export interface HttpSession extends McpSession {
  /** Takes over the present permissions of the client; its names and session id stay the same. */
  renew(identity: McpIdentity): void;
}

const AGENT = 'mcp';

const sessionFor = (caller: McpCaller, sessionId: string, waiting: WaitingCalls): McpSession => {
  const { userId = LOCAL_CALLER.userId, agentId = AGENT } = caller;
  return {
    caller: { ...caller, agentId, sessionId },
    binding: shortDigestOf([userId, agentId, sessionId]),
    by: `${userId} (MCP client ${agentId})`,
    waiting,
  };
};

/** Makes the session of a connection that belongs to one client, such as stdio. */
export const connectionSession = (caller: McpCaller): McpSession =>
  sessionFor(caller, caller.sessionId ?? `mcp-${randomUUID()}`, newWaitingCalls());

const nameOf = (key: string, part: string): string =>
  `mcp-${shortDigestOf([key, part]).slice(0, 22)}`;

/**
 * Makes the session of a client that proves its identity with each request. `part` tells its sessions
 * apart where the protocol has any; it may be a secret, so only its digest is kept.
 */
export const identitySession = (
  identity: McpIdentity,
  part: string,
  waiting = newWaitingCalls(),
): HttpSession => {
  const { key, caller: first } = identity;
  // Limits and labels hold for the client, however many sessions it opens.
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
    renew: (renewed) => {
      if (renewed === latest) return;
      latest = renewed;
      caller = { ...withNames(renewed.caller), agentId, sessionId };
    },
  };
};
