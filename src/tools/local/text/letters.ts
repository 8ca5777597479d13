/** Operations on the letters of a text: case, slugs, order. */
import { createSegmenter } from './segments.ts';

/** Every word begins with a capital and goes on in small letters. */
export const titleCase = (text: string): string => {
  let result = '';
  for (const { text: part, wordLike } of createSegmenter('word')(text)) {
    const [first = ''] = part;
    result += wordLike ? `${first.toUpperCase()}${part.slice(first.length).toLowerCase()}` : part;
  }
  return result;
};

/** Letters that do not come apart into a plain one and an accent. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

/** Small letters and digits joined by "-". Letters of other scripts stay: a slug of them is legal. */
export const slugify = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f'’]/gu, '')
    .replaceAll(/[ßæœøđðłþı]/gu, (letter) => PLAIN[letter] ?? letter)
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-/u, '')
    .replace(/-$/u, '');

/** Backwards by what a reader sees as one character, so that emoji and accents stay whole. */
export const reverse = (text: string): string => {
  const graphemes: string[] = [];
  for (const { text: grapheme } of createSegmenter('grapheme')(text)) graphemes.push(grapheme);
  return graphemes.reverse().join('');
};
