/**
 * What every HTTP request has to pass before its body is read: the host it was meant for, the page
 * it comes from, and who sends it.
 */
import type { Logger } from '../../contract/runtime.ts';
import type { Sdk } from './load-sdk.ts';
import type { McpHttpOptions, McpIdentity } from './mcp-options.ts';

export type Admitted = { readonly identity: McpIdentity } | { readonly refused: Response };

const refusal = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  Response.json(
    { jsonrpc: '2.0', error: { code: -32001, message }, id: null },
    { status, headers: { ...headers } },
  );

const challenge = ({ resourceMetadataUrl }: McpHttpOptions): string =>
  resourceMetadataUrl === undefined
    ? 'Bearer realm="toolcrib"'
    : `Bearer realm="toolcrib", resource_metadata="${encodeURI(resourceMetadataUrl)}"`;

const identify = async (
  request: Request,
  http: McpHttpOptions,
  log: Logger,
): Promise<McpIdentity | undefined> => {
  try {
    const identity = await http.authenticate(request);
    return identity && identity.key !== '' ? identity : undefined;
  } catch (error) {
    log.warn('an MCP client could not be authenticated', {
      cause: error instanceof Error ? error.message : String(error),
    });
    return undefined;
  }
};

const foreign = (request: Request, http: McpHttpOptions, sdk: Sdk): Response | undefined => {
  const hosts = [...(http.hosts ?? sdk.localhostAllowedHostnames())];
  const origins = [...(http.origins ?? sdk.localhostAllowedOrigins())];
  return (
    sdk.hostHeaderValidationResponse(request, hosts) ??
    sdk.originValidationResponse(request, origins)
  );
};

export interface GateDeps {
  readonly http: McpHttpOptions;
  readonly sdk: Sdk;
  readonly log: Logger;
}

export const admit = async (request: Request, { http, sdk, log }: GateDeps): Promise<Admitted> => {
  const refused = foreign(request, http, sdk);
  if (refused) return { refused };
  const identity = await identify(request, http, log);
  if (identity) return { identity };
  const headers = { 'WWW-Authenticate': challenge(http) };
  return { refused: refusal(401, 'Authentication is required', headers) };
};
