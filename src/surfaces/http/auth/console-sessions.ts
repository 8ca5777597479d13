/**
 * Logins to the console: a one-time code becomes a session. Both are random, live in memory only,
 * and are stored by their hash, so that the time of a lookup tells nothing about them.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Runtime } from '../../../contract/runtime.ts';
import type { Role } from '../../../contract/tokens.ts';
import { BoundedMap } from '../../../kit/data/bounded-map.ts';
import { HOUR_MS, MINUTE_MS } from '../../../kit/data/durations.ts';

export interface ConsoleUser {
  readonly user: string;
  readonly role: Role;
}

export interface ConsoleSession extends ConsoleUser {
  /** The hash of the id: names the session without giving it away. */
  readonly key: string;
  readonly csrf: string;
  /** The session ends then, also when it is in use. */
  readonly expiresAt: number;
}

export interface IssuedCode {
  readonly code: string;
  readonly expiresAt: number;
}

interface ConsoleSessionsDeps {
  readonly runtime: Pick<Runtime, 'now'>;
  randomBytes(size: number): Uint8Array;
}

const CODE_MS = 10 * MINUTE_MS;
const SESSION_MS = 12 * HOUR_MS;
const IDLE_MS = 2 * HOUR_MS;
const MAX_CODES = 100;
const MAX_SESSIONS = 1000;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

interface OpenSession {
  readonly session: ConsoleSession;
  usedAt: number;
}

export class ConsoleSessions {
  readonly #deps: ConsoleSessionsDeps;
  readonly #codes = new BoundedMap<string, ConsoleUser & { readonly expiresAt: number }>(MAX_CODES);
  readonly #sessions = new BoundedMap<string, OpenSession>(MAX_SESSIONS);

  constructor(deps: ConsoleSessionsDeps) {
    this.#deps = deps;
  }

  /** Makes a code that is valid once, for ten minutes. */
  issueCode({ user, role }: ConsoleUser): IssuedCode {
    const code = this.#secret(16);
    const expiresAt = this.#deps.runtime.now() + CODE_MS;
    this.#codes.set(hashOf(code), { user, role, expiresAt });
    return { code, expiresAt };
  }

  /** Opens a session with a new id; returns nothing when the code is not valid. */
  enter(code: string): { readonly id: string; readonly session: ConsoleSession } | undefined {
    const key = hashOf(code);
    const issued = this.#codes.get(key);
    this.#codes.delete(key);
    const now = this.#deps.runtime.now();
    if (!issued || issued.expiresAt <= now) return undefined;
    const id = this.#secret(32);
    const session: ConsoleSession = {
      user: issued.user,
      role: issued.role,
      key: hashOf(id),
      csrf: this.#secret(32),
      expiresAt: now + SESSION_MS,
    };
    this.#sessions.set(session.key, { session, usedAt: now });
    return { id, session };
  }

  /** Finds the session of an id and notes that it was used. */
  find(id: string): ConsoleSession | undefined {
    const open = this.#live(hashOf(id));
    if (open) open.usedAt = this.#deps.runtime.now();
    return open?.session;
  }

  /** Tells whether the session of this key is still open. Does not count as a use. */
  isOpen(key: string): boolean {
    return this.#live(key) !== undefined;
  }

  leave(id: string): void {
    this.#sessions.delete(hashOf(id));
  }

  #live(key: string): OpenSession | undefined {
    const open = this.#sessions.get(key);
    if (!open) return undefined;
    const now = this.#deps.runtime.now();
    if (open.session.expiresAt > now && open.usedAt + IDLE_MS > now) return open;
    this.#sessions.delete(key);
    return undefined;
  }

  #secret(size: number): string {
    return Buffer.from(this.#deps.randomBytes(size)).toString('base64url');
  }
}

/** Compares the header with the CSRF token of the session, in constant time. */
export const isCsrfToken = (sent: string | undefined, { csrf }: ConsoleSession): boolean => {
  const [a, b] = [Buffer.from(sent ?? ''), Buffer.from(csrf)];
  return a.length === b.length && timingSafeEqual(a, b);
};
