/**
 * Splits text into graphemes, words and sentences by the rules of Unicode. The segmenter of Node copies
 * the whole text for every segment it yields, so a long text is passed to it in windows: linear time, not
 * quadratic.
 */

export interface Segment {
  readonly text: string;
  /** Holds letters, digits or ideographs (words only). */
  readonly wordLike: boolean;
}

export type Segmenter = (text: string) => Generator<Segment>;

const WINDOW = 256;
/** What follows can remove a boundary ("can" before "'t"), so the end of a window is not trusted. */
const MARGIN = 64;

export const createSegmenter = (granularity: 'grapheme' | 'word' | 'sentence'): Segmenter => {
  const segmenter = new Intl.Segmenter('en', { granularity });
  return function* segments(text) {
    let start = 0;
    let size = WINDOW;
    while (start < text.length) {
      const end = Math.min(start + size, text.length);
      const trusted = end === text.length ? end : end - MARGIN;
      let next = start;
      for (const { segment, isWordLike } of segmenter.segment(text.slice(start, end))) {
        if (next + segment.length > trusted) break;
        next += segment.length;
        yield { text: segment, wordLike: isWordLike ?? false };
        // A larger window holds one long segment; after it, small windows are used again.
        if (size > WINDOW) break;
      }
      size = next === start ? size * 2 : WINDOW;
      start = next;
    }
  };
};

/** Lists the words of a text, without the text between them. */
export const wordsOf = (text: string, segments: Segmenter): readonly string[] => {
  const words: string[] = [];
  for (const { text: word, wordLike } of segments(text)) if (wordLike) words.push(word);
  return words;
};
