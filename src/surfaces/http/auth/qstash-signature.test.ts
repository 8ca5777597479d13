import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  CURRENT_KEY,
  NEXT_KEY,
  type SignOptions,
  signDelivery,
} from '../../../../test/fixtures/vendors/qstash-server.ts';
import { verifyQstash } from './qstash-signature.ts';

const URL = 'https://worker.example.com/jobs/mail';
const BODY = '{"id":"a"}';
const NOW = Date.UTC(2026, 0, 1);
const KEYS = { current: CURRENT_KEY, next: NEXT_KEY };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const verify = async (options: SignOptions = {}, keys = KEYS, url = URL) => {
  const signature = await signDelivery(URL, BODY, { now: NOW, ...options });
  return verifyQstash({ signature, body: bytes(BODY), url }, keys, NOW);
};

describe('verifyQstash', () => {
  it('a delivery under either of the two keys is accepted, with its id and end', async () => {
    expect(await verify({ jti: 'jwt_1' })).toEqual({ jti: 'jwt_1', expiresAt: NOW + 305_000 });
    expect(await verify({ key: NEXT_KEY, jti: 'jwt_2' })).toMatchObject({ jti: 'jwt_2' });
  });

  it.each<[string, SignOptions]>([
    ['a key of somebody else', { key: 'sig_key_of_somebody_else' }],
    ['another issuer', { issuer: 'Upstush' }],
    ['a time that is over', { now: NOW - 306_000 }],
    ['a time to come', { now: NOW + 6_000 }],
    ['another body', { signedBody: '{"id":"b"}' }],
    ['an empty id', { jti: '' }],
  ])('a delivery with %s is refused', async (_, options) => {
    expect(await verify(options)).toBeUndefined();
  });

  it('a delivery for another address of ours is refused', async () => {
    expect(await verify({}, KEYS, 'https://worker.example.com/jobs/payments')).toBeUndefined();
  });

  it.each(['', 'short'])('the key %o is never used, whatever it fits', async (key) => {
    expect(await verify({ key: key || 'x' }, { current: key, next: key })).toBeUndefined();
  });

  it.each(['', 'a.b.c', `${'x'.repeat(5_000)}`])(
    'the text %o is no signature',
    async (signature) => {
      expect(
        await verifyQstash({ signature, body: bytes(BODY), url: URL }, KEYS, NOW),
      ).toBeUndefined();
    },
  );

  it('a token without a signature, or without a body, is refused', async () => {
    const none = [{ alg: 'none' }, { iss: 'Upstash', sub: URL, exp: NOW }].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const seconds = NOW / 1_000;
    const bare = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('Upstash')
      .setSubject(URL)
      .setIssuedAt(seconds)
      .setNotBefore(seconds)
      .setExpirationTime(seconds + 300)
      .setJti('jwt_3')
      .sign(new TextEncoder().encode(CURRENT_KEY));
    for (const signature of [`${none.join('.')}.`, bare]) {
      const delivery = { signature, body: bytes(BODY), url: URL };
      expect(await verifyQstash(delivery, KEYS, NOW)).toBeUndefined();
    }
  });
});
