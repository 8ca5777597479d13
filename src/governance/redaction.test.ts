import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainData } from './plain-data.ts';
import { REDACTED, Redactor } from './redaction.ts';

const SHAPES = [
  `sk-${'a1B2'.repeat(10)}`,
  `sk-ant-${'a1B2'.repeat(10)}`,
  `sk_live_${'a1B2'.repeat(6)}`,
  `ghp_${'a1B2'.repeat(9)}`,
  'AKIAIOSFODNN7EXAMPLE',
  `xoxb-${'1234567890'.repeat(2)}`,
  `AIza${'a1B2c'.repeat(7)}`,
  `eyJ${'hbGci'.repeat(4)}.eyJ${'zdWIi'.repeat(4)}.${'c2lnbmF0'.repeat(3)}`,
  `-----BEGIN RSA PRIVATE KEY-----\n${'MIIE'.repeat(20)}\n-----END RSA PRIVATE KEY-----`,
];

describe('secrets are redacted', () => {
  it.each(SHAPES)('by their shape: %#', (secret) => {
    const clean = new Redactor().text(`before ${secret} after`);
    expect(clean).toBe(`before ${REDACTED} after`);
  });

  it('in the password of a connection string, host and user kept', () => {
    expect(new Redactor().text('postgres://app:hunter2!@db:5432/x')).toBe(
      `postgres://app:${REDACTED}@db:5432/x`,
    );
  });

  it('by value, also URL- and base64-encoded', () => {
    const redactor = new Redactor();
    redactor.learn('p@ss word/1');
    const encoded = Buffer.from('p@ss word/1').toString('base64');
    const text = redactor.text(`p@ss word/1 ${encodeURIComponent('p@ss word/1')} ${encoded}`);
    expect(text).toBe(`${REDACTED} ${REDACTED} ${REDACTED}`);
  });

  it('deep in results of any shape', () => {
    const redactor = new Redactor();
    redactor.learn('canary-secret');
    const deep = {
      list: [{ note: 'has canary-secret inside' }],
      map: new Map([['k', 'canary-secret']]),
    };
    expect(JSON.stringify(plainData(deep, redactor).data)).not.toContain('canary-secret');
  });

  it('under telling keys in records, in any spelling, at any depth', () => {
    const redactor = new Redactor(['api_key', 'password']);
    expect(
      redactor.record({ a: [{ apiKey: 'x', 'API-KEY': 'y', Password: { deep: 1 } }] }),
    ).toEqual({
      a: [{ apiKey: REDACTED, 'API-KEY': REDACTED, Password: REDACTED }],
    });
  });

  it('ordinary data is left alone; results are not even copied, records always are', () => {
    const redactor = new Redactor(['password']);
    const data = { name: 'Ada', tags: ['skating', 'eyJust'], n: { tokens: 12 } };
    expect(redactor.record(data)).toEqual(data);
    expect(redactor.record(data)).not.toBe(data);
    expect(plainData(data, redactor).data).toBe(data);
  });
});

describe('plain data', () => {
  const redactor = new Redactor();

  it('turns what JSON has no word for into what a reader expects', () => {
    const value = {
      when: new Date(0),
      bytes: new Uint8Array([1, 2]),
      set: new Set([1]),
      big: 12n,
      nan: Number.NaN,
      gone: undefined,
      call: () => 1,
      error: new Error('boom'),
    };
    expect(plainData(value, redactor).data).toEqual({
      when: '1970-01-01T00:00:00.000Z',
      bytes: 'AQI=',
      set: [1],
      big: '12',
      nan: null,
      error: { name: 'Error', message: 'boom' },
    });
  });

  it('refuses circles', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(() => plainData(circle, redactor)).toThrow(RangeError);
  });

  it('agrees with JSON for every JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        if (text.includes('"__proto__"')) return;
        expect(JSON.stringify(plainData(value, redactor).data)).toBe(text);
      }),
    );
  });
});
