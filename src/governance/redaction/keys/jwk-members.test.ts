import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { plainData } from '../../plain-data.ts';
import { REDACTED, Redactor } from '../redaction.ts';
import { findJwkMembers } from './jwk-members.ts';

const redactor = new Redactor();

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEYS = {
  RSA: rsa.privateKey.export({ format: 'jwk' }),
  EC: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  OKP: generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
  oct: { kty: 'oct', k: randomBytes(32).toString('base64url') },
} as const;
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'] as const;

const privateValues = (key: object): readonly string[] =>
  PRIVATE.map((name) => (key as Record<string, unknown>)[name]).filter(
    (value) => typeof value === 'string',
  );

const WRITTEN: Readonly<Record<string, (key: object) => unknown>> = {
  'as data': (key) => ({ keys: [key] }),
  'as JSON': (key) => JSON.stringify(key),
  'as indented JSON': (key) => `The key is:\n${JSON.stringify({ keys: [key] }, null, 2)}`,
  'as JSON in JSON': (key) => JSON.stringify(JSON.stringify(key)),
  'as source code': (key) => JSON.stringify(key).replaceAll(/"(\w+)":"([^"]*)"/g, "$1: '$2'"),
  'around an inner object': (key) => `{"a":{"b":{}},${JSON.stringify(key).slice(1, -1)},"c":{}}`,
  'behind an inner object': (key) => {
    const { kty, ...rest } = key as Record<string, unknown>;
    return `{"kty":"${kty}","meta":{"a":{}},${JSON.stringify(rest).slice(1)}`;
  },
  'before an inner object': (key) => {
    const { kty, ...rest } = key as Record<string, unknown>;
    return `${JSON.stringify(rest).slice(0, -1)},"meta":{"a":{}},"kty":"${kty}"}`;
  },
  'as YAML': (key) =>
    `keys:\n${Object.entries(key)
      .map(([name, value], at) => `${at === 0 ? '  - ' : '    '}${name}: ${value}`)
      .join('\n')}\n`,
  'as lines': (key) => ({ lines: JSON.stringify({ keys: [key] }, null, 2).split('\n') }),
  'as matches of a search': (key) =>
    JSON.stringify(key, null, 2)
      .split('\n')
      .map((text, line) => ({ line, text })),
  'as base64': (key) => Buffer.from(JSON.stringify(key)).toString('base64'),
};

describe('threat: the private members of a JSON Web Key reach a model', () => {
  describe.each(Object.keys(WRITTEN))('%s', (how) => {
    it.each(Object.keys(KEYS))('nothing private of a key of type %s is shown', (type) => {
      const key = KEYS[type as keyof typeof KEYS];
      const value = WRITTEN[how]?.(key);
      const secrets = privateValues(key);
      expect(secrets).not.toEqual([]);
      for (const clean of [plainData(value, redactor).data, redactor.record(value)]) {
        const text = JSON.stringify(clean);
        expect(text).toContain(REDACTED);
        for (const secret of secrets) {
          expect(text).not.toContain(secret);
          expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(4, -4));
        }
      }
    });
  });

  it('the public members of a private key stay', () => {
    const { n, e, kty } = KEYS.RSA;
    expect(plainData(KEYS.RSA, redactor).data).toMatchObject({ n, e, kty, d: REDACTED });
    expect(JSON.parse(redactor.text(JSON.stringify(KEYS.RSA)))).toMatchObject({ n, e, kty });
  });

  it('a text of many key types is searched in linear time', () => {
    const start = process.cpuUsage();
    for (const part of ['{"kty":"RSA",', '"kty":"RSA"}', 'kty: RSA\n', 'kty: RSA\n\n']) {
      findJwkMembers(part.repeat(20_000));
    }
    expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
  });
});

describe('benign: texts beside the word kty', () => {
  it.each([
    'kty: RSA\nn: AQAB\n\nd: a-long-description-of-something\n',
    'kty: house\nd: a-long-description-of-something\n',
    'The field kty: RSA is required.\nk: a-long-description-of-something\n',
    '{"keys":[{"kty":"RSA","n":"AQAB"}],"d":"a-long-description-of-it"}',
  ])('%j stays', (text) => {
    expect(redactor.text(text)).toBe(text);
    const lines = text.split('\n');
    expect(plainData({ lines }, redactor).data).toEqual({ lines });
  });
});

describe('benign: members of the same names that are no keys', () => {
  it.each([
    ['a public key', rsa.publicKey.export({ format: 'jwk' })],
    ['a key of no known type', { kty: 'house', k: 'front-door-0001', d: 'a description' }],
    ['a point', { p: 'some-point-of-a-line', q: 'another-point-of-it', d: 3, k: 'kilo' }],
    ['an object beside a key', { key: { kty: 'RSA', n: 'AQAB' }, d: 'a-long-description-of-it' }],
  ])('%s stays as data and as JSON', (_what, value) => {
    expect(plainData(value, redactor).data).toEqual(value);
    const text = JSON.stringify(value);
    expect(redactor.text(text)).toBe(text);
  });
});
