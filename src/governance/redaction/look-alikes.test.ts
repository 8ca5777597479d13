import { describe, expect, it } from 'vitest';
import { foldLookAlikes, latinOf } from './look-alikes.ts';

describe('names in letters that look like Latin ones', () => {
  it.each([
    ['раsswоrd', 'password', 'Cyrillic letters'],
    ['tοkεn', 'token', 'Greek letters'],
    ['ｐａｓｓｗｏｒｄ', 'password', 'full-width letters'],
    ['pass\u200bword', 'password', 'a zero-width space'],
    ['pásswörd', 'password', 'accents'],
    ['ᴛᴏᴋᴇɴ', 'token', 'small capitals'],
  ])('%s is read as %s: %s', (name, read) => {
    expect(foldLookAlikes(name)).toBe(read);
  });

  it('ASCII names and letters without a likeness stay', () => {
    expect(foldLookAlikes('API_KEY-2')).toBe('API_KEY-2');
    expect(foldLookAlikes('日本')).toBe('日本');
    expect(latinOf('ж')).toBe('ж');
  });
});
