/** Runs a request through its route: authenticates, checks the role, parses the input, calls the handler. */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { type Issue, ToolFailure } from '../../contract/errors.ts';
import type { Role } from '../../contract/tokens.ts';
import { type Answer, JSON_HEADERS, type PlainAnswer } from '../door/answer.ts';
import type { HttpRequest } from '../door/http-request.ts';
import { type BodyFault, readBody } from '../door/read-body.ts';
import { type Authentication, authenticate } from './auth/authenticate.ts';
import type { Identity } from './auth/identity.ts';
import type { JwtCheck } from './auth/jwt-check.ts';
import { failure, notSignedIn, type Refusal, refusal } from './error-reply.ts';
import type { HttpServices } from './http-services.ts';
import type { Replied, Route, RouteRole } from './route.ts';

interface RoutedRequest {
  readonly request: HttpRequest;
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
}

export interface AnswerDeps {
  readonly services: HttpServices;
  readonly jwt: JwtCheck | undefined;
  readonly bodyBytes: number;
}

const challenge = (
  { services: { deps } }: AnswerDeps,
  request: HttpRequest,
): Record<string, string> => {
  const realm = 'Bearer realm="toolcrib"';
  if (!deps.oidc) return { 'www-authenticate': realm };
  const at = new URL(deps.publicUrl ?? request.web().url).origin;
  const metadata = `${at}/.well-known/oauth-protected-resource`;
  return { 'www-authenticate': `${realm}, resource_metadata="${metadata}"` };
};

const notAuthenticated = (
  deps: AnswerDeps,
  { request }: RoutedRequest,
  isWrong: boolean,
): Refusal => {
  const retryAfterMs = isWrong ? deps.services.attempts.failed(request.address) : 0;
  if (retryAfterMs > 0) return { code: 'RATE_LIMITED', extras: { retryAfterMs } };
  return notSignedIn('This request needs a token or a session that is good.', {
    suggestion: 'Send Authorization: Bearer tc_…, or log in to the console.',
    headers: challenge(deps, request),
  });
};

const ADMITTED: Readonly<Record<Exclude<RouteRole, 'public'>, readonly Role[]>> = {
  member: ['viewer', 'agent', 'operator', 'admin'],
  viewer: ['viewer', 'operator', 'admin'],
  agent: ['agent', 'operator', 'admin'],
  operator: ['operator', 'admin'],
  admin: ['admin'],
};

/** Tells whether a role is sufficient for a route. */
export const isAdmitted = (needed: RouteRole, role: Role): boolean =>
  needed === 'public' || ADMITTED[needed].includes(role);

/**
 * Tells whether a limited token asks for a change that only admins make: with a new token, code,
 * grant or server it would give itself what its limits keep from it.
 */
const widensItself = ({ role, method }: Route, { policy }: Identity): boolean =>
  role === 'admin' && method !== 'get' && policy !== undefined && Object.keys(policy).length > 0;

type Admission = { readonly identity: Identity | undefined } | { readonly refused: Refusal };

const NO_IDENTITY: Admission = Object.freeze({ identity: undefined });

const admitted = (
  route: Route,
  routed: RoutedRequest,
  deps: AnswerDeps & { authentication: Authentication },
): Admission => {
  const { authentication } = deps;
  if ('refused' in authentication) {
    const { refused } = authentication;
    if (refused !== 'csrf') return { refused: notAuthenticated(deps, routed, refused === 'wrong') };
    const message = 'The request lacks the CSRF token of its session.';
    return { refused: { code: 'PERMISSION_DENIED', message } };
  }
  const { identity } = authentication;
  const isRole = isAdmitted(route.role, identity.role);
  if (isRole && !widensItself(route, identity)) return authentication;
  const message = isRole
    ? 'A limited token cannot hand out rights or change what this server runs.'
    : 'The role of this token or session does not allow this.';
  return { refused: { code: 'PERMISSION_DENIED', message } };
};

