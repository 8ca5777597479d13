/**
 * Finds keywords with TextRank: words near each other are linked, PageRank finds the important ones, and
 * neighbouring or repeated words make the phrases.
 */
import type { Token } from './english.ts';
import { type Edge, pageRank } from './page-rank.ts';

export interface Keyword {
  readonly keyword: string;
  /** From 0 to 1; the best keyword has 1. */
  readonly score: number;
  readonly count: number;
}

type Counts = Map<string, number>;

/** The largest distance between two words that are linked. */
const WINDOW = 3;
const MAX_PHRASE_LENGTH = 3;
const NAMING: ReadonlySet<string> = new Set(['NOUN', 'PROPN', 'ADJ', 'X']);

const isContent = ({ kind, stop, text }: Token): boolean =>
  kind === 'word' && !stop && /\p{L}/u.test(text);

const isNaming = (token: Token): boolean => isContent(token) && NAMING.has(token.speech);

/** Lists unbroken runs of words that count, in lower case. */
const runsOf = (
  tokens: readonly Token[],
  counts: (token: Token) => boolean,
): readonly (readonly string[])[] => {
  const runs: string[][] = [[]];
  for (const token of tokens) {
    if (counts(token)) runs.at(-1)?.push(token.normal);
    else if (runs.at(-1)?.length) runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
};

const add = (counts: Counts, phrase: string, times = 1): void => {
  counts.set(phrase, (counts.get(phrase) ?? 0) + times);
};

/** Yields every part of a phrase with more than one word, itself included. */
function* partsOf(run: readonly string[], maxLength: number): Generator<string> {
  for (let length = 2; length <= Math.min(maxLength, run.length); length += 1) {
    for (let at = 0; at + length <= run.length; at += 1) {
      yield run.slice(at, at + length).join(' ');
    }
  }
}

/**
 * Collects nouns, the phrases they make, and every repeated phrase: the tagger is often wrong ("learning"
 * is a verb to it), so repetition is the better sign.
 */
const candidatesOf = (tokens: readonly Token[]): Counts => {
  const candidates: Counts = new Map();
  for (const run of runsOf(tokens, isNaming)) {
    for (const word of run) add(candidates, word);
    if (run.length > 1 && run.length <= MAX_PHRASE_LENGTH) candidates.set(run.join(' '), 1);
  }
  const parts: Counts = new Map();
  for (const run of runsOf(tokens, isContent)) {
    for (const part of partsOf(run, MAX_PHRASE_LENGTH)) add(parts, part);
  }
  for (const [part, count] of parts) {
    if (count > 1) candidates.set(part, count);
  }
  return withoutParts(candidates);
};

/**
 * Removes phrases that only occur inside longer ones: "machine" when every "machine" is in "machine
 * learning".
 */
const withoutParts = (candidates: Counts): Counts => {
  const covered: Counts = new Map();
  for (const [phrase, count] of candidates) {
    const words = phrase.split(' ');
    if (words.length === 1) continue;
    for (const part of [...words, ...partsOf(words, words.length - 1)]) {
      covered.set(part, Math.max(count, covered.get(part) ?? 0));
    }
  }
  return new Map([...candidates].filter(([phrase, count]) => count > (covered.get(phrase) ?? 0)));
};

/** Links words near each other, weighted by how often they are. */
const edgesOf = (words: readonly number[]): readonly Edge[] => {
  const weights: Counts = new Map();
  for (const [at, from] of words.entries()) {
    for (const to of words.slice(at + 1, at + WINDOW)) {
      if (from !== to) add(weights, from < to ? `${from} ${to}` : `${to} ${from}`);
    }
  }
  return [...weights].map(([key, weight]) => {
    const [from = 0, to = 0] = key.split(' ').map(Number);
    return [from, to, weight];
  });
};

const ranksOf = (words: readonly string[]): ReadonlyMap<string, number> => {
  const numbers = new Map([...new Set(words)].map((word, number) => [word, number]));
  const ranks = pageRank(numbers.size, edgesOf(words.map((word) => numbers.get(word) ?? 0)));
  return new Map([...numbers].map(([word, number]) => [word, ranks[number] ?? 0]));
};

/**
 * Ranks the candidates, the best first; of equals the first in the text. The square root keeps long
 * phrases from winning by length.
 */
const best = (
  candidates: Counts,
  ranks: ReadonlyMap<string, number>,
  maxCount: number,
): readonly Keyword[] => {
  const weighed = [...candidates].map(([keyword, count]) => {
    const words = keyword.split(' ');
    const sum = words.reduce((total, word) => total + (ranks.get(word) ?? 0), 0);
    return { keyword, count, weight: (sum / Math.sqrt(words.length)) * Math.log1p(count) };
  });
  weighed.sort((a, b) => b.weight - a.weight);
  const top = weighed[0]?.weight || 1;
  return weighed.slice(0, maxCount).map(({ keyword, count, weight }) => ({
    keyword,
    score: Math.round((weight / top) * 1_000) / 1_000,
    count,
  }));
};

/** Ranks words and phrases of an English text. */
export const rankPhrases = (tokens: readonly Token[], maxCount: number): readonly Keyword[] =>
  best(candidatesOf(tokens), ranksOf(runsOf(tokens, isContent).flat()), maxCount);

/**
 * Ranks single words of a text in any language; a single letter is no keyword, but a Chinese character
 * is.
 */
export const rankWords = (words: readonly string[], maxCount: number): readonly Keyword[] => {
  const telling = words
    .map((word) => word.toLowerCase())
    .filter((word) => /\p{L}{2}|\p{Script=Han}/u.test(word));
  const counts: Counts = new Map();
  for (const word of telling) add(counts, word);
  return best(counts, ranksOf(telling), maxCount);
};
