/**
 * The login to one remote server: logging in and out, and the token of every request, renewed ahead of
 * time. A request never opens a browser; when a person has to log in, it fails and says so.
 */
import type { AuthProvider, FetchLike } from '@modelcontextprotocol/client';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { SecretVault } from '../../../contract/secrets.ts';
import { type AuthRecord, openRecordBook, type RecordBook } from './auth-record.ts';
import { assertSecureAddress, boundedFetch } from './bounded-fetch.ts';
import { type AuthServer, type LoginStep, runLogin } from './login-flow.ts';
import { loginFailure, refreshTokens, revokeTokens } from './token-endpoint.ts';

/** Tokens are renewed this long before they expire, so that no request carries an expired one. */
const RENEW_AHEAD_MS = 60_000;
/** A refused token that is younger than this was never valid. */
const YOUNG_MS = 30_000;
const LOGIN_WAIT_MS = 300_000;

export interface ServerAuthOptions {
  readonly server: AuthServer;
  /** Stores the tokens. */
  readonly secrets: SecretVault;
  readonly runtime: Runtime;
  readonly fetch: typeof fetch;
  /** Shows a person the login page. Rejects when it cannot; then the login fails. */
  openBrowser(url: URL): Promise<void>;
}

export type AuthState =
  /** No login is stored; the server may not need one. */
  | { readonly state: 'signed_out' }
  | { readonly state: 'signed_in'; readonly expiresAt?: number; readonly scope?: string }
  | { readonly state: 'needs_login'; readonly message: string };

export interface LoginOptions {
  readonly signal?: AbortSignal;
  /** How long to wait for the person; five minutes by default. */
  readonly waitMs?: number;
  /** Called at the beginning of each step. */
  onStep?(step: LoginStep): void;
}

export interface ServerAuth {
  /** For the transport: gives the token of each request, and handles its refusal. */
  readonly provider: Required<AuthProvider>;
  /** Tells that the server did not accept the token. Rejects with AUTH_MISSING where a login is needed. */
  refused(): Promise<void>;
  login(options?: LoginOptions): Promise<AuthState>;
  /** Deletes the tokens, and revokes them where the login server supports it. False when there were none. */
  logout(): Promise<boolean>;
  state(): Promise<AuthState>;
}

const stateOf = (record: AuthRecord | undefined): AuthState => {
  if (record?.trouble !== undefined) return { state: 'needs_login', message: record.trouble };
  if (!record?.tokens) return { state: 'signed_out' };
  const { expiresAt, scope } = record.tokens;
  return {
    state: 'signed_in',
    ...(expiresAt !== undefined && { expiresAt }),
    ...(scope !== undefined && { scope }),
  };
};

class Login implements ServerAuth {
  readonly #options: ServerAuthOptions;
  readonly #book: RecordBook;
  readonly #fetch: ReturnType<typeof boundedFetch>;
  #record: AuthRecord | undefined;
  /** No record was stored; read again when the server asks for a login. */
  #isAbsent = false;
  /** Why a server without a stored login needs one. */
  #loginReason: string | undefined;
  #renewal: Promise<AuthRecord> | undefined;

  constructor(options: ServerAuthOptions) {
    this.#options = options;
    this.#book = openRecordBook(options.secrets, options.server);
    this.#fetch = boundedFetch(options.fetch, options.server.url);
  }

  readonly provider: Required<AuthProvider> = {
    token: () => this.#token(),
    onUnauthorized: () => this.#handleRefusal(),
  };

  refused(): Promise<void> {
    return this.#handleRefusal();
  }

  async login({ signal, waitMs = LOGIN_WAIT_MS, onStep }: LoginOptions = {}): Promise<AuthState> {
    const { server, runtime, openBrowser } = this.#options;
    assertSecureAddress('address of the server', server.url);
    const record = await runLogin({
      server,
      runtime,
      fetchFn: this.#fetchUntil(signal),
      openBrowser,
      previous: await this.#book.read(),
      waitMs,
      signal,
      ...(onStep && { onStep }),
    }).catch((error: unknown) => {
      throw signal?.aborted ? new ToolFailure('CANCELLED') : loginFailure(error);
    });
    await this.#store(record);
    this.#loginReason = undefined;
    return stateOf(record);
  }

