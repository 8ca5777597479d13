import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECRET_SAMPLES } from '../../../test/guarantees/a3-shapes.ts';
import { REDACTED, Redactor } from './redaction.ts';

const knowing = (...secrets: readonly string[]): Redactor => {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.learn(secret);
  return redactor;
};

const streamed = (redactor: Redactor, chunks: readonly string[]): string => {
  const stream = redactor.stream();
  return chunks.map((chunk) => stream.push(chunk)).join('') + stream.end();
};

const inPieces = (text: string, size: number): readonly string[] =>
  text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];

const filler = (length: number): string => 'plain words of no interest\n'.repeat(length / 27 + 1);

describe('threat: a secret split across chunks', () => {
  const secret = 'canary "secret" one';

  it.each([1, 2, 3, 7, 64, 1000])('in pieces of %i characters', (size) => {
    const redactor = knowing(secret);
    const text = `${filler(3000)}${secret} ${JSON.stringify(secret)} ${encodeURIComponent(secret)} ${Buffer.from(secret).toString('base64')}\n${filler(3000)}`;
    expect(streamed(redactor, inPieces(text, size))).toBe(redactor.text(text));
  });

  it.each(SECRET_SAMPLES)('by its shape: %s', (_maker, before, shape, after) => {
    const text = `${filler(900)}${before}${shape}${after}\n${filler(900)}`;
    for (const size of [5, 100, 997]) {
      expect(streamed(new Redactor(), inPieces(text, size))).toBe(new Redactor().text(text));
    }
  });

  it('wherever the cuts are', () => {
    const redactor = knowing(secret);
    const text = `${filler(600)}x${secret}y ${filler(600)} ${secret}${filler(600)}`;
    const cuts = fc.array(fc.nat({ max: text.length }), { maxLength: 12 });
    fc.assert(
      fc.property(cuts, (at) => {
        const places = [0, ...at.toSorted((a, b) => a - b), text.length];
        const chunks = places.slice(1).map((to, index) => text.slice(places[index], to));
        expect(streamed(redactor, chunks)).toBe(redactor.text(text));
      }),
    );
  });

  it('in one endless word, as in a base64 text of any length', () => {
    const redactor = knowing('canary-secret');
    const body = Buffer.from(`${'x'.repeat(9000)}canary-secret${'y'.repeat(90_000)}`);
    const text = body.toString('base64');
    const clean = streamed(redactor, inPieces(text, 4096));
    expect(clean).toBe(redactor.text(text));
    expect(clean).toContain(REDACTED);
  });

  it('a private key that never ends is not held back for ever', () => {
    const stream = new Redactor().stream();
    const start = `-----BEGIN PRIVATE KEY-----\n${'MIIE'.repeat(100)}\n`;
    expect(stream.push(start + filler(1000))).not.toContain('MIIE');
    expect(stream.push(filler(40_000))).toContain('plain words');
    expect(stream.end()).not.toContain('MIIE');
  });

  it('secrets without a gap between them are not held back for ever', () => {
    const redactor = knowing('canary-secret');
    const stream = redactor.stream();
    let shown = '';
    for (const piece of inPieces('canary-secret'.repeat(12_000), 5000)) shown += stream.push(piece);
    expect(shown).toContain(REDACTED);
    shown += stream.end();
    expect(shown.replaceAll(REDACTED, '')).toBe('');
  });
});

describe('benign', () => {
  it('shows ordinary text soon, and all of it in the end', () => {
    const stream = new Redactor().stream();
    expect(stream.push('short')).toBe('');
    expect(stream.push(filler(5000)).length).toBeGreaterThan(4000);
    const empty = new Redactor().stream();
    expect(empty.end()).toBe('');
    expect(streamed(new Redactor(), ['a', '', 'b'])).toBe('ab');
  });
});
