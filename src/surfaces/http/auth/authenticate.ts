/** Finds the identity behind a request by its token, JWT or session, before its body is read. */
import type { TokenRecord } from '../../../contract/tokens.ts';
import type { HttpRequest } from '../../door/http-request.ts';
import type { HttpServices } from '../http-services.ts';
import { type ConsoleSession, isCsrfToken } from './console-sessions.ts';
import { type Identity, SESSION_KEY, TOKEN_KEY } from './identity.ts';
import type { JwtCheck } from './jwt-check.ts';

export const COOKIE = 'toolcrib_session';
export const CSRF_HEADER = 'x-toolcrib-csrf';

export type Authentication =
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

export const identityOfSession = ({ key, user, role }: ConsoleSession): Identity => ({
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
  services: HttpServices,
  jwt: JwtCheck | undefined,
): Promise<Authentication> | Authentication => {
  const [, credential] = BEARER.exec(header) ?? [];
  if (credential === undefined) return WRONG;
  if (!credential.startsWith('tc_')) return byJwt(credential, jwt);
  const verified = services.tokens.verify(credential);
  return verified instanceof Promise ? verified.then(byRecord) : byRecord(verified);
};

/** Authenticates a request. The header, if there is one, decides: no cookie makes up for a bad token. */
export const authenticate = (
  request: HttpRequest,
  services: HttpServices,
  jwt: JwtCheck | undefined,
): Promise<Authentication> | Authentication => {
  const header = request.header('authorization');
  if (header !== undefined) return byHeader(header, services, jwt);
  const id = sessionIdOf(request);
  if (id === undefined) return { refused: 'nobody' };
  const session = services.sessions.find(id);
  // Not counted as a failed attempt: a page left open overnight keeps asking.
  if (!session) return { refused: 'nobody' };
  if (!isRead(request) && !isCsrfToken(request.header(CSRF_HEADER), session)) {
    return { refused: 'csrf' };
  }
  return { identity: identityOfSession(session) };
};
