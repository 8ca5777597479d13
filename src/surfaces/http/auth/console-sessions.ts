/**
 * How a person gets into the console: a one-time code becomes a session. Both are random, live in
 * memory only, and are kept by their hash, so that looking one up tells nothing by its timing.
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
  /** However much it is used, it ends then. */
  readonly expiresAt: number;
}

export interface IssuedCode {
  readonly code: string;
  readonly expiresAt: number;
}

export interface ConsoleDoor {
  /** Good once, for ten minutes. */
  issueCode(user: ConsoleUser): IssuedCode;
  /** A new session with a new id; nothing when the code is not good. */
  enter(code: string): { readonly id: string; readonly session: ConsoleSession } | undefined;
  /** The session of an id, which counts as used. */
  find(id: string): ConsoleSession | undefined;
  /** Is there still the session of this key? Looking is no use of it. */
  isOpen(key: string): boolean;
  leave(id: string): void;
}

export interface ConsoleDoorDeps {
  readonly runtime: Pick<Runtime, 'now'>;
  randomBytes(size: number): Uint8Array;
}

const CODE_MS = 10 * MINUTE_MS;
const SESSION_MS = 12 * HOUR_MS;
const IDLE_MS = 2 * HOUR_MS;
const MOST_CODES = 100;
const MOST_SESSIONS = 1000;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

interface Kept {
  readonly session: ConsoleSession;
  usedAt: number;
}

class Door implements ConsoleDoor {
  readonly #deps: ConsoleDoorDeps;
  readonly #codes = new BoundedMap<string, ConsoleUser & { readonly expiresAt: number }>(
    MOST_CODES,
  );
  readonly #sessions = new BoundedMap<string, Kept>(MOST_SESSIONS);

  constructor(deps: ConsoleDoorDeps) {
    this.#deps = deps;
  }

  issueCode({ user, role }: ConsoleUser): IssuedCode {
    const code = this.#secret(16);
    const expiresAt = this.#deps.runtime.now() + CODE_MS;
    this.#codes.set(hashOf(code), { user, role, expiresAt });
    return { code, expiresAt };
  }

  enter(code: string) {
    const key = hashOf(code);
    const found = this.#codes.get(key);
    this.#codes.delete(key);
    const now = this.#deps.runtime.now();
    if (!found || found.expiresAt <= now) return undefined;
    const id = this.#secret(32);
    const session: ConsoleSession = {
      user: found.user,
      role: found.role,
      key: hashOf(id),
      csrf: this.#secret(32),
      expiresAt: now + SESSION_MS,
    };
    this.#sessions.set(session.key, { session, usedAt: now });
    return { id, session };
  }

  find(id: string): ConsoleSession | undefined {
    const kept = this.#live(hashOf(id));
    if (kept) kept.usedAt = this.#deps.runtime.now();
    return kept?.session;
  }

  isOpen(key: string): boolean {
    return this.#live(key) !== undefined;
  }

  leave(id: string): void {
    this.#sessions.delete(hashOf(id));
  }

  #live(key: string): Kept | undefined {
    const kept = this.#sessions.get(key);
    if (!kept) return undefined;
    const now = this.#deps.runtime.now();
    if (kept.session.expiresAt > now && kept.usedAt + IDLE_MS > now) return kept;
    this.#sessions.delete(key);
    return undefined;
  }

  #secret(size: number): string {
    return Buffer.from(this.#deps.randomBytes(size)).toString('base64url');
  }
}

export const createConsoleDoor = (deps: ConsoleDoorDeps): ConsoleDoor => new Door(deps);

/** Does the header hold the token of the session? Compared in constant time. */
export const isCsrfToken = (given: string | undefined, { csrf }: ConsoleSession): boolean => {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(csrf)];
  return a.length === b.length && timingSafeEqual(a, b);
};
