/** The counts of a text: graphemes, words, sentences, paragraphs, lines and bytes. */
import { countGraphemes, segmentText } from './segment-text.ts';

export interface TextCounts {
  readonly characters: number;
  readonly words: number;
  readonly sentences: number;
  readonly paragraphs: number;
  readonly lines: number;
  readonly bytes: number;
}

const wordsIn = (text: string): number => {
  let count = 0;
  for (const { isWord } of segmentText(text, 'word')) if (isWord) count += 1;
  return count;
};

/** A run of punctuation alone is no sentence. */
const sentencesIn = (text: string): number => {
  let count = 0;
  for (const sentence of segmentText(text, 'sentence')) {
    if (/[\p{L}\p{N}]/u.test(sentence.text)) count += 1;
  }
  return count;
};

export const linesOf = (text: string): readonly string[] => text.split(/\r\n|\r|\n/);

/** Blocks of lines with something on them, with empty lines between. */
const paragraphsIn = (lines: readonly string[]): number =>
  lines.filter((line, at) => line.trim() !== '' && (lines[at - 1] ?? '').trim() === '').length;

export const countText = (text: string): TextCounts => {
  const lines = linesOf(text);
  return {
    characters: countGraphemes(text),
    words: wordsIn(text),
    sentences: sentencesIn(text),
    paragraphs: paragraphsIn(lines),
    lines: text === '' ? 0 : lines.length,
    bytes: Buffer.byteLength(text, 'utf8'),
  };
};
