import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decodedTexts } from './decoded-text.ts';

const INNER = 'A text of several words, long enough to be more than one line of base64. '.repeat(3);
const BASE64 = Buffer.from(INNER).toString('base64');

/** What stands in the outer text for a word of the inner one. */
const written = (outer: string, word: string): string => {
  const [view] = decodedTexts(outer);
  if (!view) return '';
  const from = view.text.indexOf(word);
  const span = view.origin({ from, to: from + word.length });
  return outer.slice(span.from, span.to);
};

describe('texts that are written as base64 or hex', () => {
  it.each([
    ['base64', `data: ${BASE64} end`],
    ['base64 in lines of 76', `data:\n${BASE64.replaceAll(/.{76}/g, '$&\n')}\n.`],
    ['base64 in indented lines of 64', `data:\n  ${BASE64.replaceAll(/.{64}/g, '$&\r\n  ')}`],
    ['hex', `data: ${Buffer.from(INNER).toString('hex')} end`],
  ])('%s is decoded', (_how, outer) => {
    expect(decodedTexts(outer).map(({ text }) => text)).toEqual([INNER]);
  });

  it('a span of the text is brought back to the characters that encode it', () => {
    const encoded = written(`data: ${BASE64} end`, 'several');
    expect(Buffer.from(encoded, 'base64').toString()).toContain('several');
    expect(encoded.length).toBeLessThan(20);
    const hex = written(Buffer.from(INNER).toString('hex'), 'several');
    expect(Buffer.from(hex, 'hex').toString()).toBe('several');
  });

  it('a span across two lines is brought back with the line break', () => {
    const outer = BASE64.replaceAll(/.{8}/g, '$&').replace(/^.{60}/, '$&\n');
    expect(written(outer, INNER.slice(40, 50))).toContain('\n');
  });

  it('bytes that are no text, and short ones, are not decoded', () => {
    const bytes = Buffer.concat([Buffer.from([0x89, 1, 2, 3, 4, 5, 6, 7]), randomBytes(400)]);
    expect(decodedTexts(bytes.toString('base64'))).toEqual([]);
    expect(decodedTexts(Buffer.from('short text').toString('base64'))).toEqual([]);
  });
});
