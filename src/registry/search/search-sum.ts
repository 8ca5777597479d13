/** Adds up what the words of one query are worth in each document, in flat arrays. */

/** The documents a word occurs in and how much it counts there, side by side. */
export interface Posting {
  docs: number[];
  weights: number[];
}

/** A word of the index that stands for a word of the query, and how well. */
export interface Expansion {
  readonly posting: Posting;
  readonly factor: number;
}

export interface SearchSum {
  /** One word of the query; of several expansions the best one counts. */
  add(expansions: readonly Expansion[]): void;
  /** What the document is worth; 0 when nothing matched. */
  score(doc: number): number;
}

export const createSum = (documents: number): SearchSum => {
  const scores = new Float64Array(documents);
  const covered = new Float64Array(documents);
  const best = new Float64Array(documents);
  let total = 0;

  /** The rarer, the more a word tells. */
  const rarity = (occurrences: number): number =>
    Math.log(1 + (documents - occurrences + 0.5) / (occurrences + 0.5));

  const collect = (expansions: readonly Expansion[]): readonly number[] => {
    const touched: number[] = [];
    for (const { posting, factor } of expansions) {
      const worth = factor * rarity(posting.docs.length);
      for (let at = 0; at < posting.docs.length; at += 1) {
        const doc = posting.docs[at] ?? 0;
        const value = worth * (posting.weights[at] ?? 0);
        const before = best[doc] ?? 0;
        if (before === 0) touched.push(doc);
        if (value > before) best[doc] = value;
      }
    }
    return touched;
  };

  return {
    add(expansions) {
      const touched = collect(expansions);
      const share = rarity(touched.length);
      total += touched.length > 0 ? share : 0;
      for (const doc of touched) {
        scores[doc] = (scores[doc] ?? 0) + (best[doc] ?? 0);
        covered[doc] = (covered[doc] ?? 0) + share;
        best[doc] = 0;
      }
    },
    score(doc) {
      const score = scores[doc] ?? 0;
      if (score === 0) return 0;
      const share = (covered[doc] ?? 0) / total;
      // Squared: what matches every word comes before what matches one of them well.
      return score * share * share;
    },
  };
};
