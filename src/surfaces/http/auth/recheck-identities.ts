/** May those who came in a while ago still come in? Asked about all of them at once. */
import type { Runtime } from '../../../contract/runtime.ts';
import type { ConsoleDoor } from './console-sessions.ts';
import { type Identity, SESSION_KEY, TOKEN_KEY } from './identity.ts';
import type { TokenDesk } from './token-service.ts';

/** Resolves to what says it of each. */
export type Standing = (
  identities: readonly Identity[],
) => Promise<(identity: Identity) => boolean>;

export interface StandingDeps {
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  readonly tokens: Pick<TokenDesk, 'liveAmong'>;
  readonly door: Pick<ConsoleDoor, 'isOpen'>;
}

const tokenOf = ({ key }: Identity): string => key.slice(TOKEN_KEY.length);

/** A store that fails vouches for no token; sessions are not its business. */
const liveTokens = async (
  ids: ReadonlySet<string>,
  { tokens, runtime }: StandingDeps,
): Promise<ReadonlySet<string>> => {
  if (ids.size === 0) return ids;
  try {
    return await tokens.liveAmong([...ids]);
  } catch (error) {
    runtime.log.warn('tokens could not be looked up: their streams end', { cause: String(error) });
    return new Set();
  }
};

export const createStanding =
  (deps: StandingDeps): Standing =>
  async (identities) => {
    const ids = new Set(identities.filter(({ kind }) => kind === 'token').map(tokenOf));
    const live = await liveTokens(ids, deps);
    const now = deps.runtime.now();
    return (identity) => {
      const { kind, key, expiresAt } = identity;
      if (kind === 'token') return live.has(tokenOf(identity));
      if (kind === 'session') return deps.door.isOpen(key.slice(SESSION_KEY.length));
      return expiresAt !== undefined && expiresAt > now;
    };
  };
