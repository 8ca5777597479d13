/**
 * Guards an MCP surface that has no HTTP server of ours in front: checks where a request comes from,
 * then who sends it, before its body is read. `toolcrib serve` has checked both by then.
 */
import type { Logger } from '../../../contract/runtime.ts';
import { createSeal, type SealedAnswer } from '../../door/answer.ts';
import { createOriginCheck, ORIGIN_MESSAGES } from '../../door/check-origin.ts';
import type { HttpRequest } from '../../door/http-request.ts';
import type { Handler } from '../../door/listen.ts';
import { securityHeaders } from '../../door/security-headers.ts';
import type { McpHttpOptions, McpIdentity, RequestHead } from '../mcp-options.ts';
import { refusal } from '../rpc-refusal.ts';
import type { HandleRequest } from './handle-request.ts';

export interface GuardDeps {
  readonly http: McpHttpOptions;
  readonly log: Logger;
  readonly handle: HandleRequest;
}

const UNKNOWN = { code: -32001, message: 'Authentication is required' };

const challenge = ({ resourceMetadataUrl }: McpHttpOptions): string =>
  resourceMetadataUrl === undefined
    ? 'Bearer realm="toolcrib"'
    : `Bearer realm="toolcrib", resource_metadata="${encodeURI(resourceMetadataUrl)}"`;

/** What `authenticate` sees of a request. A class, because literals with getters cost more a request. */
class Head implements RequestHead {
  readonly #request: HttpRequest;

  constructor(request: HttpRequest) {
    this.#request = request;
  }

  get method(): string {
    return this.#request.method;
  }

  get url(): string {
    return this.#request.web().url;
  }

  get headers(): RequestHead['headers'] {
    return this;
  }

  get(name: string): string | null {
    return this.#request.header(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }
}

type Identified = McpIdentity | undefined;

/** Asks who sends the request; waits only where that has to be looked up. A failure means nobody. */
const identify = (
  request: HttpRequest,
  { http, log }: GuardDeps,
): Identified | Promise<Identified> => {
  const failed = (error: unknown): undefined => {
    log.warn('an MCP client could not be authenticated', {
      cause: error instanceof Error ? error.message : String(error),
    });
    return undefined;
  };
  try {
    const identity = http.authenticate(new Head(request));
    return identity instanceof Promise ? identity.catch(failed) : identity;
  } catch (error) {
    return failed(error);
  }
};

/** Makes the handler. Throws when a configured origin is none. */
export const guardRequests = (deps: GuardDeps): Handler => {
  const { http, handle } = deps;
  const { hosts = [], origins = [] } = http;
  const check = createOriginCheck({ hosts, origins, anyLocalPort: true });
  const seal = createSeal(securityHeaders(false));
  const headers = { 'www-authenticate': challenge(http) };
  return async (request): Promise<SealedAnswer> => {
    const fault = check.refuse(request);
    if (fault) {
      return seal(refusal(fault === 'ambiguous' ? 400 : 403, { message: ORIGIN_MESSAGES[fault] }));
    }
    const asked = identify(request, deps);
    const identity = asked instanceof Promise ? await asked : asked;
    if (!identity || identity.key === '') return seal(refusal(401, UNKNOWN, headers));
    return seal(await handle(request, identity));
  };
};
