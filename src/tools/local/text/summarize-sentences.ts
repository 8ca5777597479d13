/**
 * A summary made of the text's own sentences: those whose words occur most, without repeating each
 * other, in their own order.
 */
import type { Sentence } from './language-reader.ts';

export interface SummaryLimits {
  readonly maxSentences: number;
  /** Characters. */
  readonly maxLength: number;
}

interface Candidate {
  readonly at: number;
  readonly text: string;
  readonly lemmas: ReadonlySet<string>;
  readonly weight: number;
}

/** Two sentences that share more than this say the same. */
const MOST_SHARED = 0.6;
/** How much the opening of a text counts: writers put the point there. */
const OPENING = 1.2;
/** Only the best few are compared with what is chosen. */
const MOST_COMPARED = 500;

const contentOf = ({ words }: Sentence): readonly string[] =>
  words.filter(({ isContent }) => isContent).map(({ lemma }) => lemma);

const frequenciesOf = (sentences: readonly Sentence[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const lemma of sentences.flatMap(contentOf)) {
    counts.set(lemma, (counts.get(lemma) ?? 0) + 1);
  }
  return counts;
};

/** The square root keeps long sentences from winning by length alone. */
const candidateOf = (
  sentence: Sentence,
  at: number,
  frequency: ReadonlyMap<string, number>,
): Candidate => {
  const lemmas = new Set(contentOf(sentence));
  let sum = 0;
  for (const lemma of lemmas) sum += Math.log1p(frequency.get(lemma) ?? 0);
  const weight = (sum / Math.sqrt(lemmas.size + 3)) * (at === 0 ? OPENING : 1);
  return { at, text: sentence.text, lemmas, weight };
};

const overlap = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  let shared = 0;
  for (const lemma of a) if (b.has(lemma)) shared += 1;
  return shared / Math.max(1, Math.min(a.size, b.size));
};

const choose = (ranked: readonly Candidate[], limits: SummaryLimits): readonly Candidate[] => {
  const chosen: Candidate[] = [];
  let length = 0;
  for (const candidate of ranked) {
    if (chosen.length === limits.maxSentences) break;
    const space = chosen.length > 0 ? 1 : 0;
    if (length + space + candidate.text.length > limits.maxLength) continue;
    if (chosen.some(({ lemmas }) => overlap(lemmas, candidate.lemmas) > MOST_SHARED)) continue;
    chosen.push(candidate);
    length += space + candidate.text.length;
  }
  return chosen;
};

/** The text up to a length, ending at a word, with an ellipsis for what is left out. */
const clip = (text: string, length: number): string => {
  if (text.length <= length) return text;
  const cut = text.slice(0, length - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > length / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
};

export const summarizeSentences = (
  sentences: readonly Sentence[],
  limits: SummaryLimits,
): { readonly text: string; readonly sentences: number } => {
  const frequency = frequenciesOf(sentences);
  const ranked = sentences
    .map((sentence, at) => candidateOf(sentence, at, frequency))
    .sort((a, b) => b.weight - a.weight);
  const chosen = choose(ranked.slice(0, MOST_COMPARED), limits).toSorted((a, b) => a.at - b.at);
  if (chosen.length > 0) {
    return { text: chosen.map(({ text }) => text).join(' '), sentences: chosen.length };
  }
  const best = ranked[0];
  return best
    ? { text: clip(best.text, limits.maxLength), sentences: 1 }
    : { text: '', sentences: 0 };
};
