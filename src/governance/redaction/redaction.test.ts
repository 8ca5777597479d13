import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainData } from '../plain-data.ts';
import { REDACTED, Redactor } from './redaction.ts';

describe('code that hands a secret on without holding it', () => {
  it.each([
    'const parts = { tokens: this.#tokens, left: 3 };',
    'this.token = this.#session?.token;',
    'return { password: this.#options.password };',
    'apiKey: this.#apiKey,',
  ])('benign: %s stays unchanged', (text) => {
    expect(new Redactor().text(text)).toBe(text);
  });

  it.each([
    ['a value that only begins like a member', 'password: this.#t0ken-8x', 'this.#t0ken-8x'],
    ['a value with a hash inside', 'password=hunter.#2', 'hunter.#2'],
  ])('threat: %s is redacted', (_what, text, secret) => {
    expect(new Redactor().text(text)).not.toContain(secret);
  });
});

describe('placeholders', () => {
  it.each([
    ...[
      'token:<id>',
      'password=<your-password>',
      'PASSWORD=<secret>',
      'Authorization: Bearer <token>',
    ],
    ...[
      `apiKey: \${API_KEY}`,
      `TOKEN=\${TOKEN:-none set}`,
      'TOKEN=$(cat token.txt)',
      'TOKEN=$TOKEN_2',
    ],
    ...[
      'token: {{ token }}',
      'token:{id}',
      'PASSWORD={{password}}',
      'password=****',
      'token=%s&x=1',
    ],
    ...[
      'token: getToken()',
      'secret = crypto.randomBytes(32)',
      'password: config.get("db.password")',
    ],
    ...['const token = makeToken(1);', 'token: tokens[0]', 'password := os.Getenv("PW")'],
  ])('benign: %s stays as it is', (text) => {
    expect(new Redactor().text(text)).toBe(text);
  });

  it.each([
    ...[
      '$up3rS3cret!',
      '$1$abc$xyz9',
      '$2b$10$N9qo8uLOickgx2ZMRZoMye',
      '<hunter2-8xKq',
      '{x9!kd83',
    ],
    ...['<A9f8s7d6a5s4d3f2g1>', '**hunter2!', '<Tr0ub4dor&3>'],
  ])('threat: a password that begins like one is redacted: %s', (secret) => {
    const redactor = new Redactor();
    expect(redactor.text(`PASSWORD=${secret}`)).not.toContain(secret.slice(0, 8));
    expect(redactor.record({ dbPassword: secret })).toEqual({ dbPassword: REDACTED });
  });

  it('benign: fields with placeholders stay as they are', () => {
    const fields = {
      password: '<password>',
      token: `\${TOKEN}`,
      apiKey: '{{ apiKey }}',
      pwd: '$PW',
    };
    expect(new Redactor().record(fields)).toEqual(fields);
  });
});

describe('secrets are redacted', () => {
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
    redactor.learn('canary-values');
    const deep = {
      list: [{ note: 'has canary-values inside' }],
      map: new Map([['k', 'canary-values']]),
    };
    expect(JSON.stringify(plainData(deep, redactor).data)).not.toContain('canary-values');
  });

  it('under telling keys in records, in any spelling, at any depth', () => {
    const redactor = new Redactor();
    expect(
      redactor.record({ a: [{ apiKey: 'x', 'API-KEY': 'y', Password: { deep: 1 } }] }),
    ).toEqual({
      a: [{ apiKey: REDACTED, 'API-KEY': REDACTED, Password: { deep: REDACTED } }],
    });
  });

  it('ordinary data is left alone; results and records are copies', () => {
    const redactor = new Redactor();
    const data = { name: 'Ada', tags: ['skating', 'eyJust'], n: { tokens: 12 } };
    expect(redactor.record(data)).toEqual(data);
    expect(redactor.record(data)).not.toBe(data);
    expect(plainData(data, redactor).data).toEqual(data);
  });
});

