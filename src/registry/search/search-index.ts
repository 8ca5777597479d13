/**
 * A small inverted index over the catalog. It takes changes one by one, and a word that occurs in each
 * of ten thousand tools is still answered within a few milliseconds.
 */
import { createSum, type Expansion, type Posting } from './search-sum.ts';
import { createVocabulary } from './search-vocabulary.ts';

/** Cuts names, sentences and queries into the words that are searched: `readFile`, `read_file` and `Read file` are alike. */
const WORD = /[\p{Lu}]+(?![\p{Ll}])|[\p{Lu}]?[\p{Ll}]+|[\p{L}]+|[\p{N}]+/gu;
const MAX_WORD = 40;

const searchWords = (text: string): readonly string[] =>
  (text.match(WORD) ?? []).map((word) => word.slice(0, MAX_WORD).toLowerCase());

export interface SearchField {
  readonly text: string;
  /** How much a match here counts. */
  readonly weight: number;
}

/** Told of every match, rather than handed a list of what may be ten thousand. */
export type OnMatch = (id: string, score: number) => void;

const MAX_QUERY = 256;
const MAX_QUERY_WORDS = 16;
const PREFIX_FACTOR = 0.6;
const FUZZY_FACTOR = 0.4;
const SAME_NAME_FACTOR = 3;
/** Removed documents leave gaps; this many of them, and they are closed. */
const MAX_GAPS = 1_000;

export class SearchIndex {
  readonly #vocabulary = createVocabulary();
  readonly #places = new Map<string, number>();
  #postings: Posting[] = [];
  #documents: (Document | undefined)[] = [];

  /** Adds a document, in place of the one it had under that id. */
  put(id: string, fields: readonly SearchField[]): void {
    this.remove(id);
    const name = searchWords(id).join('');
    const place = this.#documents.push({ id, name }) - 1;
    this.#places.set(id, place);
    for (const [word, weight] of weigh(name, fields)) {
      const posting = this.#posting(this.#vocabulary.intern(word));
      posting.docs.push(place);
      posting.weights.push(weight);
    }
  }

  remove(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#documents[place] = undefined;
    this.#places.delete(id);
    const gaps = this.#documents.length - this.#places.size;
    if (gaps > MAX_GAPS && gaps > this.#places.size) this.#closeGaps();
  }

  /** Every document that matches any word, in no order; those that match all words score best. */
  find(text: string, fuzzy: boolean, onMatch: OnMatch): void {
    const words = [...new Set(searchWords(text.slice(0, MAX_QUERY)))].slice(0, MAX_QUERY_WORDS);
    const sum = createSum(this.#documents.length);
    for (const word of words) sum.add(this.#expand(word, fuzzy));
    const asked = words.join('');
    for (let place = 0; place < this.#documents.length; place += 1) {
      const score = sum.score(place);
      const document = this.#documents[place];
      if (score === 0 || document === undefined) continue;
      onMatch(document.id, document.name === asked ? score * SAME_NAME_FACTOR : score);
    }
  }

  #posting(number: number): Posting {
    const posting = this.#postings[number] ?? { docs: [], weights: [] };
    this.#postings[number] = posting;
    return posting;
  }

  /** The words of the index that a word of the query stands for. */
  #expand(word: string, fuzzy: boolean): readonly Expansion[] {
    const expansion = (number: number, factor: number): Expansion => ({
      posting: this.#posting(number),
      factor,
    });
    const found = this.#vocabulary.withPrefix(word).map((number) => {
      const { length } = this.#vocabulary.word(number);
      return expansion(number, (PREFIX_FACTOR * word.length) / length);
    });
    const exact = this.#vocabulary.number(word);
    if (exact !== undefined) found.push(expansion(exact, 1));
    if (found.length > 0 || !fuzzy) return found;
    const { numbers, edits } = this.#vocabulary.nearest(word);
    return numbers.map((number) => expansion(number, FUZZY_FACTOR / edits));
  }

  #closeGaps(): void {
    const kept: Document[] = [];
    const moved = this.#documents.map((document) => (document ? kept.push(document) - 1 : -1));
    const isKept = (doc: number): boolean => (moved[doc] ?? -1) >= 0;
    this.#documents = kept;
    for (const [place, { id }] of kept.entries()) this.#places.set(id, place);
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

/** How much each word counts in one document. Repeating a word helps little: stuffing must not pay. */
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
