/** Checks the JWTs of one OpenID issuer: signature, issuer, audience, time and role. */
import { ROLES, type Role } from '../../../contract/tokens.ts';
import { lazyAsync } from '../../../kit/data/lazy.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type { HttpDeps, OidcOptions } from '../http-deps.ts';
import type { Identity } from './identity.ts';

export type JwtCheck = (jwt: string) => Promise<Identity | undefined>;

type Jose = typeof import('jose');
type Keys = ReturnType<Jose['createRemoteJWKSet']>;

/** Asymmetric only: a public key must never serve as a shared secret. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'EdDSA',
];
const ROLE_CLAIM = 'toolcrib_role';
const WAIT_MS = 10_000;

const isRole = (value: unknown): value is Role =>
  typeof value === 'string' && ROLES.some((role) => role === value);

const discover = async ({ issuer, jwksUri }: OidcOptions, ask: typeof fetch): Promise<URL> => {
  if (jwksUri !== undefined) return new URL(jwksUri);
  const at = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  const answer = await ask(at, { signal: AbortSignal.timeout(WAIT_MS), redirect: 'error' });
  const metadata = (await answer.json()) as {
    readonly issuer?: unknown;
    readonly jwks_uri?: unknown;
  };
  if (metadata.issuer !== issuer || typeof metadata.jwks_uri !== 'string') {
    throw new TypeError('The issuer says it is another one, or names no keys.');
  }
  return new URL(metadata.jwks_uri);
};

const identityOf = (
  claims: Readonly<Record<string, unknown>>,
  { roleClaim = ROLE_CLAIM }: OidcOptions,
): Identity | undefined => {
  const { sub, exp } = claims;
  const role = Object.hasOwn(claims, roleClaim) ? claims[roleClaim] : undefined;
  if (typeof sub !== 'string' || sub === '' || typeof exp !== 'number') return undefined;
  if (!isRole(role)) return undefined;
  const userId = `oidc:${sub}`;
  return { kind: 'jwt', key: userId, userId, role, expiresAt: exp * 1000 };
};

/** Makes the check; returns nothing when no issuer is configured. */
export const createJwtCheck = ({ oidc, fetch: ask, runtime }: HttpDeps): JwtCheck | undefined => {
  if (!oidc || !ask) return undefined;
  const open = lazyAsync(async (): Promise<{ jose: Jose; keys: Keys }> => {
    const jose = await import('jose');
    const keys = jose.createRemoteJWKSet(await discover(oidc, ask), {
      timeoutDuration: WAIT_MS,
      [jose.customFetch]: ask as never,
    });
    return { jose, keys };
  });
  return async (jwt) => {
    try {
      const { jose, keys } = await open();
      const { payload } = await jose.jwtVerify(jwt, keys, {
        issuer: oidc.issuer,
        audience: oidc.audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(runtime.now()),
      });
      return identityOf(payload, oidc);
    } catch (error) {
      runtime.log.debug('a JWT was refused', { cause: reasonOf(error) });
      return undefined;
    }
  };
};
