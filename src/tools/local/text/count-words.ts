/** How much text is there: characters, graphemes, words, sentences, paragraphs, lines. */
import { linesOf } from './lines.ts';
import { createSegmenter, type Segment } from './segments.ts';

export interface Counts {
  readonly characters: number;
  readonly graphemes: number;
  readonly words: number;
  readonly sentences: number;
  readonly paragraphs: number;
  readonly lines: number;
}

const NOT_BLANK = /\S/u;

const count = (
  text: string,
  granularity: Parameters<typeof createSegmenter>[0],
  counts: (segment: Segment) => boolean,
): number => {
  let total = 0;
  for (const segment of createSegmenter(granularity)(text)) if (counts(segment)) total += 1;
  return total;
};

const countCharacters = (text: string): number => {
  let total = 0;
  for (const _ of text) total += 1;
  return total;
};

const countParagraphs = (lines: readonly string[]): number => {
  let total = 0;
  let inside = false;
  for (const line of lines) {
    const written = NOT_BLANK.test(line);
    if (written && !inside) total += 1;
    inside = written;
  }
  return total;
};

export const countWords = (text: string): Counts => {
  const { lines } = linesOf(text);
  return {
    characters: countCharacters(text),
    graphemes: count(text, 'grapheme', () => true),
    words: count(text, 'word', ({ wordLike }) => wordLike),
    sentences: count(text, 'sentence', ({ text: sentence }) => NOT_BLANK.test(sentence)),
    paragraphs: countParagraphs(lines),
    lines: lines.length,
  };
};
