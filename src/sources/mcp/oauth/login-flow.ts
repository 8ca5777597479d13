/** Runs one login: finds the authorization server, registers if needed, opens the login page, redeems the code. */
import { randomBytes } from 'node:crypto';
import type {
  AuthorizationServerMetadata,
  FetchLike,
  OAuthServerInfo,
  OAuthTokens,
} from '@modelcontextprotocol/client';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { AuthRecord } from './auth-record.ts';
import { assertSecureAddress } from './bounded-fetch.ts';
import { type CallbackListener, listenForCallback } from './callback-listener.ts';

type Sdk = typeof import('@modelcontextprotocol/client');

/** The server to log in to, as configured. */
export interface AuthServer {
  readonly name: string;
  readonly url: string;
  /** Set when this program was registered by hand. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The scopes to request; those that the server names when absent. */
  readonly scope?: string;
  /** The port of the redirect address, where it was registered by hand. */
  readonly redirectPort?: number;
  /** Where to log in, for a server that does not say so itself. */
  readonly endpoints?: { readonly authorization: string; readonly token: string };
  /** What a person types to log in; `toolcrib servers login <name>` when absent. */
  readonly loginCommand?: string;
}

/** Finding the login server, waiting for the person, redeeming the code. */
export type LoginStep = 'finding' | 'waiting' | 'redeeming';

