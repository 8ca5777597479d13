/**
 * Guards an MCP surface that is served without the HTTP surface: checks the origin of a request,
 * then its sender, before its body is read. `toolcrib serve` has its own checks.
 */
import type { Logger } from '../../../contract/runtime.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { createSeal, type SealedAnswer } from '../../door/answer.ts';
import { createOriginCheck, ORIGIN_MESSAGES } from '../../door/check-origin.ts';
import type { Handler, HttpRequest } from '../../door/http-request.ts';
import { securityHeaders } from '../../door/security-headers.ts';
import type { McpHttpOptions, McpIdentity, RequestHead } from '../mcp-options.ts';
import { refusal } from '../protocol-error.ts';
import type { HandleRequest } from './handle-request.ts';

export interface GuardDeps {
  readonly http: McpHttpOptions;
  readonly log: Logger;
  readonly handle: HandleRequest;
}

const NOT_AUTHENTICATED = { code: -32001, message: 'Authentication is required' };

const challenge = ({ resourceMetadataUrl }: McpHttpOptions): string =>
  resourceMetadataUrl === undefined
    ? 'Bearer realm="toolcrib"'
    : `Bearer realm="toolcrib", resource_metadata="${encodeURI(resourceMetadataUrl)}"`;

/** The request as `authenticate` sees it. A class, because object literals with getters cost more. */
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

/**
 * Identifies the sender; synchronously where `authenticate` is. A failure means that it is not
 * authenticated.
 */
const identify = (
  request: HttpRequest,
  { http, log }: GuardDeps,
): Identified | Promise<Identified> => {
  const failed = (error: unknown): undefined => {
    log.warn('an MCP client could not be authenticated', { cause: reasonOf(error) });
    return undefined;
  };
  try {
    const identity = http.authenticate(new Head(request));
    return identity instanceof Promise ? identity.catch(failed) : identity;
  } catch (error) {
    return failed(error);
  }
};

/** Makes the handler. Throws when a configured origin cannot be parsed. */
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
    const identified = identify(request, deps);
    const identity = identified instanceof Promise ? await identified : identified;
    if (!identity || identity.key === '') return seal(refusal(401, NOT_AUTHENTICATED, headers));
    return seal(await handle(request, identity));
  };
};
