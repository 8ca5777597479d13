/**
 * Holds the streams that stay open, each with the identity that may read it. One timer checks all of
 * them every second. A stream ends when its token, session or JWT is no longer valid or cannot be
 * checked.
 */
import type { Runtime, Timer } from '../../contract/runtime.ts';
import type { ConsoleSessions } from './auth/console-sessions.ts';
import { type Identity, SESSION_KEY, TOKEN_KEY } from './auth/identity.ts';
import type { TokenService } from './auth/token-service.ts';

/** Re-checks identities in one batch; resolves to whether each of them is still valid. */
export type IdentityCheck = (
  identities: readonly Identity[],
) => Promise<(identity: Identity) => boolean>;

interface IdentityCheckDeps {
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  readonly tokens: Pick<TokenService, 'liveAmong'>;
  readonly sessions: Pick<ConsoleSessions, 'isOpen'>;
}

const tokenOf = ({ key }: Identity): string => key.slice(TOKEN_KEY.length);

/** Looks up which tokens are still valid: none when the store fails. */
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

/** Makes the check. Sessions and JWTs are judged without the store. */
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

interface Held {
  readonly identity: Identity;
  end(): void;
}

/** The token service trusts a record for as long, too. */
const RECHECK_EVERY_MS = 1000;
/** After so many ticks without an answer the store counts as one that fails. */
const MAX_UNANSWERED = 5;

export class HeldStreams {
  readonly #runtime: Pick<Runtime, 'after'>;
  readonly #check: IdentityCheck;
  readonly #held = new Set<Held>();
  #timer: Timer | undefined = undefined;
  #isChecking = false;
  #isStale = false;
  #unanswered = 0;

  constructor(runtime: Pick<Runtime, 'after'>, check: IdentityCheck) {
    this.#runtime = runtime;
    this.#check = check;
  }

  /** Calls `end` when the identity is no longer valid; returns how to release the stream. */
  hold(identity: Identity, end: () => void): () => void {
    const held = { identity, end };
    this.#held.add(held);
    this.#timer ??= this.#later();
    return () => this.#release(held);
  }

  /** Checks all streams now, because a token or session has just ended here. Never rejects. */
  async recheck(): Promise<void> {
    if (this.#isChecking) {
      // The check under way may have read the store before the change.
      this.#isStale = true;
      return;
    }
    this.#isChecking = true;
    do {
      this.#isStale = false;
      await this.#endInvalid([...this.#held]);
    } while (this.#isStale);
    this.#isChecking = false;
    this.#unanswered = 0;
  }

  /** Stops checking; the streams are left open. */
  close(): void {
    this.#held.clear();
    this.#stopTimer();
  }

  async #endInvalid(all: readonly Held[]): Promise<void> {
    const isGood = await this.#check(all.map(({ identity }) => identity)).catch(() => () => false);
    for (const held of all) if (!isGood(held.identity)) this.#end(held);
  }

  #tick(): void {
    this.#timer = this.#later();
    if (!this.#isChecking) return void this.recheck();
    this.#unanswered += 1;
    if (this.#unanswered < MAX_UNANSWERED) return;
    for (const held of [...this.#held]) this.#end(held);
  }

  #end(held: Held): void {
    if (!this.#held.has(held)) return;
    this.#release(held);
    held.end();
  }

  #release(held: Held): void {
    this.#held.delete(held);
    if (this.#held.size === 0) this.#stopTimer();
  }

  #stopTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #later(): Timer {
    const timer = this.#runtime.after(RECHECK_EVERY_MS, () => this.#tick());
    timer.keepAlive(false);
    return timer;
  }
}
