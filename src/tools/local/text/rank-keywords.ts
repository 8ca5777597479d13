/**
 * Keywords by RAKE (Rose et al., 2010): runs of content words are candidates, a word weighs its
 * degree over its frequency, and a candidate the sum of its words, here times how often it occurs.
 */
import type { Sentence, Word } from './language-reader.ts';

export interface Keyword {
  readonly keyword: string;
  /** 0 to 1, the best one having 1. */
  readonly score: number;
  readonly count: number;
}

/** Longer runs are lists, not terms. */
const LONGEST = 3;
const NAMING = new Set(['NOUN', 'PROPN', 'ADJ', 'X']);

const isNaming = ({ isContent, tag }: Word): boolean => isContent && NAMING.has(tag);

/** A term does not end in an adjective. */
const isTerm = (run: readonly Word[]): boolean => run.at(-1)?.tag !== 'ADJ';

function* candidatesOf(sentences: readonly Sentence[]): Generator<readonly Word[]> {
  for (const { words } of sentences) {
    let run: Word[] = [];
    for (const word of words) {
      if (isNaming(word)) run.push(word);
      if (isNaming(word) && run.length < LONGEST) continue;
      if (run.length > 0) yield run;
      run = [];
    }
    if (run.length > 0) yield run;
  }
}

const shown = (run: readonly Word[]): string =>
  run.map(({ text, tag }) => (tag === 'PROPN' ? text : text.toLowerCase())).join(' ');

/** Degree over frequency: a word of long terms says more than one that stands alone. */
const weighWords = (runs: readonly (readonly Word[])[]): ReadonlyMap<string, number> => {
  const frequency = new Map<string, number>();
  const degree = new Map<string, number>();
  for (const run of runs) {
    for (const { lemma } of run) {
      frequency.set(lemma, (frequency.get(lemma) ?? 0) + 1);
      degree.set(lemma, (degree.get(lemma) ?? 0) + run.length);
    }
  }
  return new Map([...degree].map(([lemma, sum]) => [lemma, sum / (frequency.get(lemma) ?? 1)]));
};

export const rankKeywords = (sentences: readonly Sentence[], most: number): readonly Keyword[] => {
  const runs = [...candidatesOf(sentences)];
  const weights = weighWords(runs);
  const found = new Map<string, { keyword: string; weight: number; count: number }>();
  for (const run of runs.filter(isTerm)) {
    const key = run.map(({ lemma }) => lemma).join(' ');
    const known = found.get(key);
    if (known) known.count += 1;
    else {
      const weight = run.reduce((sum, { lemma }) => sum + (weights.get(lemma) ?? 0), 0);
      found.set(key, { keyword: shown(run), weight, count: 1 });
    }
  }
  // Sorting is stable: of equals, the one that came first in the text stays first.
  const ranked = [...found.values()].sort((a, b) => b.weight * b.count - a.weight * a.count);
  const best = ranked[0] ? ranked[0].weight * ranked[0].count : 1;
  return ranked.slice(0, most).map(({ keyword, weight, count }) => ({
    keyword,
    score: Math.round(((weight * count) / best) * 1000) / 1000,
    count,
  }));
};