const admit = (
  route: Route,
  routed: RoutedRequest,
  { services, jwt, bodyBytes }: AnswerDeps,
): Promise<Admission> | Admission => {
  if (route.role === 'public' || route.isOpen?.(services.deps)) return NO_IDENTITY;
  const authenticated = authenticate(routed.request, services, jwt);
  const judge = (authentication: Authentication) =>
    admitted(route, routed, { services, jwt, bodyBytes, authentication });
  return authenticated instanceof Promise ? authenticated.then(judge) : judge(authenticated);
};

const issuesOf = ({ issues }: z.ZodError): readonly Issue[] =>
  issues.map(({ path, message }) => ({
    path: path as (string | number)[],
    message: path.length > 0 && message.endsWith('received undefined') ? 'is required' : message,
  }));

const parsed = (schema: z.ZodType | undefined, value: unknown, part: string): unknown => {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ToolFailure('VALIDATION_ERROR', `The ${part} of the request is not as it should be.`, {
    issues: issuesOf(result.error),
    suggestions: ['Correct the places named; /docs shows what is expected.'],
  });
};

/** Reads the query. Refuses a name given twice, because two programs might read different values. */
const queryOf = (request: HttpRequest): Record<string, string> => {
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(request.query)) {
    if (Object.hasOwn(query, name)) {
      throw new ToolFailure('VALIDATION_ERROR', 'A query parameter is given twice.');
    }
    Object.defineProperty(query, name, { value, enumerable: true });
  }
  return query;
};

const withEtag = (plain: PlainAnswer & { body: string }, request: HttpRequest): PlainAnswer => {
  const etag = `"${createHash('sha256').update(plain.body).digest('base64url').slice(0, 22)}"`;
  const headers = { ...plain.headers, etag, 'cache-control': 'private, no-cache' };
  const tags = (request.header('if-none-match') ?? '').split(',');
  const isCurrent = tags.some((each) => each.trim().replace(/^W\//, '') === etag);
  return isCurrent ? { status: 304, headers, body: null } : { ...plain, headers };
};

const answerOf = (reply: Replied, route: Route, request: HttpRequest): Answer => {
  if (reply instanceof Response) return reply;
  if ('answer' in reply) return reply.answer;
  const { status = 200, body } = reply;
  const headers = reply.headers ? { ...JSON_HEADERS, ...reply.headers } : JSON_HEADERS;
  const plain = { status, headers, body: JSON.stringify(body) };
  return route.etag && status === 200 ? withEtag(plain, request) : plain;
};

const bodyRefusal = ({ status, message, suggestion }: BodyFault): Refusal => ({
  code: 'VALIDATION_ERROR',
  status,
  message,
  extras: { suggestions: [suggestion] },
});

const NOT_READ = { value: undefined };

const handled = async (
  route: Route,
  { request, requestId, params: sent }: RoutedRequest,
  { services, bodyBytes, identity }: AnswerDeps & { readonly identity: Identity | undefined },
): Promise<Answer> => {
  const { input } = route;
  const params = parsed(input.params, sent, 'path');
  const query = parsed(input.query, input.query && queryOf(request), 'query');
  const reading = input.body
    ? readBody(request, { maxBytes: bodyBytes, form: route.form ?? false })
    : NOT_READ;
  const read = reading instanceof Promise ? await reading : reading;
  if ('fault' in read) return refusal(bodyRefusal(read.fault));
  const body = parsed(input.body, read.value, 'body');
  const call = { request, requestId, services, identity, params, query, body };
  return answerOf(await route.handle(call as Parameters<Route['handle']>[0]), route, request);
};

/** Answers a request, whatever happens. Its body is not read before its sender is authenticated. */
export const answerRoute = async (
  route: Route,
  routed: RoutedRequest,
  deps: AnswerDeps,
): Promise<Answer> => {
  try {
    const admission = await admit(route, routed, deps);
    if ('refused' in admission) return refusal(admission.refused);
    const { services, jwt, bodyBytes } = deps;
    return await handled(route, routed, { services, jwt, bodyBytes, identity: admission.identity });
  } catch (error) {
    return failure(error, deps.services.deps.runtime.log, routed.requestId);
  }
};
