/**
 * Makes, verifies and revokes tokens. Only the hash of a secret is stored. Records are cached for a
 * second: a revocation by this process counts at once, one by another process within a second.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { Role, TokenPolicy, TokenRecord, Tokens } from '../../../contract/tokens.ts';

export interface NewToken {
  readonly name: string;
  readonly role: Role;
  readonly expiresAt?: number;
  readonly policy?: TokenPolicy;
}

export interface TokenService {
  /**
   * Creates a token, which is in this answer and nowhere else. Fails with CONFLICT when the name is
   * in use.
   */
  create(token: NewToken, by: string): Promise<{ token: string; record: TokenRecord }>;
  /** Finds the record of a token that is valid now; synchronously where it is cached. */
  verify(token: string): Promise<TokenRecord | undefined> | TokenRecord | undefined;
  list(): Promise<readonly TokenRecord[]>;
  /** Reads from the store which of these tokens are valid now. */
  liveAmong(ids: readonly string[]): Promise<ReadonlySet<string>>;
  revoke(id: string): Promise<boolean>;
}

export interface TokenServiceDeps {
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  randomBytes(size: number): Uint8Array;
  tokens(): Promise<Tokens>;
}

const TOKEN = /^tc_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;
/** Writing each use to the store would cost more than the use. */
const NOTE_EVERY_MS = 60_000;
/** Compared with where there is no record. */
const NO_DIGEST = Buffer.alloc(64);

/** How long a record is not read again. */
const CACHE_MS = 1000;
const MAX_CACHED = 1000;

/** From so many records on, reading the whole list costs less. */
const MIN_FOR_LIST = 32;

const digestOf = (secret: string): string => hash('sha256', secret, 'hex');

const isLive = ({ revokedAt, expiresAt }: TokenRecord, now: number): boolean =>
  revokedAt === undefined && (expiresAt === undefined || expiresAt > now);

interface CachedToken {
  readonly record: TokenRecord;
  readonly expected: Buffer;
  readonly readAt: number;
  notedAt: number;
}

class StoredTokens implements TokenService {
  readonly #deps: TokenServiceDeps;
  readonly #cache = new Map<string, CachedToken>();
  /** Counts revocations: a record that was read before one is not cached. */
  #revocations = 0;

  constructor(deps: TokenServiceDeps) {
    this.#deps = deps;
  }

  async create(token: NewToken, by: string) {
    const { runtime, randomBytes } = this.#deps;
    const tokens = await this.#deps.tokens();
    const now = runtime.now();
    const isTaken = (await tokens.list()).some(
      (record) => record.name === token.name && isLive(record, now),
    );
    if (isTaken) {
      throw new ToolFailure('CONFLICT', 'A token of this name is in use.', {
        suggestions: ['Revoke it first, or choose another name.'],
      });
    }
    const id = Buffer.from(randomBytes(8)).toString('hex');
    const secret = Buffer.from(randomBytes(32)).toString('base64url');
    const digest = digestOf(secret);
    const record: TokenRecord = { id, ...token, hash: digest, createdAt: now, createdBy: by };
    await tokens.add(record);
    return { token: `tc_${id}_${secret}`, record };
  }

  verify(token: string): Promise<TokenRecord | undefined> | TokenRecord | undefined {
    const [, id, secret] = TOKEN.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const recent = this.#recent(id);
    if (recent) return this.#compare(secret, recent);
    return this.#read(id).then((stored) => this.#compare(secret, stored));
  }

  #compare(secret: string, cached: CachedToken | undefined): TokenRecord | undefined {
    // Also compared for an unknown id, so that it takes as long as a known one.
    const isSame = timingSafeEqual(Buffer.from(digestOf(secret)), cached?.expected ?? NO_DIGEST);
    const now = this.#deps.runtime.now();
    if (!isSame || !cached || !isLive(cached.record, now)) return undefined;
    if (now - cached.notedAt >= NOTE_EVERY_MS) this.#note(cached, now);
    return cached.record;
  }

  async list(): Promise<readonly TokenRecord[]> {
    return (await this.#deps.tokens()).list();
  }

  async liveAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const tokens = await this.#deps.tokens();
    const idSet = new Set(ids);
    const records =
      ids.length < MIN_FOR_LIST
        ? await Promise.all(ids.map((id) => tokens.get(id)))
        : await tokens.list();
    const now = this.#deps.runtime.now();
    const live = new Set<string>();
    for (const record of records) {
      if (record && idSet.has(record.id) && isLive(record, now)) live.add(record.id);
    }
    return live;
  }

  async revoke(id: string): Promise<boolean> {
    this.#clearCache();
    const revoked = await (await this.#deps.tokens()).revoke(id, this.#deps.runtime.now());
    this.#clearCache();
    return revoked;
  }

  #clearCache(): void {
    this.#revocations += 1;
    this.#cache.clear();
  }

  #recent(id: string): CachedToken | undefined {
    const cached = this.#cache.get(id);
    if (!cached) return undefined;
    const age = this.#deps.runtime.now() - cached.readAt;
    // A clock that was set back must not prolong it.
    return age >= 0 && age < CACHE_MS ? cached : undefined;
  }

  async #read(id: string): Promise<CachedToken | undefined> {
    const before = this.#revocations;
    const readAt = this.#deps.runtime.now();
    const record = await (await this.#deps.tokens()).get(id);
    const expected = Buffer.from(record?.hash ?? '');
    if (!record || expected.length !== NO_DIGEST.length) return undefined;
    const notedAt = Math.max(record.lastUsedAt ?? 0, this.#cache.get(id)?.notedAt ?? 0);
    const cached = { record, expected, readAt, notedAt };
    if (before !== this.#revocations) return cached;
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(id, cached);
    return cached;
  }

  /** Notes the use of a token in the background: a store that cannot be written must not lock users out. */
  #note(cached: CachedToken, now: number): void {
    cached.notedAt = now;
    const noted = async () => (await this.#deps.tokens()).touch(cached.record.id, now);
    noted().catch((error: unknown) => {
      this.#deps.runtime.log.debug('the use of a token was not noted', { cause: String(error) });
    });
  }
}

export const createTokenService = (deps: TokenServiceDeps): TokenService => new StoredTokens(deps);
