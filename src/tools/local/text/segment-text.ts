/**
 * Words, sentences and graphemes as Unicode defines them, in time that grows with the text.
 * `Intl.Segmenter` alone slows down with the length of its text, so it sees a window at a time.
 */

export interface Segment {
  readonly text: string;
  readonly isWord: boolean;
}

const WINDOW = 400;
/** The last segments of a window may go on beyond it, so they are read again with the next one. */
const UNSURE = 3;

/** How much of a window is certain, and where to go on. */
const settledOf = (count: number, isLast: boolean, isGrown: boolean): number => {
  if (isLast) return count;
  // A window that had to grow for one long segment gives only that, or each step would cost as much.
  return isGrown ? Math.min(1, count - UNSURE) : count - UNSURE;
};

export function* segmentText(
  text: string,
  granularity: 'grapheme' | 'word' | 'sentence',
): Generator<Segment> {
  const segmenter = new Intl.Segmenter('en', { granularity });
  const width = granularity === 'sentence' ? WINDOW * 5 : WINDOW;
  let size = width;
  for (let at = 0; at < text.length; ) {
    const end = Math.min(at + size, text.length);
    const found = [...segmenter.segment(text.slice(at, end))];
    const settled = settledOf(found.length, end === text.length, size > width);
    if (settled <= 0) {
      size *= 2;
      continue;
    }
    for (const { segment, isWordLike } of found.slice(0, settled)) {
      yield { text: segment, isWord: isWordLike ?? false };
      at += segment.length;
    }
    size = width;
  }
}

/** ASCII without carriage returns: every character is a grapheme of its own. */
const isPlain = (text: string): boolean => /^[\n\x20-\x7e\t]*$/.test(text);

export const countGraphemes = (text: string): number => {
  if (isPlain(text)) return text.length;
  let count = 0;
  for (const _ of segmentText(text, 'grapheme')) count += 1;
  return count;
};

/** From the last grapheme to the first; accents and flags stay whole. */
export const reverseText = (text: string): string => {
  if (isPlain(text)) return text.split('').reverse().join('');
  return Array.from(segmentText(text, 'grapheme'), (each) => each.text)
    .reverse()
    .join('');
};
