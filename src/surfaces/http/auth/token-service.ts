/**
 * Makes, knows and revokes tokens. Only the hash of a secret is kept. A record is believed for a
 * second: a revocation here counts at once, one by another process a second later at the latest.
 */
import { timingSafeEqual } from 'node:crypto';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { Role, TokenPolicy, TokenRecord, Tokens } from '../../../contract/tokens.ts';
import { BoundedMap } from '../../../kit/data/bounded-map.ts';
import { sha256Hex } from '../../../kit/data/canonical-json.ts';

export interface NewToken {
  readonly name: string;
  readonly role: Role;
  readonly expiresAt?: number;
  readonly policy?: TokenPolicy;
}

export interface TokenDesk {
  /** The token is in this answer and nowhere else. Fails with CONFLICT when the name is in use. */
  create(wanted: NewToken, by: string): Promise<{ token: string; record: TokenRecord }>;
  /** The record of a token that is good at this moment; at once where it was looked up just now. */
  verify(token: string): Promise<TokenRecord | undefined> | TokenRecord | undefined;
  list(): Promise<readonly TokenRecord[]>;
  /** Those of these ids that are good at this moment, as the store has them now. */
  liveAmong(ids: readonly string[]): Promise<ReadonlySet<string>>;
  revoke(id: string): Promise<boolean>;
}

export interface TokenDeskDeps {
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  randomBytes(size: number): Uint8Array;
  tokens(): Promise<Tokens>;
}

const TOKEN = /^tc_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;
/** Writing down each use would cost more than the use. */
const NOTE_EVERY_MS = 60_000;
const NOBODY = Buffer.alloc(64);

/** How long a token that was found good is not looked up again. */
const TRUST_MS = 1000;
const MOST_KEPT = 1000;

/** From so many on, one list costs less than each record by itself. */
const MANY = 32;

const isLive = ({ revokedAt, expiresAt }: TokenRecord, now: number): boolean =>
  revokedAt === undefined && (expiresAt === undefined || expiresAt > now);

/** A record as it was a moment ago. */
interface Kept {
  readonly record: TokenRecord;
  readonly expected: Buffer;
  readonly readAt: number;
  notedAt: number;
}

class Desk implements TokenDesk {
  readonly #deps: TokenDeskDeps;
  readonly #kept = new BoundedMap<string, Kept>(MOST_KEPT);
  /** Goes up with each revocation: what was read before one is not kept. */
  #revocations = 0;

  constructor(deps: TokenDeskDeps) {
    this.#deps = deps;
  }

  async create(wanted: NewToken, by: string) {
    const { runtime, randomBytes } = this.#deps;
    const tokens = await this.#deps.tokens();
    const now = runtime.now();
    const taken = (await tokens.list()).some(
      (record) => record.name === wanted.name && isLive(record, now),
    );
    if (taken) {
      throw new ToolFailure('CONFLICT', 'A token of this name is in use.', {
        suggestions: ['Revoke it first, or choose another name.'],
      });
    }
    const id = Buffer.from(randomBytes(8)).toString('hex');
    const secret = Buffer.from(randomBytes(32)).toString('base64url');
    const digest = sha256Hex(secret);
    const record: TokenRecord = { id, ...wanted, hash: digest, createdAt: now, createdBy: by };
    await tokens.add(record);
    return { token: `tc_${id}_${secret}`, record };
  }

  verify(token: string): Promise<TokenRecord | undefined> | TokenRecord | undefined {
    const [, id, secret] = TOKEN.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const recent = this.#recent(id);
    if (recent) return this.#compare(secret, recent);
    return this.#read(id).then((known) => this.#compare(secret, known));
  }

  #compare(secret: string, known: Kept | undefined): TokenRecord | undefined {
    // The comparison is made for an unknown id, too: it takes as long as for a known one.
    const isSame = timingSafeEqual(Buffer.from(sha256Hex(secret)), known?.expected ?? NOBODY);
    const now = this.#deps.runtime.now();
    if (!isSame || !known || !isLive(known.record, now)) return undefined;
    if (now - known.notedAt >= NOTE_EVERY_MS) this.#note(known, now);
    return known.record;
  }

  async list(): Promise<readonly TokenRecord[]> {
    return (await this.#deps.tokens()).list();
  }

  async liveAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const tokens = await this.#deps.tokens();
    const wanted = new Set(ids);
    const records =
      ids.length < MANY ? await Promise.all(ids.map((id) => tokens.get(id))) : await tokens.list();
    const now = this.#deps.runtime.now();
    const live = new Set<string>();
    for (const record of records) {
      if (record && wanted.has(record.id) && isLive(record, now)) live.add(record.id);
    }
    return live;
  }

  async revoke(id: string): Promise<boolean> {
    this.#forget();
    const revoked = await (await this.#deps.tokens()).revoke(id, this.#deps.runtime.now());
    this.#forget();
    return revoked;
  }

  #forget(): void {
    this.#revocations += 1;
    this.#kept.clear();
  }

  #recent(id: string): Kept | undefined {
    const kept = this.#kept.get(id);
    if (!kept) return undefined;
    const age = this.#deps.runtime.now() - kept.readAt;
    // A clock that was set back must not make it last.
    return age >= 0 && age < TRUST_MS ? kept : undefined;
  }

  async #read(id: string): Promise<Kept | undefined> {
    const before = this.#revocations;
    const readAt = this.#deps.runtime.now();
    const record = await (await this.#deps.tokens()).get(id);
    const expected = Buffer.from(record?.hash ?? '');
    if (!record || expected.length !== NOBODY.length) return undefined;
    const notedAt = Math.max(record.lastUsedAt ?? 0, this.#kept.get(id)?.notedAt ?? 0);
    const kept = { record, expected, readAt, notedAt };
    if (before !== this.#revocations) return kept;
    this.#kept.set(id, kept);
    return kept;
  }

  /** Nobody waits for it, and a store that cannot be written does not lock its readers out. */
  #note(known: Kept, now: number): void {
    known.notedAt = now;
    const noted = async () => (await this.#deps.tokens()).touch(known.record.id, now);
    noted().catch((error: unknown) => {
      this.#deps.runtime.log.debug('the use of a token was not noted', { cause: String(error) });
    });
  }
}

export const createTokenDesk = (deps: TokenDeskDeps): TokenDesk => new Desk(deps);