  /** Binds requests to the signal, so that a cancelled login does not wait for a slow server. */
  #fetchUntil(signal: AbortSignal | undefined): FetchLike {
    return (url, init) => this.#fetch(url, { ...init, ...(signal && { signal }) });
  }

  async logout(): Promise<boolean> {
    const record = await this.#book.read();
    this.#record = undefined;
    this.#loginReason = undefined;
    const removed = await this.#book.remove();
    if (record?.tokens) await revokeTokens(record, this.#fetch);
    return removed;
  }

  async state(): Promise<AuthState> {
    const state = stateOf(await this.#book.read());
    return state.state === 'signed_out' && this.#loginReason !== undefined
      ? { state: 'needs_login', message: this.#loginReason }
      : state;
  }

  async #store(record: AuthRecord): Promise<void> {
    await this.#book.write(record);
    this.#record = record;
  }

  async #load(): Promise<void> {
    this.#record = await this.#book.read();
    this.#isAbsent = this.#record === undefined;
  }

  async #token(): Promise<string | undefined> {
    if (!this.#record && !this.#isAbsent) await this.#load();
    if (!this.#record) return undefined;
    if (!this.#isDue(this.#record)) return this.#record.tokens?.access;
    return (await this.#renew()).tokens?.access;
  }

  #isDue({ tokens, trouble }: AuthRecord): boolean {
    if (!tokens || trouble !== undefined) return true;
    const { expiresAt } = tokens;
    return expiresAt !== undefined && expiresAt - this.#options.runtime.now() < RENEW_AHEAD_MS;
  }

  /** Handles a 401. The transport asks for the token once more after this. */
  async #handleRefusal(): Promise<void> {
    const record = this.#record;
    if (!record) {
      await this.#load();
      // Another process logged in meanwhile.
      if (this.#record) return;
      this.#loginReason = 'the server wants a login';
      throw this.#needsLogin(this.#loginReason);
    }
    const isYoung = this.#options.runtime.now() - (record.tokens?.since ?? 0) < YOUNG_MS;
    if (isYoung && record.trouble === undefined) {
      return this.#giveUp(record, 'the server refuses the token it was just given');
    }
    await this.#renew();
  }

  /** Renews one at a time: servers treat a refresh token that is used twice as stolen. */
  #renew(): Promise<AuthRecord> {
    this.#renewal ??= this.#renewOnce().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renewOnce(): Promise<AuthRecord> {
    const before = this.#record;
    const current = await this.#book.read();
    if (!current) throw this.#needsLogin('nobody is logged in any more');
    // Another process, or a new login, was faster.
    if (current.tokens?.access !== before?.tokens?.access && !this.#isDue(current)) {
      this.#record = current;
      return current;
    }
    if (current.trouble !== undefined) throw this.#needsLogin(current.trouble);
    const { runtime } = this.#options;
    const result = await refreshTokens(current, { fetchFn: this.#fetch, now: runtime.now() });
    if (result.outcome === 'done') {
      await this.#store(result.record);
      return result.record;
    }
    return result.outcome === 'refused'
      ? this.#settleRefusal(current, result.reason)
      : this.#useOldToken(current, result.reason);
  }

  /** Checks whether another process has just used the same refresh token. */
  async #settleRefusal(used: AuthRecord, reason: string): Promise<AuthRecord> {
    const latest = await this.#book.read();
    if (latest?.tokens?.access !== used.tokens?.access && latest && !this.#isDue(latest)) {
      this.#record = latest;
      return latest;
    }
    return this.#giveUp(used, reason);
  }

  /** Uses the old token until it expires. */
  #useOldToken(record: AuthRecord, reason: string): AuthRecord {
    const { server, runtime } = this.#options;
    runtime.log.warn(`The login to ${server.name} could not be renewed: ${reason}.`);
    const { expiresAt = Number.POSITIVE_INFINITY } = record.tokens ?? {};
    if (expiresAt > runtime.now()) return record;
    throw new ToolFailure('NETWORK', `The login to ${server.name} could not be renewed.`, {
      suggestions: ['Try again in a moment; the login itself is kept.'],
    });
  }

  async #giveUp(record: AuthRecord, reason: string): Promise<never> {
    const { name } = this.#options.server;
    this.#record = { ...record, trouble: reason };
    await this.#book.write(this.#record);
    this.#options.runtime.log.error(`Log in to ${name} again: ${reason}.`, { server: name });
    throw this.#needsLogin(reason);
  }

  #needsLogin(reason: string): ToolFailure {
    const { name, loginCommand = `toolcrib servers login ${name}` } = this.#options.server;
    return new ToolFailure('AUTH_MISSING', `The server ${name} needs a login: ${reason}.`, {
      suggestions: [`Log in: ${loginCommand}`],
    });
  }
}

export const createServerAuth = (options: ServerAuthOptions): ServerAuth => new Login(options);
