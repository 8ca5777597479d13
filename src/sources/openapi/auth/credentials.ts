/**
 * Adds the credentials of an operation to its requests. Secrets are sent only to hosts that the user
 * names.
 */
import { ToolFailure } from '../../../contract/errors.ts';
import type { RequestContext, SourceTokens } from '../../../contract/source-driver.ts';
import type { AuthRequirement } from '../../../contract/tool.ts';
import { isLoopback } from '../../../kit/http/loopback.ts';
import { resolveSecrets, secretKeysOf } from '../../../kit/text/resolve-secrets.ts';
import type { Server, Servers } from '../operations/servers.ts';
import type { Draft } from '../request/draft.ts';
import { encode } from '../request/encode.ts';
import type { ClientTokens, TokenRequest } from './client-tokens.ts';
import type { Scheme } from './security-schemes.ts';

export interface CredentialDeps {
  readonly clientTokens: ClientTokens;
  /** The tokens of a person's login; absent when the source has none. */
  readonly tokens: SourceTokens | undefined;
  readonly servers: Servers;
  /** The headers that the user wants with every request. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Credentials {
  /** The keys of the secrets that requests use. */
  readonly secrets: readonly string[];
  /** Hosts beside that of the API: where tokens are issued. */
  readonly hosts: readonly string[];
  readonly requirement: AuthRequirement | undefined;
  /** The parameters that credentials are sent in, e.g. `query key`, in lower case. */
  readonly parameters: ReadonlySet<string>;
  /** Adds the credentials. Rejects with AUTH_MISSING when one is missing, before anything is sent. */
  apply(draft: Draft, context: RequestContext): Promise<void>;
  /** Called for a 401. Returns whether another try may be accepted. */
  refused(): Promise<boolean>;
}

const missing = (message: string, suggestion: string): ToolFailure =>
  new ToolFailure('AUTH_MISSING', message, { suggestions: [suggestion] });

const keyOf = ({ name, settings }: Scheme): string => {
  if (settings.secret !== undefined) return settings.secret;
  throw missing(
    `The security scheme ${name} has no secret.`,
    `Set sources.openapi.<source>.auth.${name}.secret to the key of a secret.`,
  );
};

const secretKeys = ({ settings, kind }: Scheme): readonly string[] => {
  const key = kind === 'client-credentials' ? settings.clientSecret : settings.secret;
  return kind === 'login' || key === undefined ? [] : [key];
};

/** Where the credential of a scheme is sent, and what the contract calls that. */
const REQUIREMENTS: ReadonlyMap<Scheme['kind'], AuthRequirement['type']> = new Map([
  ['basic', 'basic_auth'],
  ['bearer', 'bearer_token'],
  ['header', 'api_key'],
  ['query', 'api_key'],
  ['cookie', 'api_key'],
  ['client-credentials', 'oauth'],
]);

const requirementOf = (schemes: readonly Scheme[]): AuthRequirement | undefined => {
  const [scheme, ...others] = schemes;
  const type = scheme && REQUIREMENTS.get(scheme.kind);
  const [configKey] = scheme ? secretKeys(scheme) : [];
  return type && configKey !== undefined && others.length === 0
    ? { type, required: true, configKey }
    : undefined;
};

/** Finds where to request a token: by the configuration, or by the document at a host that the user names. */
const tokenRequest = (scheme: Scheme, servers: Servers): TokenRequest | undefined => {
  const { name, settings, tokenUrl, scopes } = scheme;
  const { clientId, clientSecret } = settings;
  if (clientId === undefined || clientSecret === undefined || tokenUrl === undefined) {
    return undefined;
  }
  const base = servers.root?.url;
  if (!URL.canParse(tokenUrl, base)) return undefined;
  const url = new URL(tokenUrl, base);
  const isNamed = settings.tokenUrl !== undefined || servers.isConfigured(url.host);
  const isSafe = url.protocol === 'https:' || isLoopback(url);
  if (!isNamed || !isSafe || url.username !== '' || url.password !== '') return undefined;
  return { scheme: name, url: url.href, clientId, secretKey: clientSecret, scopes };
};

class OperationCredentials implements Credentials {
  readonly #schemes: readonly Scheme[];
  readonly #server: Server;
  readonly #deps: CredentialDeps;
  readonly #requests: ReadonlyMap<Scheme, TokenRequest>;
  readonly #headerKeys: readonly string[];

