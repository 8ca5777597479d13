/**
 * What every HTTP request has to pass before its body is read: the host it was meant for, the page
 * it comes from, and who sends it.
 */
import type { Logger } from '../../contract/runtime.ts';
import { type PlainAnswer, refusal } from './door-answer.ts';
import type { DoorRequest } from './door-request.ts';
import type { Sdk } from './load-sdk.ts';
import type { McpHttpOptions, McpIdentity, RequestHead } from './mcp-options.ts';

export type Admitted = { readonly identity: McpIdentity } | { readonly refused: PlainAnswer };

const challenge = ({ resourceMetadataUrl }: McpHttpOptions): string =>
  resourceMetadataUrl === undefined
    ? 'Bearer realm="toolcrib"'
    : `Bearer realm="toolcrib", resource_metadata="${encodeURI(resourceMetadataUrl)}"`;

const identify = async (
  head: RequestHead,
  { http, log }: GateDeps,
): Promise<McpIdentity | undefined> => {
  try {
    const identity = await http.authenticate(head);
    return identity && identity.key !== '' ? identity : undefined;
  } catch (error) {
    log.warn('an MCP client could not be authenticated', {
      cause: error instanceof Error ? error.message : String(error),
    });
    return undefined;
  }
};

/** Refuses what was meant for another host, or comes from a page of one. */
const foreignCheck = ({ http, sdk }: GateDeps) => {
  const hosts = [...(http.hosts ?? sdk.localhostAllowedHostnames())];
  const origins = [...(http.origins ?? sdk.localhostAllowedOrigins())];
  return (request: DoorRequest): PlainAnswer | undefined => {
    const host = sdk.validateHostHeader(request.header('host'), hosts);
    if (!host.ok) return refusal(403, host);
    const origin = sdk.validateOriginHeader(request.header('origin'), origins);
    return origin.ok ? undefined : refusal(403, origin);
  };
};

export interface GateDeps {
  readonly http: McpHttpOptions;
  readonly sdk: Sdk;
  readonly log: Logger;
}

export type Gate = (request: DoorRequest) => Promise<Admitted>;

export const createGate = (deps: GateDeps): Gate => {
  const foreign = foreignCheck(deps);
  const headers = { 'www-authenticate': challenge(deps.http) };
  const unknown = { code: -32001, message: 'Authentication is required' };
  return async (request) => {
    const refused = foreign(request);
    if (refused) return { refused };
    const identity = await identify(request.head, deps);
    return identity ? { identity } : { refused: refusal(401, unknown, headers) };
  };
};
