/** The identity behind a request, and the caller as whom its calls are made. */
import type { CallAs } from '../../../contract/call-options.ts';
import type { CallerNames } from '../../../contract/caller.ts';
import type { Catalog } from '../../../contract/catalog.ts';
import type { Role, TokenPolicy } from '../../../contract/tokens.ts';

/** Prefixes of identity keys; the id of the token or session follows. */
export const TOKEN_KEY = 'token:';
export const SESSION_KEY = 'session:';

export interface Identity {
  /** A person at the console, the holder of a token, or a caller with a JWT of an OpenID issuer. */
  readonly kind: 'session' | 'token' | 'jwt';
  /** Unique to the holder of the token, session or JWT. */
  readonly key: string;
  readonly userId: string;
  readonly role: Role;
  readonly policy?: TokenPolicy;
  /** When a JWT ends; unlike tokens and sessions it cannot be looked up later. */
  readonly expiresAt?: number;
}

/** Names that a request may choose for its caller. No limit depends on them. */
export interface GivenNames {
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** Gives a limited token the permissions that its tools declare, without which none could be called. */
const permissionsFor = (policy: TokenPolicy | undefined, tools: Pick<Catalog, 'get'>): string[] => {
  if (!policy?.tools) return ['*'];
  return policy.tools.flatMap((name) => [
    `tool:${name}`,
    ...(tools.get(name)?.tool.permissions ?? []),
  ]);
};

/**
 * Prefixes a chosen name with that of the identity, so that it cannot be mistaken for another's. A
 * name that has the prefix already stays as it is: a repeated call sends the recorded name.
 */
const prefixedName = (owner: string, name: string | undefined): string => {
  // The subject of a JWT may hold a slash, which separates prefix and name here.
  const own = /[%/]/.test(owner) ? owner.replaceAll('%', '%25').replaceAll('/', '%2F') : owner;
  if (name === undefined || name === owner || name === own) return own;
  return name.startsWith(`${own}/`) ? name : `${own}/${name}`;
};

/** Returns the names that limits and labels go by. */
export const provenNamesOf = ({ userId, key }: Identity): CallerNames => ({
  userId,
  agentId: userId,
  sessionId: key,
});

/**
 * Tells whether the holder of a token answers for itself: whoever made a call neither approves it nor says
 * what became of it. A person at the console may.
 */
export const isJudgeOfItself = ({ kind, userId }: Identity, callerId: string): boolean =>
  kind !== 'session' && userId === callerId;

/** Makes the caller of a request; see docs/decisions/0017-identity-of-callers.md. */
export const callerOfIdentity = (
  identity: Identity,
  tools: Pick<Catalog, 'get'>,
  { agentId, sessionId }: GivenNames = {},
): CallAs => ({
  userId: identity.userId,
  agentId: prefixedName(identity.userId, agentId),
  sessionId: prefixedName(identity.key, sessionId),
  authenticated: provenNamesOf(identity),
  roles:
    identity.kind === 'session' && identity.role === 'admin' ? ['owner', 'admin'] : [identity.role],
  permissions: permissionsFor(identity.policy, tools),
  isolation: identity.policy?.isolation ?? 'none',
  ...(identity.policy?.tools && { tools: identity.policy.tools }),
  ...(identity.policy?.dailyUsd !== undefined && { dailyUsd: identity.policy.dailyUsd }),
});