export interface LoginDeps {
  readonly server: AuthServer;
  readonly runtime: Runtime;
  readonly fetchFn: FetchLike;
  /** Rejects when none can be opened. */
  openBrowser(url: URL): Promise<void>;
  onStep?(step: LoginStep): void;
  /** The record of an earlier login. */
  readonly previous: AuthRecord | undefined;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

interface LoginTarget {
  readonly authorizationServer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** Absent where the server is not known to understand it (RFC 8707). */
  readonly resource: string | undefined;
  readonly scope: string | undefined;
}

/** Reads the 401 of the server: where its metadata is, and which scope it requires. */
const challengeOf = async (
  sdk: Sdk,
  { server, fetchFn }: LoginDeps,
): Promise<ReturnType<Sdk['extractWWWAuthenticateParams']>> => {
  const response = await fetchFn(server.url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  const challenge = response.status === 401 ? sdk.extractWWWAuthenticateParams(response) : {};
  const { origin } = new URL(server.url);
  if (
    challenge.resourceMetadataUrl === undefined ||
    challenge.resourceMetadataUrl.origin === origin
  ) {
    return challenge;
  }
  throw new ToolFailure('SECURITY_VIOLATION', 'The server names metadata on another host.', {
    suggestions: ['Ask whoever runs the server; nothing was sent there.'],
  });
};

/** Returns the resource to request a token for: this server only, whatever its metadata names (RFC 8707). */
const resourceOf = (sdk: Sdk, url: string, { resourceMetadata }: OAuthServerInfo): string => {
  const own = sdk.resourceUrlFromServerUrl(url);
  if (!resourceMetadata) return own.href;
  const configuredResource = resourceMetadata.resource;
  if (sdk.checkResourceAllowed({ requestedResource: own, configuredResource })) {
    return configuredResource;
  }
  throw new ToolFailure('SECURITY_VIOLATION', 'The server asks for a token of another resource.', {
    suggestions: ['Check the address of the server in your configuration.'],
  });
};

const scopeOf = (
  requested: string | undefined,
  { resourceMetadata, authorizationServerMetadata }: OAuthServerInfo,
): string | undefined => {
  const scope = requested ?? resourceMetadata?.scopes_supported?.join(' ');
  const offline = authorizationServerMetadata?.scopes_supported?.includes('offline_access');
  if (!scope || !offline || scope.split(' ').includes('offline_access')) return scope || undefined;
  return `${scope} offline_access`;
};

/** Returns the configured login server; asks the MCP server nothing. */
const configuredTarget = (
  { authorization, token }: NonNullable<AuthServer['endpoints']>,
  scope: string | undefined,
): LoginTarget => {
  assertSecureAddress('login page', authorization);
  const { origin } = assertSecureAddress('token endpoint', token);
  return {
    authorizationServer: origin,
    metadata: {
      issuer: origin,
      authorization_endpoint: authorization,
      token_endpoint: token,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    },
    resource: undefined,
    scope,
  };
};

const findTarget = async (sdk: Sdk, deps: LoginDeps): Promise<LoginTarget> => {
  const { server, fetchFn } = deps;
  if (server.endpoints) return configuredTarget(server.endpoints, server.scope);
  const { resourceMetadataUrl, scope } = await challengeOf(sdk, deps);
  const info = await sdk.discoverOAuthServerInfo(server.url, {
    fetchFn,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
  });
  const metadata = info.authorizationServerMetadata;
  if (!metadata) {
    throw new ToolFailure('SERVER_ERROR', 'The server does not say where to log in.', {
      suggestions: ['It may need no login, or a token: toolcrib servers test <name>'],
    });
  }
  assertSecureAddress('authorization server', info.authorizationServerUrl);
  assertSecureAddress('login page', metadata.authorization_endpoint);
  assertSecureAddress('token endpoint', metadata.token_endpoint);
  return {
    authorizationServer: info.authorizationServerUrl,
    metadata,
    resource: resourceOf(sdk, server.url, info),
    scope: scopeOf(server.scope ?? scope, info),
  };
};

const clientOf = async (
  sdk: Sdk,
  { server, previous, fetchFn }: LoginDeps,
  { target, listener }: { readonly target: LoginTarget; readonly listener: CallbackListener },
): Promise<AuthRecord['client']> => {
  if (server.clientId !== undefined) {
    const secret = server.clientSecret;
    return { id: server.clientId, ...(secret !== undefined && { secret }) };
  }
  const fits = previous?.metadata.issuer === target.metadata.issuer;
  if (previous && fits && previous.redirectPort === listener.port) return previous.client;
  const endpoint = target.metadata.registration_endpoint;
  if (endpoint === undefined) {
    throw new ToolFailure(
      'AUTH_MISSING',
      'The server takes no programs that register themselves.',
      {
        suggestions: ['Register Toolcrib there by hand and give its client id with --client-id.'],
      },
    );
  }
  assertSecureAddress('registration endpoint', endpoint);
  const registered = await sdk.registerClient(target.authorizationServer, {
    metadata: target.metadata,
    clientMetadata: {
      client_name: 'Toolcrib',
      // OpenID registration assumes `web` otherwise, and a web client may not redirect to loopback.
      application_type: 'native',
      redirect_uris: [listener.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    ...(target.scope !== undefined && { scope: target.scope }),
    fetchFn,
  });
  const secret = registered.client_secret;
  return { id: registered.client_id, ...(secret !== undefined && { secret }) };
};

/** Converts tokens to their stored form, with the time when they expire. */
export const storedTokens = (
  { access_token, refresh_token, scope, expires_in }: OAuthTokens,
  now: number,
): NonNullable<AuthRecord['tokens']> => ({
  access: access_token,
  since: now,
  ...(refresh_token !== undefined && { refresh: refresh_token }),
  ...(scope !== undefined && { scope }),
  ...(expires_in !== undefined && { expiresAt: now + expires_in * 1000 }),
});

/** Converts the client to the form of the SDK. */
export const clientInformation = ({ id, secret }: AuthRecord['client']) => ({
  client_id: id,
  ...(secret !== undefined && { client_secret: secret }),
});

const authorize = async (
  sdk: Sdk,
  deps: LoginDeps,
  {
    target,
    listener,
    client,
  }: { target: LoginTarget; listener: CallbackListener; client: AuthRecord['client'] },
): Promise<OAuthTokens> => {
  const state = randomBytes(32).toString('base64url');
  const { metadata, resource, scope } = target;
  const information = clientInformation(client);
  const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(
    target.authorizationServer,
    {
      metadata,
      clientInformation: information,
      redirectUrl: listener.redirectUrl,
      state,
      ...(resource !== undefined && { resource }),
      ...(scope !== undefined && { scope }),
    },
  );
  const answer = listener.wait(state);
  // The browser may fail before the answer is awaited.
  answer.catch(() => undefined);
  const page = assertSecureAddress('login page', authorizationUrl.href);
  deps.onStep?.('waiting');
  await deps.openBrowser(page);
  const { code, iss } = await answer;
  deps.onStep?.('redeeming');
  return sdk.exchangeAuthorization(target.authorizationServer, {
    metadata,
    clientInformation: information,
    authorizationCode: code,
    // RFC 9207: the SDK checks it before it sends the code.
    ...(iss !== undefined && { iss }),
    codeVerifier,
    redirectUri: listener.redirectUrl,
    ...(resource !== undefined && { resource }),
    fetchFn: deps.fetchFn,
  });
};

/** Fails when the person does not agree in time, or when a step breaks a rule of the protocol. */
export const runLogin = async (deps: LoginDeps): Promise<AuthRecord> => {
  const { server, runtime, previous, waitMs, signal } = deps;
  deps.onStep?.('finding');
  const sdk = await import('@modelcontextprotocol/client');
  const port = server.redirectPort ?? previous?.redirectPort;
  const target = await findTarget(sdk, deps);
  const isFixed = server.redirectPort !== undefined;
  const listener = await listenForCallback({ port, isFixed, runtime, waitMs, signal });
  try {
    const client = await clientOf(sdk, deps, { target, listener });
    const tokens = await authorize(sdk, deps, { target, listener, client });
    return {
      url: server.url,
      authorizationServer: target.authorizationServer,
      ...(target.resource !== undefined && { resource: target.resource }),
      metadata: target.metadata,
      client,
      redirectPort: listener.port,
      tokens: storedTokens(tokens, runtime.now()),
    };
  } finally {
    listener.close();
  }
};
