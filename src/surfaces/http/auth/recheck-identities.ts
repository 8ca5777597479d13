/** Re-checks, in one batch, whether the identities behind open streams are still valid. */
import type { Runtime } from '../../../contract/runtime.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import { type Identity, SESSION_KEY, TOKEN_KEY } from './identity.ts';
import type { TokenService } from './token-service.ts';

/** Resolves to the verdict on each of them. */
export type IdentityCheck = (
  identities: readonly Identity[],
) => Promise<(identity: Identity) => boolean>;

export interface IdentityCheckDeps {
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  readonly tokens: Pick<TokenService, 'liveAmong'>;
  readonly sessions: Pick<ConsoleSessions, 'isOpen'>;
}

const tokenOf = ({ key }: Identity): string => key.slice(TOKEN_KEY.length);

/** Looks up the tokens that are still good: none when the store fails, which says nothing of sessions. */
const liveTokens = async (
  ids: ReadonlySet<string>,
  { tokens, runtime }: IdentityCheckDeps,
): Promise<ReadonlySet<string>> => {
  if (ids.size === 0) return ids;
  try {
    return await tokens.liveAmong([...ids]);
  } catch (error) {
    runtime.log.warn('tokens could not be looked up: their streams end', { cause: String(error) });
    return new Set();
  }
};

export const createIdentityCheck =
  (deps: IdentityCheckDeps): IdentityCheck =>
  async (identities) => {
    const ids = new Set(identities.filter(({ kind }) => kind === 'token').map(tokenOf));
    const live = await liveTokens(ids, deps);
    const now = deps.runtime.now();
    return (identity) => {
      const { kind, key, expiresAt } = identity;
      if (kind === 'token') return live.has(tokenOf(identity));
      if (kind === 'session') return deps.sessions.isOpen(key.slice(SESSION_KEY.length));
      return expiresAt !== undefined && expiresAt > now;
    };
  };
