/**
 * Takes the part of a text that is analysed. The time of the analysis grows faster than the text, so long
 * texts are cut, with a warning to the caller.
 */

export interface Sample {
  readonly text: string;
  /** Mostly Latin letters: the analysis of English can be used. */
  readonly latin: boolean;
}

const MAX_CHARACTERS = 100_000;
/** No word is longer; the tokenizer takes quadratic time for text without spaces. */
const MAX_WORD = 200;

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

const isLatin = (text: string): boolean =>
  countOf(text, /\p{Script=Latin}/gu) * 2 >= countOf(text, /\p{L}/gu);

/** Takes the beginning of a long text, without cutting through an emoji. */
export const takeBeginning = (text: string, warn: (message: string) => void): string => {
  if (text.length <= MAX_CHARACTERS) return text;
  warn(`Only the first ${MAX_CHARACTERS} characters of the text were analysed.`);
  return text.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
};

export const takeSample = (whole: string, warn: (message: string) => void): Sample => {
  const text = takeBeginning(whole, warn)
    .replaceAll(/\r\n|[\r\u0085\u2028\u2029]/gu, '\n')
    .replaceAll(/[^\S\n]/gu, ' ');
  if (!isLatin(text)) return { text, latin: false };
  let left = 0;
  const words = text.replaceAll(/\S+/gu, (word) => {
    if (word.length <= MAX_WORD) return word;
    left += 1;
    return ' ';
  });
  if (left > 0) {
    warn(`Words of more than ${MAX_WORD} characters were left out (${left}).`);
  }
  return { text: words, latin: true };
};