describe('records', () => {
  const redactor = new Redactor();
  redactor.learn('canary-values');

  it('threat: secrets as keys, in maps, sets, bytes, errors and their causes, URLs', () => {
    const cause = Object.assign(new Error('caused by canary-values'), { token: 'canary-values' });
    const record = redactor.record({
      'canary-values': { 'x-canary-values': 1 },
      map: new Map([['canary-values', 'canary-values']]),
      set: new Set(['canary-values']),
      bytes: Buffer.from('..canary-values..'),
      error: new TypeError('no canary-values', { cause }),
      url: new URL('https://x.example/?q=canary-values'),
      date: new Date(0),
      bare: Object.assign(Object.create(null), { a: 'canary-values' }),
    });
    const text = JSON.stringify(record);
    expect(text).not.toContain('canary-values');
    expect(text).not.toContain(Buffer.from('canary-values').toString('base64').slice(2, 14));
    expect(record).toMatchObject({
      [REDACTED]: { [`x-${REDACTED}`]: 1 },
      error: {
        name: 'TypeError',
        message: `no ${REDACTED}`,
        cause: { message: `caused by ${REDACTED}`, token: REDACTED },
      },
      date: '1970-01-01T00:00:00.000Z',
    });
  });

  it('keeps what is no secret, empty values under telling keys included', () => {
    const value = { n: 1, no: null, gone: undefined, yes: true, password: null, big: 12n };
    expect(redactor.record(value)).toEqual({ ...value, big: '12' });
    expect(redactor.record('plain')).toBe('plain');
  });

  it('threat: __proto__ and inherited keys do not get into the copy', () => {
    const hostile = Object.assign(
      Object.create({ inherited: 1 }),
      JSON.parse('{"__proto__":{"a":1}}'),
    );
    const copy = redactor.record(JSON.parse('{"__proto__":{"polluted":1},"a":1}')) as object;
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(copy).toEqual({ a: 1 });
    expect(redactor.record(hostile)).toEqual({});
  });

  it('threat: what has no end is cut off', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(JSON.stringify(redactor.record(circle))).toContain(REDACTED);
  });

  it('threat: a secret of digits that comes back as a number', () => {
    const digits = new Redactor();
    expect(digits.number(12345678)).toBe(12345678);
    digits.learn('12345678');
    expect(digits.number(12345678)).toBe(REDACTED);
    expect(digits.number(-12345678)).toBe(`-${REDACTED}`);
    expect(digits.number(1234567)).toBe(1234567);
    expect(digits.record({ pin: 12345678, n: 3 })).toEqual({ pin: REDACTED, n: 3 });
    expect(plainData({ pin: 12345678, n: 3, x: Number.NaN }, digits).data).toEqual({
      pin: REDACTED,
      n: 3,
      x: null,
    });
  });

  it('forgets which keys were clean when a secret is learnt', () => {
    const late = new Redactor();
    for (let at = 0; at < 1100; at++) late.key(`some-key-${at}`);
    expect(late.key('canary-values')).toBe('canary-values');
    expect(late.key('some-key-1')).toBe('some-key-1');
    late.learn('canary-values');
    expect(late.key('canary-values')).toBe(REDACTED);
    late.learn('canary-values');
    expect(late.key('canary-values')).toBe(REDACTED);
  });

  it('finds a secret key among any number of others', () => {
    for (let at = 0; at < 1100; at++) redactor.record({ [`field-${at}`]: 'x' });
    expect(redactor.record({ PassWord: 'x', passwords: 'x' })).toEqual({
      PassWord: REDACTED,
      passwords: REDACTED,
    });
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

  it('threat: secrets in keys, bytes and the names of errors', () => {
    const knowing = new Redactor();
    knowing.learn('canary-values');
    const named = Object.assign(new Error('canary-values'), { name: 'canary-values' });
    const { data } = plainData(
      {
        'canary-values': 'value',
        deep: [{ 'a canary-values b': { ok: 1 } }],
        map: new Map([['canary-values', 1]]),
        bytes: Buffer.from('xx canary-values'),
        error: named,
        ...JSON.parse('{"__proto__": "canary-values"}'),
      },
      knowing,
    );
    expect(data).toMatchObject({
      [REDACTED]: 'value',
      deep: [{ [`a ${REDACTED} b`]: { ok: 1 } }],
      map: { [REDACTED]: 1 },
      error: { name: REDACTED, message: REDACTED },
    });
    const { bytes } = data as { bytes: string };
    expect(Buffer.from(bytes.replace(REDACTED, ''), 'base64').toString()).not.toContain('anary');
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
        // Short words that name secrets come up by chance.
        if (/"__proto__"|pw|pwd|psk|pin|otp|mfa|cvv|cvc|jwt|dsn|key|auth|pass/i.test(text)) return;
        expect(JSON.stringify(plainData(value, redactor).data)).toBe(text);
      }),
    );
  });
});
