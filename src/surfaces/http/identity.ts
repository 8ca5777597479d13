/** Who a request turned out to come from, and as whom its calls are made. */
import type { CallAs } from '../../contract/call-options.ts';
import type { Catalog } from '../../contract/catalog.ts';
import type { Role, TokenPolicy } from '../../contract/tokens.ts';

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

/** What a request may say about itself besides who sends it. */
export interface CallerNames {
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

export const callerOfIdentity = (
  identity: Identity,
  tools: Pick<Catalog, 'get'>,
  { agentId, sessionId }: CallerNames = {},
): CallAs => ({
  userId: identity.userId,
  agentId: agentId ?? identity.userId,
  sessionId: sessionId ?? identity.key,
  roles:
    identity.kind === 'session' && identity.role === 'admin' ? ['owner', 'admin'] : [identity.role],
  permissions: permissionsFor(identity.policy, tools),
  isolation: identity.policy?.isolation ?? 'none',
  ...(identity.policy?.dailyUsd !== undefined && { dailyUsd: identity.policy.dailyUsd }),
});
