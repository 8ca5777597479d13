/**
 * What every HTTP request has to pass before its body is read: the host it was meant for, the page
 * it comes from, and who sends it.
 */
import type { Logger } from '../../../contract/runtime.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type { Sdk } from '../load-sdk.ts';
import type { McpHttpOptions, McpIdentity, RequestHead } from '../mcp-options.ts';
import { type PlainAnswer, refusal } from './door-answer.ts';
import type { DoorRequest } from './door-request.ts';

export type Admitted = { readonly identity: McpIdentity } | { readonly refused: PlainAnswer };

const challenge = ({ resourceMetadataUrl }: McpHttpOptions): string =>
  resourceMetadataUrl === undefined
    ? 'Bearer realm="toolcrib"'
    : `Bearer realm="toolcrib", resource_metadata="${encodeURI(resourceMetadataUrl)}"`;

type Identified = McpIdentity | undefined;

const identify = (head: RequestHead, { http, log }: GateDeps): Identified | Promise<Identified> => {
  const failed = (error: unknown): undefined => {
    log.warn('an MCP client could not be authenticated', {
      cause: reasonOf(error),
    });
    return undefined;
  };
  try {
    const identity = http.authenticate(head);
    return identity instanceof Promise ? identity.catch(failed) : identity;
  } catch (error) {
    return failed(error);
  }
};

/** Refuses what was meant for another host, or comes from a page of one. */
const foreignCheck = ({ http, sdk }: GateDeps) => {
  const hosts = [...(http.hosts ?? sdk.localhostAllowedHostnames())];
  const origins = [...(http.origins ?? sdk.localhostAllowedOrigins())];
  /** The last pair that was good: a client says the same with every request. */
  let good: readonly [host: string | null, origin: string | null] | undefined;
  return (request: DoorRequest): PlainAnswer | undefined => {
    const said = [request.header('host'), request.header('origin')] as const;
    if (good && good[0] === said[0] && good[1] === said[1]) return undefined;
    const host = sdk.validateHostHeader(said[0], hosts);
    if (!host.ok) return refusal(403, host);
    const origin = sdk.validateOriginHeader(said[1], origins);
    if (!origin.ok) return refusal(403, origin);
    good = said;
    return undefined;
  };
};

export interface GateDeps {
  readonly http: McpHttpOptions;
  readonly sdk: Sdk;
  readonly log: Logger;
}

/** Waits only for who has to be looked up somewhere. */
export type Gate = (request: DoorRequest) => Admitted | Promise<Admitted>;

export const createGate = (deps: GateDeps): Gate => {
  const foreign = foreignCheck(deps);
  const headers = { 'www-authenticate': challenge(deps.http) };
  const unknown = { code: -32001, message: 'Authentication is required' };
  const admitted = (identity: Identified): Admitted =>
    identity && identity.key !== '' ? { identity } : { refused: refusal(401, unknown, headers) };
  return (request) => {
    const refused = foreign(request);
    if (refused) return { refused };
    const identity = identify(request.head, deps);
    return identity instanceof Promise ? identity.then(admitted) : admitted(identity);
  };
};
