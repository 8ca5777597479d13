import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainData } from '../../plain-data.ts';
import { REDACTED, Redactor } from '../redaction.ts';
import { KnownValues } from './known-values.ts';
import { TextIndex } from './text-index.ts';

const SECRET = 'p@ss word/1+"ü';

const knowing = (...secrets: readonly string[]): Redactor => {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.learn(secret);
  return redactor;
};

const escapedAll = (text: string, digits: (code: number) => string): string =>
  Array.from({ length: text.length }, (_, at) => digits(text.charCodeAt(at))).join('');

const hex4 = (code: number): string => code.toString(16).padStart(4, '0');

const ENCODINGS: readonly (readonly [string, (secret: string) => string])[] = [
  ['plain', (text) => text],
  ['for a URL', encodeURIComponent],
  [
    'for a URL, in small letters',
    (text) => encodeURIComponent(text).replaceAll(/%../g, (byte) => byte.toLowerCase()),
  ],
  ['as a form', (text) => new URLSearchParams({ x: text }).toString().slice(2)],
  ['for a URL, every byte', (text) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')],
  ['for a URL, twice', (text) => encodeURIComponent(encodeURIComponent(text))],
  ['as base64', (text) => Buffer.from(text).toString('base64')],
  ['as base64url', (text) => Buffer.from(text).toString('base64url')],
  ['as base64 in a URL', (text) => encodeURIComponent(Buffer.from(text).toString('base64'))],
  ['as hex', (text) => Buffer.from(text).toString('hex')],
  ['as HEX', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ['in JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['in JSON in JSON', (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3)],
  ['in JSON with slashes', (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')],
  [
    'in ASCII JSON',
    (text) =>
      JSON.stringify(text)
        .slice(1, -1)
        .replaceAll(/[^ -~]/g, (char) => `\\u${hex4(char.charCodeAt(0))}`),
  ],
  ['as \\uXXXX', (text) => escapedAll(text, (code) => `\\u${hex4(code)}`)],
  ['as \\uXXXX, capital', (text) => escapedAll(text, (code) => `\\u${hex4(code).toUpperCase()}`)],
  ['as \\u{X}', (text) => escapedAll(text, (code) => `\\u{${code.toString(16)}}`)],
  ['in HTML', (text) => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)],
  [
    'in HTML, by name',
    (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&apos;'),
  ],
  ['in HTML, hex', (text) => escapedAll(text, (code) => `&#x${code.toString(16)};`)],
];

describe('threat: a known secret, however it is written', () => {
  it.each(ENCODINGS)('%s', (_how, encode) => {
    const redactor = knowing(SECRET);
    expect(redactor.text(`<<${encode(SECRET)}>>`)).toBe(`<<${REDACTED}>>`);
  });

  it('each of them for secrets of any letters', () => {
    const letters = fc.string({ minLength: 6, maxLength: 40, unit: 'grapheme' });
    fc.assert(
      fc.property(letters, fc.constantFrom(...ENCODINGS), (secret, [, encode]) => {
        const written = encode(secret);
        const clean = knowing(secret).text(`.${written}.`);
        expect(clean.includes(written)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('inside a longer base64 text, at any alignment', () => {
    const redactor = knowing('the-canary-secret');
    for (let before = 0; before < 9; before++) {
      for (let after = 0; after < 4; after++) {
        const text = `${'x'.repeat(before)}the-canary-secret${'y'.repeat(after)}`;
        for (const encoding of ['base64', 'base64url'] as const) {
          const clean = redactor.text(Buffer.from(text).toString(encoding));
          expect(clean).toContain(REDACTED);
          const left = clean.split(REDACTED).map((part) => Buffer.from(part, 'base64').toString());
          expect(left.join('')).not.toMatch(/canary|secret/);
        }
      }
    }
  });

  it('in base64 or hex that is broken into lines', () => {
    const redactor = knowing('the-canary-secret');
    for (const encoding of ['base64', 'hex'] as const) {
      const whole = Buffer.from('some text before the-canary-secret').toString(encoding);
      const broken = whole.replaceAll(/.{10}/g, '$&\r\n  ');
      expect(redactor.text(broken)).toContain(REDACTED);
      expect(redactor.text(JSON.stringify(broken))).toContain(REDACTED);
    }
  });

  it('that has lines itself, as it is, in JSON, and indented', () => {
    const secret = 'first line of it\nsecond line of it\nthird';
    const redactor = knowing(secret);
    expect(redactor.text(`a ${secret} b`)).toBe(`a ${REDACTED} b`);
    expect(redactor.text(JSON.stringify({ a: secret }))).toBe(`{"a":"${REDACTED}"}`);
    expect(redactor.text(`a: |\n  ${secret.replaceAll('\n', '\n  ')}\nb`)).toBe(
      `a: |\n  ${REDACTED}\nb`,
    );
  });

  it('that looks escaped itself', () => {
    const secret = 'a"b%41c&amp;\\n';
    const redactor = knowing(secret);
    expect(redactor.text(secret)).toBe(REDACTED);
    expect(redactor.text(JSON.stringify(secret))).toBe(`"${REDACTED}"`);
    expect(redactor.text(encodeURIComponent(secret))).toBe(REDACTED);
  });

  it('without the line break it was stored with', () => {
    expect(knowing('canary-secret\n').text('is canary-secret.')).toBe(`is ${REDACTED}.`);
  });

  it('and the password of a connection string by itself', () => {
    const redactor = knowing('postgres://app:hunter%212@db:5432/x');
    expect(redactor.text('no such password: hunter!2')).toBe(`no such password: ${REDACTED}`);
    expect(redactor.text('connecting to db:5432 as app')).toBe('connecting to db:5432 as app');
  });

  it.each([
    ['a URL', encodeURIComponent],
    ['JSON', (text: string) => JSON.stringify(text).slice(1, -1)],
    ['HTML', (text: string) => text.replaceAll('<', '&lt;').replaceAll('"', '&quot;')],
  ])('escaped for %s and then turned into base64 or hex', (_what, write) => {
    const secret = 'axkbNY1tn"PcXUreMG5FSM3<';
    for (const encoding of ['base64', 'hex'] as const) {
      const text = Buffer.from(`some text, ${write(secret)}`).toString(encoding);
      const left = knowing(secret).text(text).replace(REDACTED, '');
      expect(Buffer.from(left, encoding).toString()).not.toContain('axkb');
    }
  });

  it('half a surrogate pair in it is no reason to fail', () => {
    expect(knowing('\ud83d-canary-secret').text('x')).toBe('x');
  });

  it('beside one that is known by its shape', () => {
    const shaped = `ghp_${'a1B2'.repeat(9)}`;
    expect(knowing('canary-secret').text(`${shaped} canary-secret`)).toBe(
      `${REDACTED} ${REDACTED}`,
    );
  });

  it('many at once, overlapping, one within the other', () => {
    const redactor = knowing('abcdefgh', 'defghijk', 'abcdef', 'abcdefghijklmnop');
    expect(redactor.text('xabcdefghijkx')).toBe(`x${REDACTED}x`);
    expect(redactor.text('xabcdefghijklmnopx')).toBe(`x${REDACTED}x`);
    expect(redactor.text('xabcdefx')).toBe(`x${REDACTED}x`);
    expect(redactor.text('xabcdex')).toBe('xabcdex');
  });
});

describe('benign', () => {
  it('secrets shorter than six characters are not known: they would black out half of every text', () => {
    expect(knowing('abcde', '', '12345').text('abcde 12345 abcdefg')).toBe('abcde 12345 abcdefg');
  });

  it('keeps a text that shares a beginning or an end with a secret', () => {
    const redactor = knowing('canary-secret');
    for (const text of ['canary-secre', 'anary-secret', 'canary-Secre', 'canary secret', 'short']) {
      expect(redactor.text(text)).toBe(text);
    }
  });

  it('escapes that hide no secret stay unchanged', () => {
    const text = '%41%zz%e4%bd%a0%c3 &amp; &nbsp; &#x41; &#9999999; \\u0041\\q\\x41\n  more';
    expect(knowing('canary-secret').text(text)).toBe(text);
    expect(knowing('canary-secret').text(`${text}canary-secret`)).toBe(`${text}${REDACTED}`);
  });
});

describe('threat: a known value that is written differently is shown', () => {
  const wide = (text: string): string =>
    text.replaceAll(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0));
  const bold = (text: string): string =>
    text.replaceAll(/[a-z]/g, (char) => String.fromCodePoint(0x1d41a + char.charCodeAt(0) - 97));
  const REWRITTEN: Readonly<Record<string, (chars: readonly string[]) => unknown>> = {
    'with backspaces': (chars) => chars.join('\b'),
    'with characters that backspaces erase': (chars) => chars.map((c) => `X\b${c}`).join(''),
    'as bold by overstriking': (chars) => chars.map((c) => `${c}\b${c}`).join(''),
    'with zero-width characters': (chars) => chars.join('\u200b'),
    'in spaced letters': (chars) => chars.join(' '),
    'with dashes': (chars) => chars.join('-'),
    'one character a line': (chars) => chars.join('\n'),
    'in full-width letters': (chars) => wide(chars.join('')),
    'in bold letters': (chars) => bold(chars.join('')),
    'in capital letters': (chars) => chars.join('').toUpperCase(),
    'in small letters': (chars) => chars.join('').toLowerCase(),
    backwards: (chars) => chars.toReversed().join(''),
    'with letters of another alphabet': (chars) =>
      chars.join('').replaceAll('a', '\u0430').replaceAll('e', '\u0435').replaceAll('o', '\u043e'),
    'in two items of a list': (chars) => [chars.slice(0, 4).join(''), chars.slice(4).join('')],
    'in an item for each character': (chars) => chars,
    'in two items of a content list': (chars) => ({
      content: [
        { type: 'text', text: `x ${chars.slice(0, 4).join('')}` },
        { type: 'image' },
        { type: 'text', text: `${chars.slice(4).join('')} y` },
      ],
    }),
    'in two fields': (chars) => ({ a: chars.slice(0, 3).join(''), b: chars.slice(3).join('') }),
    'in two long items': (chars) => [
      'z '.repeat(500) + chars.slice(0, 5).join(''),
      chars.slice(5).join('') + ' y'.repeat(500),
    ],
  };

  it.each(Object.keys(REWRITTEN))('%s', (how) => {
    for (const secret of ['c4nary-V4lue!77', 'hunter2x', 'correcthorsebattery']) {
      const redactor = knowing(secret);
      const value = (REWRITTEN[how] as (chars: readonly string[]) => unknown)([...secret]);
      expect(JSON.stringify(redactor.record(value))).toContain(REDACTED);
      expect(JSON.stringify(plainData(value, redactor).data)).toContain(REDACTED);
    }
  });

  it('spaced letters that come in pieces are found', () => {
    const stream = knowing('c4nary-V4lue!77').stream();
    let clean = '';
    for (const char of `before ${[...'c4nary-V4lue!77'].join(' ')} after`)
      clean += stream.push(char);
    expect(clean + stream.end()).toBe(`before ${REDACTED} after`);
  });

  it('prose with the same words or letters stays', () => {
    const redactor = knowing('hunter2x', 'correcthorsebattery', '12345678', 'sea-salt');
    for (const text of [
      'The hunter 2 x is',
      'Correct horse. Battery',
      '12 345 678 and 1234 5678',
      'sea salt',
    ]) {
      expect(redactor.text(text)).toBe(text);
    }
    const rows = {
      rows: [
        { name: 'hunter', text: '2' },
        { name: 'correct', text: 'horse' },
      ],
    };
    expect(plainData(rows, redactor).data).toEqual(rows);
  });
});

describe('many known values', () => {
  const secrets = Array.from({ length: 1000 }, (_, at) => `same-start-${at * 7919}-end`);

  it('are all redacted, and nothing else is', () => {
    const known = new KnownValues();
    expect(known.empty).toBe(true);
    expect(known.longest).toBe(0);
    for (const secret of secrets) known.learn(secret);
    for (const secret of secrets) {
      expect(known.find(`..${secret}..`)).toEqual([{ from: 2, to: 2 + secret.length }]);
    }
    expect(known.find('same-start-x-end same-start-1-end')).toEqual([]);
    expect(known.find('short')).toEqual([]);
    expect(known.longest).toBeGreaterThanOrEqual(30);
  });

  it('agree with a plain search', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 6, maxLength: 9 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 60 });
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 5 }), text, (texts, where) => {
        const known = new TextIndex();
        for (const each of texts) known.add(each);
        expect(known.find(where).length > 0).toBe(texts.some((each) => where.includes(each)));
      }),
    );
  });

  it('threat: they do not make a text of their common start slow', () => {
    const redactor = knowing(...secrets);
    const text = 'same-start-'.repeat(50_000);
    const started = performance.now();
    expect(redactor.text(text)).toBe(text);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('learning one again changes nothing', () => {
    const known = new KnownValues();
    expect(known.learn('canary-secret')).toBe(true);
    expect(known.learn('canary-secret')).toBe(false);
  });
});
