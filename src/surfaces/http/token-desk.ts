/** Makes, knows and revokes tokens. Only the hash of a secret is kept. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Role, TokenPolicy, TokenRecord, Tokens } from '../../contract/tokens.ts';

export interface NewToken {
  readonly name: string;
  readonly role: Role;
  readonly expiresAt?: number;
  readonly policy?: TokenPolicy;
}

export interface TokenDesk {
  /** The token is in this answer and nowhere else. Fails with CONFLICT when the name is in use. */
  create(wanted: NewToken, by: string): Promise<{ token: string; record: TokenRecord }>;
  /** The record of a token that is good at this moment. */
  verify(token: string): Promise<TokenRecord | undefined>;
  list(): Promise<readonly TokenRecord[]>;
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
const NOBODY = Buffer.alloc(32);

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

const isLive = ({ revokedAt, expiresAt }: TokenRecord, now: number): boolean =>
  revokedAt === undefined && (expiresAt === undefined || expiresAt > now);

class Desk implements TokenDesk {
  readonly #deps: TokenDeskDeps;

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
    const hash = digest(secret).toString('hex');
    const record: TokenRecord = { id, ...wanted, hash, createdAt: now, createdBy: by };
    await tokens.add(record);
    return { token: `tc_${id}_${secret}`, record };
  }

  async verify(token: string): Promise<TokenRecord | undefined> {
    const [, id, secret] = TOKEN.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const tokens = await this.#deps.tokens();
    const record = await tokens.get(id);
    const now = this.#deps.runtime.now();
    // The comparison is made for an unknown id, too: it takes as long as for a known one.
    const expected = record ? Buffer.from(record.hash, 'hex') : NOBODY;
    const isSame = expected.length === 32 && timingSafeEqual(digest(secret), expected);
    if (!isSame || !record || !isLive(record, now)) return undefined;
    this.#note(tokens, record, now);
    return record;
  }

  async list(): Promise<readonly TokenRecord[]> {
    return (await this.#deps.tokens()).list();
  }

  async revoke(id: string): Promise<boolean> {
    return (await this.#deps.tokens()).revoke(id, this.#deps.runtime.now());
  }

  /** Nobody waits for it, and a store that cannot be written does not lock its readers out. */
  #note(tokens: Tokens, { id, lastUsedAt = 0 }: TokenRecord, now: number): void {
    if (now - lastUsedAt < NOTE_EVERY_MS) return;
    tokens.touch(id, now).catch((error: unknown) => {
      this.#deps.runtime.log.debug('the use of a token was not noted', { cause: String(error) });
    });
  }
}

export const createTokenDesk = (deps: TokenDeskDeps): TokenDesk => new Desk(deps);
