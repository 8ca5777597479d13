/** Gets OAuth tokens by client credentials (RFC 6749 section 4.4), and keeps each until it expires. */
import { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { RequestContext } from '../../../contract/source-driver.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { decodeText, parseJson, readBytes } from '../../../kit/http/read-reply.ts';

export interface TokenRequest {
  readonly scheme: string;
  readonly url: string;
  readonly clientId: string;
  /** The key of the client secret. */
  readonly secretKey: string;
  readonly scopes: readonly string[];
}

interface Token {
  readonly value: string;
  readonly expiresAt: number;
}

interface Asking {
  readonly token: Promise<Token>;
  /** The signal of the call that asks; other calls wait for the same answer. */
  readonly signal: AbortSignal;
}

const MAX_BYTES = 256 * 1024;
/** A token is renewed this long before it expires, because the request may take a while. */
const RENEW_AHEAD_MS = 30_000;
const DEFAULT_LIFE_MS = 300_000;
const MAX_LIFE_MS = 86_400_000;
const VISIBLE = /^[\x21-\x7e]{1,10000}$/;

const refusal = (status: number): ToolFailure =>
  new ToolFailure('AUTH_MISSING', `The token service refused the client (HTTP ${status}).`, {
    suggestions: ['Check the client id, the client secret and the scopes in the configuration.'],
  });

const form = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+');

export class ClientTokens {
  readonly #runtime: Runtime;
  readonly #learn: ((credential: string) => void) | undefined;
  readonly #tokens = new Map<string, Token>();
  readonly #running = new Map<string, Asking>();

  /** `learn` makes each token redacted in results and errors. */
  constructor(runtime: Runtime, learn?: (credential: string) => void) {
    this.#runtime = runtime;
    this.#learn = learn;
  }

  /** Returns a token. Rejects with AUTH_MISSING when the service refuses. */
  async token(request: TokenRequest, context: RequestContext): Promise<string> {
    const key = this.#keyOf(request);
    const token = this.#tokens.get(key);
    if (token && token.expiresAt - RENEW_AHEAD_MS > this.#runtime.now()) return token.value;
    const running = this.#running.get(key);
    if (!running) return this.#ask(key, request, context);
    try {
      return (await running.token).value;
    } catch (error) {
      // The call that asked was cancelled, but this one was not: ask again.
      if (!running.signal.aborted || context.signal.aborted) throw error;
      return this.token(request, context);
    }
  }

  async #ask(key: string, request: TokenRequest, context: RequestContext): Promise<string> {
    const asking = { token: this.#fetch(request, context), signal: context.signal };
    this.#running.set(key, asking);
    try {
      const fresh = await asking.token;
      this.#tokens.set(key, fresh);
      return fresh.value;
    } finally {
      this.#running.delete(key);
    }
  }

  /** Forgets a token that the API did not accept. */
  forget(request: TokenRequest): void {
    this.#tokens.delete(this.#keyOf(request));
  }

  #keyOf({ scheme, scopes }: TokenRequest): string {
    return JSON.stringify([scheme, ...scopes]);
  }

  async #fetch(request: TokenRequest, context: RequestContext): Promise<Token> {
    const { url, clientId, secretKey, scopes } = request;
    const secret = await context.secret(secretKey);
    const basic = Buffer.from(`${form(clientId)}:${form(secret)}`).toString('base64');
    const response = await context.fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: context.signal,
      headers: {
        accept: 'application/json',
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      }).toString(),
    });
    const reply = parseJson(decodeText(await readBytes(response, MAX_BYTES)))?.value;
    if (!response.ok) throw refusal(response.status);
    return this.#read(reply);
  }

  #read(reply: unknown): Token {
    const { access_token: value, expires_in: seconds } = isRecord(reply) ? reply : {};
    if (typeof value !== 'string' || !VISIBLE.test(value)) {
      throw new ToolFailure('SERVER_ERROR', 'The token service answered without a token.');
    }
    this.#learn?.(value);
    const life = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : DEFAULT_LIFE_MS;
    return { value, expiresAt: this.#runtime.now() + Math.min(life, MAX_LIFE_MS) };
  }
}
