import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type PlainData, plainData, plainDataInSlices } from '../plain-data.ts';
import { REDACTED, Redactor } from './redaction.ts';

const SECRET = 'canary-Secret-4711-value';
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
const LINE = 'An ordinary line of text with a name: value, and a few more words (see docs/a.md).\n';
const MEGABYTE = 1 << 20;

const knowing = (secret: string): Redactor => {
  const redactor = new Redactor();
  redactor.learn(secret);
  return redactor;
};

const filled = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** The most milliseconds between two turns of the event loop while a value is cleaned. */
const longestPause = async (value: unknown): Promise<{ pause: number; clean: PlainData }> => {
  let pause = 0;
  let last = performance.now();
  let turns = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    pause = Math.max(pause, now - last);
    last = now;
    turns++;
  }, 1);
  const clean = await plainDataInSlices(value, knowing(SECRET));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(10);
  return { pause, clean };
};

describe('threat: a large result keeps the server from answering others', () => {
  const text = filled(LINE, 20 * MEGABYTE);
  const rows = Array.from({ length: 60_000 }, (_, id) => ({
    id,
    note: LINE.repeat(3),
    tags: ['a'],
  }));

  it.each([
    ['a text of 20 MB', text],
    ['60,000 rows', rows],
  ])('the event loop is not blocked while %s is redacted', async (_what, value) => {
    const started = performance.now();
    const { pause, clean } = await longestPause(value);
    const total = performance.now() - started;
    expect(clean.bytes).toBeGreaterThan(14 * MEGABYTE);
    // Relative to the whole, because the machine that runs this may be busy.
    expect(pause).toBeLessThan(total / 5);
  });

  it('a small result is cleaned at once', () => {
    expect(plainDataInSlices({ a: LINE }, knowing(SECRET))).toMatchObject({ data: { a: LINE } });
  });

  it('a value that throws in the middle of a large result rejects', async () => {
    const rest = Array.from({ length: 20 }, () => filled(LINE, MEGABYTE / 8));
    const bad = {
      get value(): string {
        throw new Error('no value');
      },
    };
    await expect(plainDataInSlices([...rest, bad], knowing(SECRET))).rejects.toThrow('no value');
  });
});

describe('threat: a secret across the border of two slices of a long text', () => {
  const borders = [262_144, 524_288];
  const written: Readonly<Record<string, string>> = {
    'a known value': SECRET,
    'a known value as \\uXXXX': Array.from(
      SECRET,
      (char) => `\\u00${char.charCodeAt(0).toString(16)}`,
    ).join(''),
    'a known value with colours': [...SECRET].join('\u001b[1m'),
    'a token': TOKEN,
    'an assigned password': 'password="hunter2 and more of it"',
  };

  describe.each(['words with blanks ', 'a,b;', LINE])('in a text of %j', (unit) => {
    it.each(Object.keys(written))('%s is hidden wherever it lies', (how) => {
      const redactor = knowing(SECRET);
      const secret = written[how] as string;
      for (const border of borders) {
        for (const before of [0, 1, Math.floor(secret.length / 2), secret.length]) {
          const head = `${filled(unit, border - before - 1)} `;
          const clean = redactor.text(`${head + secret} ${filled(unit, 300_000)}`);
          expect(clean.slice(head.length, head.length + 40)).toContain(REDACTED);
          expect(clean).not.toMatch(/hunter2|and more of it|canary|4711|a1B2/);
        }
      }
    });
  });

  it('a private key is hidden wherever it lies', () => {
    const body = KEY.split('\n').slice(1, -2);
    for (const before of [10, 800, 1600]) {
      const head = filled(LINE, 262_144 - before);
      const clean = new Redactor().text(`${head}\n${KEY}${filled(LINE, 300_000)}`);
      for (const line of body) expect(clean).not.toContain(line.slice(0, 20));
    }
  });

  it('a secret in a base64 text without line breaks is hidden wherever it lies', () => {
    for (let before = 0; before < 8; before++) {
      const inner = filled(LINE, (262_144 / 4) * 3 - 20 - before);
      const file = `${inner}\npassword="hunter2-and-more-of-it"\n${filled(LINE, 300_000)}`;
      const clean = new Redactor().text(Buffer.from(file).toString('base64'));
      expect(clean).toContain(REDACTED);
      const left = clean.split(REDACTED).map((part) => Buffer.from(part, 'base64').toString());
      expect(left.join('')).not.toContain('hunter2-and');
    }
  });

  it('benign: a long text, a long list of public lines and a long picture stay unchanged', () => {
    const redactor = knowing(SECRET);
    const picture = `iVBORw0KGgo${filled(Buffer.from(LINE.repeat(9)).toString('hex'), 600_000)}`;
    const wrapped = `file:\n${picture.slice(0, 200_000).replaceAll(/.{64}/g, '$&\n')}`;
    const texts = [filled(LINE, MEGABYTE), picture, `${filled(LINE, 200_000)}${wrapped}`];
    for (const text of texts) expect(redactor.text(text)).toBe(text);
  });

  it('the sliced walk and the one at once agree', async () => {
    const value = {
      a: filled(LINE, 400_000) + SECRET,
      list: Array.from({ length: 4000 }, (_, at) => ({
        at,
        note: `${LINE}${at % 7 ? '' : TOKEN}`,
      })),
    };
    const redactor = knowing(SECRET);
    const sliced = await plainDataInSlices(value, redactor);
    expect(sliced).toEqual(plainData(value, redactor));
    expect(JSON.stringify(sliced.data)).not.toMatch(/canary|a1B2/);
  });
});
