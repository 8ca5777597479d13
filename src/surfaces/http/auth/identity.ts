/** Who a request turned out to come from, and as whom its calls are made. */

import type { CallAs } from '../../../contract/call-options.ts';
import type { CallerNames } from '../../../contract/caller.ts';
import type { Catalog } from '../../../contract/catalog.ts';
import type { Role, TokenPolicy } from '../../../contract/tokens.ts';

/** What the key of a holder begins with; its id, or that of its session, follows. */
export const TOKEN_KEY = 'token:';
export const SESSION_KEY = 'session:';

export interface Identity {
  /** A person at the console, the holder of a token, or somebody an OpenID issuer vouches for. */
  readonly kind: 'session' | 'token' | 'jwt';
  /** The same for the same holder, and nobody else's. */
  readonly key: string;
  readonly userId: string;
  readonly role: Role;
  readonly policy?: TokenPolicy;
  /** Of a JWT, which nobody can be asked about later. */
  readonly expiresAt?: number;
}

/** What a request may say about itself besides who sends it. It is believed for its own sake only. */
export interface GivenNames {
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** A tool on the list brings the permissions it declares, or it could not be called at all. */
const permissionsFor = (policy: TokenPolicy | undefined, tools: Pick<Catalog, 'get'>): string[] => {
  if (!policy?.tools) return ['*'];
  return policy.tools.flatMap((name) => [
    `tool:${name}`,
    ...(tools.get(name)?.tool.permissions ?? []),
  ]);
};

/**
 * Puts a name below that of its giver, so that it can be taken for nobody else's. A name as the
 * record has it, which stands there already, stays as it is: who repeats a call sends it back.
 */
const nameBelow = (giver: string, name: string | undefined): string => {
  // The subject of a JWT may hold any character; what is left has no slash of its own.
  const own = giver.replaceAll('%', '%25').replaceAll('/', '%2F');
  if (name === undefined || name === giver || name === own) return own;
  return name.startsWith(`${own}/`) ? name : `${own}/${name}`;
};

const provenNamesOf = ({ userId, key }: Identity): CallerNames => ({
  userId,
  agentId: userId,
  sessionId: key,
});

/** Makes the caller of a request; see docs/decisions/0017-identity-of-callers.md. */
export const callerOfIdentity = (
  identity: Identity,
  tools: Pick<Catalog, 'get'>,
  { agentId, sessionId }: GivenNames = {},
): CallAs => ({
  userId: identity.userId,
  agentId: nameBelow(identity.userId, agentId),
  sessionId: nameBelow(identity.key, sessionId),
  authenticated: provenNamesOf(identity),
  roles:
    identity.kind === 'session' && identity.role === 'admin' ? ['owner', 'admin'] : [identity.role],
  permissions: permissionsFor(identity.policy, tools),
  isolation: identity.policy?.isolation ?? 'none',
  ...(identity.policy?.tools && { tools: identity.policy.tools }),
  ...(identity.policy?.dailyUsd !== undefined && { dailyUsd: identity.policy.dailyUsd }),
});
