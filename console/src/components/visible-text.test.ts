import { describe, expect, it } from 'vitest';
import { countHidden, plainVisible, visibleParts } from './visible-text.ts';

const codes = (text: string) => visibleParts(text).flatMap(({ code }) => code ?? []);

const HOSTILE: readonly (readonly [string, string, string])[] = [
  ['right-to-left override', 'safe\u202Etxt.exe', 'U+202E'],
  ['directional isolate', 'a\u2066b', 'U+2066'],
  ['zero-width space', 'rm\u200B -rf', 'U+200B'],
  ['zero-width joiner outside an emoji', 'a\u200Db', 'U+200D'],
  ['byte order mark', '\uFEFFa', 'U+FEFF'],
  ['escape sequence', 'a\u001B[2K', 'U+001B'],
  ['null', 'a\0b', 'U+0000'],
  ['carriage return that overwrites a line', 'harmful\rharmless', 'U+000D'],
  ['C1 control', 'a\u009Bb', 'U+009B'],
  ['tag character', 'a\u{E0041}b', 'U+E0041'],
  ['no-break space', 'a\u00A0b', 'U+00A0'],
  ['line separator', 'a\u2028b', 'U+2028'],
  ['Hangul filler', 'a\u3164b', 'U+3164'],
  ['variation selector on a letter', 'a\u{FE01}b', 'U+FE01'],
  ['variation selector that hides data', 'a\u{E0101}b', 'U+E0101'],
  ['soft hyphen', 'a\u00ADb', 'U+00AD'],
  ['lone surrogate', 'a\uD800b', 'U+D800'],
  ['private use', 'a\uE000b', 'U+E000'],
  ['blank of Braille', 'a\u2800b', 'U+2800'],
];

describe('threat: hidden characters in what a person approves', () => {
  it.each(HOSTILE)('%s is shown', (_name, text, code) => {
    expect(codes(text)).toEqual([code]);
    expect(
      visibleParts(text)
        .map((part) => part.text)
        .join(''),
    ).toBe(text);
  });
});

describe('threat: a text made to stop the page', () => {
  it('of nothing but hidden characters is read in one go', () => {
    const started = performance.now();
    expect(countHidden('\u{FE0F}'.repeat(400_000))).toBe(400_000);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('where only plain text fits', () => {
  it('hidden characters stand as their codes', () => {
    expect(plainVisible('saf\u202Ee ❤️')).toBe('saf[U+202E]e ❤️');
  });
});

const BENIGN = [
  '',
  'plain text, with punctuation!',
  'two\nlines\tand a tab',
  'Grüße, naïve, 日本語, العربية, עברית, हिन्दी',
  'emoji ❤️ and 👍',
  '{"a": [1, 2.5e3, null]}',
];

describe('text that hides nothing', () => {
  it.each(BENIGN)('%j stays as it is', (text) => {
    expect(countHidden(text)).toBe(0);
    expect(visibleParts(text)).toEqual(text === '' ? [] : [{ text }]);
  });
});
