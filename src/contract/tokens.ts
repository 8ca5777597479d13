/** Tokens of the HTTP server: who may use it, in which role, and within which limits. */
import type { Isolation } from './caller.ts';

export const ROLES = ['viewer', 'agent', 'operator', 'admin'] as const;
/** `viewer` reads, `agent` calls tools, `operator` does both and decides, `admin` creates tokens. */
export type Role = (typeof ROLES)[number];

/** What narrows one token further than its role does. */
export interface TokenPolicy {
  /** The tools it may call, by name; all of them when absent. */
  readonly tools?: readonly string[];
  /** US dollars a day. */
  readonly dailyUsd?: number;
  readonly isolation?: Isolation;
}

export interface TokenRecord {
  readonly id: string;
  /** The user name of its holder is `token:<name>`. */
  readonly name: string;
  readonly role: Role;
  /** SHA-256, hex, of the secret part. The secret itself is kept nowhere. */
  readonly hash: string;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  readonly lastUsedAt?: number;
  readonly policy?: TokenPolicy;
  /**
   * Proves that this user made it. A token without a seal counts only in the process that made it.
   */
  readonly seal?: string;
}

export interface Tokens {
  /** Fails with CONFLICT when the id is taken. */
  add(record: TokenRecord): Promise<void>;
  get(id: string): Promise<TokenRecord | undefined>;
  /** Lists the tokens, newest first, revoked and expired ones included. */
  list(): Promise<readonly TokenRecord[]>;
  /** Revokes a token; false when there is none of this id, or it was revoked before. */
  revoke(id: string, at: number): Promise<boolean>;
  /** Notes that a token was used; unknown ids are ignored. */
  touch(id: string, at: number): Promise<void>;
}
