/**
 * Lets a request in before its body is read: finds the identity behind its token, JWT or session,
 * and compares its role with what the route needs.
 */
import type { Role, TokenRecord } from '../../../contract/tokens.ts';
import type { HttpRequest } from '../../door/http-request.ts';
import { notSignedIn, type Refusal } from '../error-reply.ts';
import type { HttpServices } from '../http-services.ts';
import type { Route, RouteRole } from '../route.ts';
import { type ConsoleSession, isCsrfToken } from './console-sessions.ts';
import { type Identity, SESSION_KEY, TOKEN_KEY } from './identity.ts';
import type { JwtCheck } from './jwt-check.ts';

export const COOKIE = 'toolcrib_session';
export const CSRF_HEADER = 'x-toolcrib-csrf';

export interface AdmitDeps {
  readonly services: HttpServices;
  readonly jwt: JwtCheck | undefined;
}

type Authentication =
  | { readonly identity: Identity }
  /** `csrf`: authenticated, but another page may have made the request. */
  | { readonly refused: 'nobody' | 'wrong' | 'csrf' };

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]{1,4096})$/i;

export const sessionIdOf = (request: HttpRequest): string | undefined => {
  for (const part of (request.header('cookie') ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === COOKIE && value) return value;
  }
  return undefined;
};

const identityOfSession = ({ key, user, role }: ConsoleSession): Identity => ({
  kind: 'session',
  key: `${SESSION_KEY}${key}`,
  userId: user,
  role,
});

const identityOfToken = ({ id, name, role, policy }: TokenRecord): Identity => ({
  kind: 'token',
  key: `${TOKEN_KEY}${id}`,
  userId: `token:${name}`,
  role,
  ...(policy && { policy }),
});

const isRead = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD';

const WRONG: Authentication = { refused: 'wrong' };

const byRecord = (record: TokenRecord | undefined): Authentication =>
  record ? { identity: identityOfToken(record) } : WRONG;

const byJwt = async (credential: string, jwt: JwtCheck | undefined): Promise<Authentication> => {
  const identity = await jwt?.(credential);
  return identity ? { identity } : WRONG;
};

const byHeader = (
  header: string,
  { services, jwt }: AdmitDeps,
): Promise<Authentication> | Authentication => {
  const [, credential] = BEARER.exec(header) ?? [];
  if (credential === undefined) return WRONG;
  if (!credential.startsWith('tc_')) return byJwt(credential, jwt);
  const verified = services.tokens.verify(credential);
  return verified instanceof Promise ? verified.then(byRecord) : byRecord(verified);
};

/** Authenticates a request. The header, if there is one, decides: no cookie makes up for a bad token. */
const authenticate = (
  request: HttpRequest,
  deps: AdmitDeps,
): Promise<Authentication> | Authentication => {
  const header = request.header('authorization');
  if (header !== undefined) return byHeader(header, deps);
  const id = sessionIdOf(request);
  if (id === undefined) return { refused: 'nobody' };
  const session = deps.services.sessions.find(id);
  // Not counted as a failed attempt: a page left open overnight keeps asking.
  if (!session) return { refused: 'nobody' };
  if (!isRead(request) && !isCsrfToken(request.header(CSRF_HEADER), session)) {
    return { refused: 'csrf' };
  }
  return { identity: identityOfSession(session) };
};

const challenge = (
  { services: { deps } }: AdmitDeps,
  request: HttpRequest,
): Record<string, string> => {
  const realm = 'Bearer realm="toolcrib"';
  if (!deps.oidc) return { 'www-authenticate': realm };
  const at = new URL(deps.publicUrl ?? request.web().url).origin;
  const metadata = `${at}/.well-known/oauth-protected-resource`;
  return { 'www-authenticate': `${realm}, resource_metadata="${metadata}"` };
};

const notAuthenticated = (deps: AdmitDeps, request: HttpRequest, isWrong: boolean): Refusal => {
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

export type Admission = { readonly identity: Identity | undefined } | { readonly refused: Refusal };

const NO_IDENTITY: Admission = Object.freeze({ identity: undefined });

/** Compares the identity with the role that the route needs. */
const byRole = (route: Route, authenticated: { readonly identity: Identity }): Admission => {
  const { identity } = authenticated;
  const isRole = isAdmitted(route.role, identity.role);
  if (isRole && !widensItself(route, identity)) return authenticated;
  const message = isRole
    ? 'A limited token cannot hand out rights or change what this server runs.'
    : 'The role of this token or session does not allow this.';
  return { refused: { code: 'PERMISSION_DENIED', message } };
};

/** Lets a request in to its route, or says why not. */
export const admit = (
  route: Route,
  request: HttpRequest,
  deps: AdmitDeps,
): Promise<Admission> | Admission => {
  if (route.role === 'public' || route.isOpen?.(deps.services.deps)) return NO_IDENTITY;
  const judge = (authentication: Authentication): Admission => {
    if (!('refused' in authentication)) return byRole(route, authentication);
    const { refused } = authentication;
    if (refused !== 'csrf')
      return { refused: notAuthenticated(deps, request, refused === 'wrong') };
    const message = 'The request lacks the CSRF token of its session.';
    return { refused: { code: 'PERMISSION_DENIED', message } };
  };
  const authenticated = authenticate(request, deps);
  return authenticated instanceof Promise ? authenticated.then(judge) : judge(authenticated);
};
