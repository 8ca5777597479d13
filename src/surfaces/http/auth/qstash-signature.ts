/**
 * Checks the signature of a delivery by QStash: a JWT under a key that only QStash and we have, for this
 * address and exactly these bytes. By `jose`, which is here already; the SDK of QStash brings another
 * copy of it and reads keys from the environment by itself.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { JWTPayload } from 'jose';

export interface QstashKeys {
  readonly current: string;
  /** The one that QStash signs with after the next rotation. */
  readonly next?: string | undefined;
}

export interface SignedDelivery {
  readonly signature: string;
  /** As it was received, before anything has parsed it. */
  readonly body: Uint8Array;
  /** The configured address of the route; never what the request says. */
  readonly url: string;
}

export interface VerifiedDelivery {
  /** Different for each delivery. */
  readonly jti: string;
  /** Milliseconds since the epoch, after which the signature is not accepted any more. */
  readonly expiresAt: number;
}

/** Clocks may differ by this much. */
const TOLERANCE_S = 5;
const MIN_KEY_LENGTH = 16;
const CLAIMS = ['exp', 'nbf', 'iat', 'jti', 'body'];

/** Compares the digest that was signed with that of the bytes. */
const isSignedBody = (claim: unknown, body: Uint8Array): boolean => {
  if (typeof claim !== 'string') return false;
  const signed = Buffer.from(claim, 'base64url');
  const actual = createHash('sha256').update(body).digest();
  return signed.length === actual.length && timingSafeEqual(signed, actual);
};

const payloadBy = async (
  key: string,
  { signature, url }: SignedDelivery,
  now: number,
): Promise<JWTPayload | undefined> => {
  const { jwtVerify } = await import('jose');
  try {
    const { payload } = await jwtVerify(signature, new TextEncoder().encode(key), {
      algorithms: ['HS256'],
      issuer: 'Upstash',
      subject: url,
      requiredClaims: CLAIMS,
      clockTolerance: TOLERANCE_S,
      currentDate: new Date(now),
    });
    return payload;
  } catch {
    return undefined;
  }
};

/** Verifies a delivery; nothing for one that QStash did not make for this address at this time. */
export const verifyQstash = async (
  delivery: SignedDelivery,
  { current, next = '' }: QstashKeys,
  now: number,
): Promise<VerifiedDelivery | undefined> => {
  for (const key of [current, next]) {
    const payload = key.length < MIN_KEY_LENGTH ? undefined : await payloadBy(key, delivery, now);
    const { jti, exp } = payload ?? {};
    if (typeof jti === 'string' && jti !== '' && exp !== undefined) {
      const isBody = isSignedBody(payload?.body, delivery.body);
      return isBody ? { jti, expiresAt: (exp + TOLERANCE_S) * 1_000 } : undefined;
    }
  }
  return undefined;
};
