/** The words of the search index, found exactly, by prefix, or by similarity for a mistyped word. */
import { distance } from 'fastest-levenshtein';

export interface Vocabulary {
  /** Gives the number of a word; a new word gets the next one. */
  intern(word: string): number;
  number(word: string): number | undefined;
  word(number: number): string;
  /** Finds longer words that start with it. */
  withPrefix(prefix: string): readonly number[];
  /** Finds the words with the fewest edits, and how many edits that is. */
  nearest(word: string): { readonly numbers: readonly number[]; readonly edits: number };
}

const MIN_PREFIX = 2;

export const createVocabulary = (): Vocabulary => {
  const words: string[] = [];
  const letters: number[] = [];
  const numbers = new Map<string, number>();
  /** Words by their first two letters and by length, so that neither search visits every word. */
  const byStart = new Map<string, number[]>();
  const byLength = new Map<number, number[]>();

  const intern = (word: string): number => {
    const existing = numbers.get(word);
    if (existing !== undefined) return existing;
    const number = words.push(word) - 1;
    numbers.set(word, number);
    letters.push(letterSet(word));
    fileUnder(byStart, word.slice(0, MIN_PREFIX), number);
    // Numbers are matched exactly: a similar number is not what was meant.
    if (!/^\d/.test(word)) fileUnder(byLength, word.length, number);
    return number;
  };

  const wordOf = (number: number): string => words[number] ?? '';

  return {
    intern,
    number: (word) => numbers.get(word),
    word: wordOf,
    withPrefix(prefix) {
      if (prefix.length < MIN_PREFIX) return [];
      const start = byStart.get(prefix.slice(0, MIN_PREFIX)) ?? [];
      return start.filter((number) => {
        const word = wordOf(number);
        return word.length > prefix.length && word.startsWith(prefix);
      });
    },
    nearest(word) {
      const allowed = maxEdits(word);
      const set = letterSet(word);
      let edits = allowed;
      let closest: number[] = [];
      for (let length = word.length - allowed; length <= word.length + allowed; length += 1) {
        for (const number of byLength.get(length) ?? []) {
          // Each edit changes at most two letters of the set, which excludes most words at once.
          if (countBits(set ^ (letters[number] ?? 0)) > 2 * edits) continue;
          const away = distance(word, wordOf(number));
          if (away > edits) continue;
          if (away < edits) closest = [];
          closest.push(number);
          edits = away;
        }
      }
      return { numbers: closest, edits };
    },
  };
};

/** Limits the edits: short words have too many similar words. */
const maxEdits = (word: string): number => (word.length < 4 ? 0 : word.length < 5 ? 1 : 2);

const fileUnder = <K>(files: Map<K, number[]>, key: K, number: number): void => {
  const file = files.get(key);
  if (file) file.push(number);
  else files.set(key, [number]);
};

const letterSet = (word: string): number => {
  let set = 0;
  for (let at = 0; at < word.length; at += 1) set |= 1 << (word.charCodeAt(at) & 31);
  return set;
};

const countBits = (set: number): number => {
  const pairs = set - ((set >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (((fours + (fours >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
};
