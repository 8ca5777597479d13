import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CALLBACK_WINDOW_MS, verifyCallback } from './callback-signature.ts';

const SECRET = 'secret-of-the-callback-test';
const NOW = 1_800_000_000_000;
const body = Buffer.from('{"invocationId":"1","success":true}');

const sign = (timestamp: string, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;

const verify = (timestamp: string | undefined, signature: string | undefined) =>
  verifyCallback({ timestamp, signature, body }, SECRET, NOW);

const SECONDS = NOW / 1_000;

describe('the signature of a callback', () => {
  it.each([SECONDS, SECONDS - 300, SECONDS + 300])('is good at %i', (seconds) => {
    const time = String(seconds);
    const expiresAt = seconds * 1_000 + CALLBACK_WINDOW_MS;
    expect(verify(time, sign(time))).toEqual({ expiresAt });
    expect(verify(time, `sha256=${sign(time).slice(7).toUpperCase()}`)).toEqual({ expiresAt });
  });

  it.each([SECONDS - 301, SECONDS + 301])('is refused at %i, outside the window', (seconds) => {
    expect(verify(String(seconds), sign(String(seconds)))).toBeUndefined();
  });

  it.each([
    undefined,
    '',
    '0',
    `0${SECONDS}`,
    `${SECONDS}.0`,
    `+${SECONDS}`,
    ` ${SECONDS}`,
    '1e9',
    String(NOW),
    'NaN',
  ])('is refused with the time %j', (time) => {
    expect(verify(time, sign(time ?? ''))).toBeUndefined();
  });

  it.each([
    undefined,
    '',
    'sha256=',
    `sha256=${'0'.repeat(63)}`,
    `sha256=${'0'.repeat(64)}`,
    `sha256=${'g'.repeat(64)}`,
    sign(String(SECONDS)).slice(7),
    `sha1=${sign(String(SECONDS)).slice(7)}`,
    `${sign(String(SECONDS))}00`,
    sign(String(SECONDS), 'another-secret-of-the-test'),
    sign(String(SECONDS - 1)),
  ])('is refused when it is %j', (signature) => {
    expect(verify(String(SECONDS), signature)).toBeUndefined();
  });
});
