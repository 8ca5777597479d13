/** How many columns a text takes on a terminal, so that lines with wide characters fit and align. */
import { lazy } from '../data/lazy.ts';

const PLAIN = /^[\x20-\x7e]*$/;
/** East Asian wide and fullwidth characters, and what is shown as an emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2fb}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const MARKS_ONLY = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** Made when a text is not plain: it takes a moment. */
const segmenter = lazy(() => new Intl.Segmenter('en'));

const widthOf = (character: string): number => {
  if (MARKS_ONLY.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
};

export const textWidth = (text: string): number => {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter().segment(text)) width += widthOf(segment);
  return width;
};

/** Cuts a text to so many columns, with an ellipsis. No character is cut in two. */
export const cutToWidth = (text: string, columns: number): string => {
  if (textWidth(text) <= columns) return text;
  if (columns <= 0) return '';
  let left = columns - 1;
  let start = '';
  for (const { segment } of segmenter().segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    start += segment;
  }
  return `${start}…`;
};

/** Fills a text up with spaces to so many columns. */
export const padToWidth = (
  text: string,
  columns: number,
  side: 'start' | 'end' = 'end',
): string => {
  const space = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return side === 'end' ? `${text}${space}` : `${space}${text}`;
};