  constructor(schemes: readonly Scheme[], server: Server, deps: CredentialDeps) {
    this.#schemes = schemes;
    this.#server = server;
    this.#deps = deps;
    this.#headerKeys = secretKeysOf(deps.headers);
    this.#requests = new Map(
      schemes.flatMap((scheme) => {
        const isClient = scheme.kind === 'client-credentials';
        const request = isClient ? tokenRequest(scheme, deps.servers) : undefined;
        return request ? [[scheme, request] as const] : [];
      }),
    );
  }

  get #isSecret(): boolean {
    return this.#schemes.length > 0 || this.#headerKeys.length > 0;
  }

  get secrets(): readonly string[] {
    if (!this.#server.takesCredentials) return [];
    return [...new Set([...this.#headerKeys, ...this.#schemes.flatMap(secretKeys)])];
  }

  get hosts(): readonly string[] {
    return [...this.#requests.values()].map(({ url }) => new URL(url).host);
  }

  get requirement(): AuthRequirement | undefined {
    return this.#server.takesCredentials ? requirementOf(this.#schemes) : undefined;
  }

  get parameters(): ReadonlySet<string> {
    if (!this.#server.takesCredentials) return new Set();
    return new Set(
      this.#schemes.map(({ kind, parameter }) => `${kind} ${parameter.toLowerCase()}`),
    );
  }

  async apply(draft: Draft, context: RequestContext): Promise<void> {
    if (this.#isSecret && !this.#server.takesCredentials) {
      throw missing(
        `The document names ${this.#server.host} for this operation, and the configuration does not: no credential is sent there.`,
        'Set "baseUrl" of the source to the address of the API, or name the host under "hosts".',
      );
    }
    Object.assign(draft.headers, await this.#ownHeaders(context));
    for (const scheme of this.#schemes) await this.#add(scheme, draft, context);
  }

  async #ownHeaders(context: RequestContext): Promise<Record<string, string>> {
    const { headers } = this.#deps;
    const lower = (all: Readonly<Record<string, string>>): Record<string, string> =>
      Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value]));
    if (this.#headerKeys.length === 0) return lower(headers);
    return lower(await resolveSecrets(headers, (key) => context.secret(key)));
  }

  async #add(scheme: Scheme, draft: Draft, context: RequestContext): Promise<void> {
    const { kind, parameter } = scheme;
    if (kind === 'login' || kind === 'client-credentials') {
      draft.headers.authorization = `Bearer ${await this.#token(scheme, context)}`;
      return;
    }
    const secret = await context.secret(keyOf(scheme));
    if (kind === 'bearer') draft.headers.authorization = `Bearer ${secret}`;
    else if (kind === 'basic') draft.headers.authorization = basicOf(scheme, secret);
    else if (kind === 'query') draft.query.push(`${encode(parameter)}=${encode(secret)}`);
    else if (kind === 'cookie') draft.cookies.push(`${parameter}=${encode(secret)}`);
    else draft.headers[parameter.toLowerCase()] = secret;
  }

  async #token(scheme: Scheme, context: RequestContext): Promise<string> {
    const { tokens, clientTokens } = this.#deps;
    if (scheme.kind === 'login') {
      if (tokens) return tokens.token(context.signal);
      throw missing('Nobody has logged in to this API.', 'Log in: toolcrib sources login <name>');
    }
    const request = this.#requests.get(scheme);
    if (request) return clientTokens.token(request, context);
    throw missing(
      `The security scheme ${scheme.name} needs clientId, clientSecret and an address for tokens that the configuration names.`,
      `Set auth.${scheme.name}.clientId, .clientSecret and .tokenUrl of the source.`,
    );
  }

  async refused(): Promise<boolean> {
    const { tokens, clientTokens } = this.#deps;
    for (const request of this.#requests.values()) clientTokens.forget(request);
    const isLogin = this.#schemes.some(({ kind }) => kind === 'login');
    if (isLogin) await tokens?.refused();
    return isLogin || this.#requests.size > 0;
  }
}

/** Makes the basic credential: the secret is the password; without a user name it is `user:password`. */
const basicOf = ({ settings }: Scheme, secret: string): string => {
  const { username } = settings;
  const text = username === undefined ? secret : `${username}:${secret}`;
  return `Basic ${Buffer.from(text).toString('base64')}`;
};

export const credentialsOf = (
  schemes: readonly Scheme[],
  server: Server,
  deps: CredentialDeps,
): Credentials => new OperationCredentials(schemes, server, deps);
