/** Makes summaries of the sentences that have most in common with all others (TextRank), in their order. */
import { type Edge, pageRank } from './page-rank.ts';

export interface Sentence {
  readonly text: string;
  /** The words that carry its meaning, each once. */
  readonly words: ReadonlySet<string>;
}

export interface SummaryLimits {
  readonly maxSentences: number;
  /** Characters of the whole summary. */
  readonly maxLength: number;
  /** The text between two sentences. */
  readonly separator: string;
}

const similarity = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  let shared = 0;
  for (const word of few) if (many.has(word)) shared += 1;
  return shared === 0 ? 0 : shared / (Math.log(1 + a.size) + Math.log(1 + b.size));
};

const edgesOf = (sentences: readonly Sentence[]): readonly Edge[] => {
  const edges: Edge[] = [];
  for (const [i, { words }] of sentences.entries()) {
    for (let j = i + 1; j < sentences.length; j += 1) {
      const weight = similarity(words, sentences[j]?.words ?? new Set());
      if (weight > 0) edges.push([i, j, weight]);
    }
  }
  return edges;
};

/** Shortens a text to a number of characters, between words when there is a space. */
export const shorten = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '');
  const space = cut.lastIndexOf(' ');
  return `${(space > maxLength / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
};

export const summarize = (sentences: readonly Sentence[], limits: SummaryLimits): string => {
  const ranks = pageRank(sentences.length, edgesOf(sentences));
  const best = sentences
    .map((_, index) => index)
    // Of equals the earlier one, because texts begin with what is important.
    .sort((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || a - b);
  const chosen: number[] = [];
  let length = 0;
  for (const index of best) {
    if (chosen.length === limits.maxSentences) break;
    const size =
      (sentences[index]?.text.length ?? 0) + (chosen.length ? limits.separator.length : 0);
    if (length + size > limits.maxLength) continue;
    chosen.push(index);
    length += size;
  }
  if (chosen.length === 0) return shorten(sentences[best[0] ?? 0]?.text ?? '', limits.maxLength);
  return chosen
    .sort((a, b) => a - b)
    .map((index) => sentences[index]?.text ?? '')
    .join(limits.separator);
};
