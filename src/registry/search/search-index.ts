/**
 * An inverted index over the catalog. It takes changes one by one, and finds a word that occurs in
 * each of ten thousand tools within a few milliseconds.
 */
import { createVocabulary } from './search-vocabulary.ts';

/** Splits names, sentences and queries into words: `readFile`, `read_file` and `Read file` give the same. */
const WORD = /[\p{Lu}]+(?![\p{Ll}])|[\p{Lu}]?[\p{Ll}]+|[\p{L}]+|[\p{N}]+/gu;
const MAX_WORD = 40;

const searchWords = (text: string): readonly string[] =>
  (text.match(WORD) ?? []).map((word) => word.slice(0, MAX_WORD).toLowerCase());

export interface SearchField {
  readonly text: string;
  /** How much a match here counts. */
  readonly weight: number;
}

/** Called for every match, because a list could hold ten thousand. */
export type OnMatch = (id: string, score: number) => void;

const MAX_QUERY = 256;
const MAX_QUERY_WORDS = 16;
const PREFIX_FACTOR = 0.6;
const FUZZY_FACTOR = 0.4;
const SAME_NAME_FACTOR = 3;
/** Removed documents leave gaps; the index is compacted when there are more than this. */
const MAX_GAPS = 1_000;

export class SearchIndex {
  readonly #vocabulary = createVocabulary();
  readonly #indexes = new Map<string, number>();
  #postings: Posting[] = [];
  #documents: (Document | undefined)[] = [];

  /** Adds a document, or replaces the one with that id. */
  put(id: string, fields: readonly SearchField[]): void {
    this.remove(id);
    const name = searchWords(id).join('');
    const at = this.#documents.push({ id, name }) - 1;
    this.#indexes.set(id, at);
    for (const [word, weight] of weigh(name, fields)) {
      const posting = this.#posting(this.#vocabulary.intern(word));
      posting.docs.push(at);
      posting.weights.push(weight);
    }
  }

  remove(id: string): void {
    const at = this.#indexes.get(id);
    if (at === undefined) return;
    this.#documents[at] = undefined;
    this.#indexes.delete(id);
    const gaps = this.#documents.length - this.#indexes.size;
    if (gaps > MAX_GAPS && gaps > this.#indexes.size) this.#compact();
  }

  /** Reports every document that matches any word, in no order; those that match all words score best. */
  find(text: string, fuzzy: boolean, onMatch: OnMatch): void {
    const words = [...new Set(searchWords(text.slice(0, MAX_QUERY)))].slice(0, MAX_QUERY_WORDS);
    const sum = createSum(this.#documents.length);
    for (const word of words) sum.add(this.#expand(word, fuzzy));
    const joined = words.join('');
    for (let at = 0; at < this.#documents.length; at += 1) {
      const score = sum.score(at);
      const document = this.#documents[at];
      if (score === 0 || document === undefined) continue;
      onMatch(document.id, document.name === joined ? score * SAME_NAME_FACTOR : score);
    }
  }

  #posting(number: number): Posting {
    const posting = this.#postings[number] ?? { docs: [], weights: [] };
    this.#postings[number] = posting;
    return posting;
  }

  /** Finds the words of the index that a query word matches: itself, longer ones, or similar ones. */
  #expand(word: string, fuzzy: boolean): readonly Expansion[] {
    const expansion = (number: number, factor: number): Expansion => ({
      posting: this.#posting(number),
      factor,
    });
    const matches = this.#vocabulary.withPrefix(word).map((number) => {
      const { length } = this.#vocabulary.word(number);
      return expansion(number, (PREFIX_FACTOR * word.length) / length);
    });
    const exact = this.#vocabulary.number(word);
    if (exact !== undefined) matches.push(expansion(exact, 1));
    if (matches.length > 0 || !fuzzy) return matches;
    const { numbers, edits } = this.#vocabulary.nearest(word);
    return numbers.map((number) => expansion(number, FUZZY_FACTOR / edits));
  }

  #compact(): void {
    const documents: Document[] = [];
    const moved = this.#documents.map((document) => (document ? documents.push(document) - 1 : -1));
    const isKept = (doc: number): boolean => (moved[doc] ?? -1) >= 0;
    this.#documents = documents;
    for (const [at, { id }] of documents.entries()) this.#indexes.set(id, at);
    this.#postings = this.#postings.map(({ docs, weights }) => ({
      docs: docs.filter(isKept).map((doc) => moved[doc] ?? -1),
      weights: weights.filter((_weight, at) => isKept(docs[at] ?? -1)),
    }));
  }
}

interface Document {
  readonly id: string;
  /** The words of the id run together, so that `readfile` finds `read_file`. */
  readonly name: string;
}

/** Weighs each word of one document. Repeating a word adds little, so that stuffing does not pay. */
const weigh = (name: string, fields: readonly SearchField[]): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>([[name, fields[0]?.weight ?? 1]]);
  for (const { text, weight } of fields) {
    const words = searchWords(text);
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    const unit = weight / Math.sqrt(4 + words.length);
    for (const [word, count] of counts) {
      weights.set(word, (weights.get(word) ?? 0) + unit * (1 + Math.log(count)));
    }
  }
  return weights;
};

/** The documents a word occurs in and its weight in each, as parallel arrays. */
interface Posting {
  docs: number[];
  weights: number[];
}

/** A word of the index that matches a word of the query, and how well. */
interface Expansion {
  readonly posting: Posting;
  readonly factor: number;
}

interface SearchSum {
  /** Adds one word of the query; of several expansions the best one counts. */
  add(expansions: readonly Expansion[]): void;
  /** Gives the score of a document; 0 when nothing matched. */
  score(doc: number): number;
}

/** Adds up the scores of the words of one query for each document, in flat arrays. */
const createSum = (documents: number): SearchSum => {
  const scores = new Float64Array(documents);
  const covered = new Float64Array(documents);
  const best = new Float64Array(documents);
  let total = 0;

  /** Weighs a word: a rarer one counts more. */
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
