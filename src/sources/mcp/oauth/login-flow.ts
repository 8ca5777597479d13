/** One login: finds the authorization server, registers if need be, sends a person there, redeems the code. */
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
import { type CallbackListener, listenForCallback } from './callback-listener.ts';
import { assertSecureAddress } from './secure-address.ts';

type Sdk = typeof import('@modelcontextprotocol/client');

/** The server to log in to, as configured. */
export interface AuthServer {
  readonly name: string;
  readonly url: string;
  /** Given when the server's owner registered this program by hand. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The scopes to ask for; what the server names otherwise. */
  readonly scope?: string;
  /** The port of the redirect address, where it was registered by hand. */
  readonly redirectPort?: number;
}

/** Servers are asked where to log in; a person is, at the login page; the code is redeemed. */
export type LoginStep = 'finding' | 'waiting' | 'redeeming';

export interface LoginDeps {
  readonly server: AuthServer;
  readonly runtime: Runtime;
  readonly fetchFn: FetchLike;
  /** Rejects when none can be opened; the login goes on, for the address is shown as well. */
  openBrowser(url: URL): Promise<void>;
  onStep?(step: LoginStep): void;
  /** What an earlier login left. */
  readonly known: AuthRecord | undefined;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

interface Site {
  readonly authorizationServer: string;
  readonly metadata: AuthorizationServerMetadata;
  readonly resource: string;
  readonly scope: string | undefined;
}

/** What a 401 of the server says about where its metadata is, and which scope it wants. */
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
  const said = response.status === 401 ? sdk.extractWWWAuthenticateParams(response) : {};
  const { origin } = new URL(server.url);
  if (said.resourceMetadataUrl === undefined || said.resourceMetadataUrl.origin === origin) {
    return said;
  }
  throw new ToolFailure('SECURITY_VIOLATION', 'The server names metadata on another host.', {
    suggestions: ['Ask whoever runs the server; nothing was sent there.'],
  });
};

/** RFC 8707: a token is asked for this server, and for no other that its metadata may name. */
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
  wanted: string | undefined,
  { resourceMetadata, authorizationServerMetadata }: OAuthServerInfo,
): string | undefined => {
  const scope = wanted ?? resourceMetadata?.scopes_supported?.join(' ');
  const offline = authorizationServerMetadata?.scopes_supported?.includes('offline_access');
  if (!scope || !offline || scope.split(' ').includes('offline_access')) return scope || undefined;
  return `${scope} offline_access`;
};

const findSite = async (sdk: Sdk, parts: LoginDeps): Promise<Site> => {
  const { server, fetchFn } = parts;
  const { resourceMetadataUrl, scope } = await challengeOf(sdk, parts);
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
  { server, known, fetchFn }: LoginDeps,
  { site, listener }: { readonly site: Site; readonly listener: CallbackListener },
): Promise<AuthRecord['client']> => {
  if (server.clientId !== undefined) {
    const secret = server.clientSecret;
    return { id: server.clientId, ...(secret !== undefined && { secret }) };
  }
  const fits = known?.metadata.issuer === site.metadata.issuer;
  if (known && fits && known.redirectPort === listener.port) return known.client;
  const endpoint = site.metadata.registration_endpoint;
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
  const registered = await sdk.registerClient(site.authorizationServer, {
    metadata: site.metadata,
    clientMetadata: {
      client_name: 'Toolcrib',
      // OpenID registration assumes `web` otherwise, and a web client may not redirect to loopback.
      application_type: 'native',
      redirect_uris: [listener.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    ...(site.scope !== undefined && { scope: site.scope }),
    fetchFn,
  });
  const secret = registered.client_secret;
  return { id: registered.client_id, ...(secret !== undefined && { secret }) };
};

/** Tokens as they are kept, with the moment they lapse. */
export const keptTokens = (
  { access_token, refresh_token, scope, expires_in }: OAuthTokens,
  now: number,
): NonNullable<AuthRecord['tokens']> => ({
  access: access_token,
  since: now,
  ...(refresh_token !== undefined && { refresh: refresh_token }),
  ...(scope !== undefined && { scope }),
  ...(expires_in !== undefined && { expiresAt: now + expires_in * 1000 }),
});

/** The client as the library wants it. */
export const clientInformation = ({ id, secret }: AuthRecord['client']) => ({
  client_id: id,
  ...(secret !== undefined && { client_secret: secret }),
});

const askPerson = async (
  sdk: Sdk,
  parts: LoginDeps,
  {
    site,
    listener,
    client,
  }: { site: Site; listener: CallbackListener; client: AuthRecord['client'] },
): Promise<OAuthTokens> => {
  const state = randomBytes(32).toString('base64url');
  const { metadata, resource, scope } = site;
  const information = clientInformation(client);
  const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(
    site.authorizationServer,
    {
      metadata,
      clientInformation: information,
      redirectUrl: listener.redirectUrl,
      state,
      resource,
      ...(scope !== undefined && { scope }),
    },
  );
  const answer = listener.wait(state);
  // The browser may fail before anybody listens to the answer.
  answer.catch(() => undefined);
  const page = assertSecureAddress('login page', authorizationUrl.href);
  parts.onStep?.('waiting');
  await parts.openBrowser(page);
  const { code, iss } = await answer;
  parts.onStep?.('redeeming');
  return sdk.exchangeAuthorization(site.authorizationServer, {
    metadata,
    clientInformation: information,
    authorizationCode: code,
    // RFC 9207: checked there, before the code is sent anywhere.
    ...(iss !== undefined && { iss }),
    codeVerifier,
    redirectUri: listener.redirectUrl,
    resource,
    fetchFn: parts.fetchFn,
  });
};

/** Fails when the person does not agree in time, or anything on the way is not as it has to be. */
export const runLogin = async (parts: LoginDeps): Promise<AuthRecord> => {
  const { server, runtime, known, waitMs, signal } = parts;
  parts.onStep?.('finding');
  const sdk = await import('@modelcontextprotocol/client');
  const port = server.redirectPort ?? known?.redirectPort;
  const site = await findSite(sdk, parts);
  const isFixed = server.redirectPort !== undefined;
  const listener = await listenForCallback({ port, isFixed, runtime, waitMs, signal });
  try {
    const client = await clientOf(sdk, parts, { site, listener });
    const tokens = await askPerson(sdk, parts, { site, listener, client });
    return {
      url: server.url,
      authorizationServer: site.authorizationServer,
      resource: site.resource,
      metadata: site.metadata,
      client,
      redirectPort: listener.port,
      tokens: keptTokens(tokens, runtime.now()),
    };
  } finally {
    listener.close();
  }
};
