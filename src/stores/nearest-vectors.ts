/** Keeps the best matches of a search while its vectors are looked at, a page at a time. */
import type { VectorKind, VectorMatch, VectorQuery } from '../contract/vectors.ts';

/** A vector as it is kept: 32-bit numbers, of length 1. */
export interface KeptVector {
  readonly kind: VectorKind;
  readonly id: string;
  readonly vector: Float32Array;
}

/** Vectors that are looked at before others get a turn: 1,536 numbers each take about half a millisecond. */
export const VECTORS_PER_PAGE = 256;

const cosine = (one: Float32Array, other: Float32Array): number => {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return Math.max(-1, Math.min(1, sum));
};

/** Sorts the nearest first, equal ones by kind and id, so that every store gives the same order. */
const byScore = (one: VectorMatch, other: VectorMatch): number => {
  if (one.score !== other.score) return other.score - one.score;
  const [name, otherName] = [`${one.kind} ${one.id}`, `${other.kind} ${other.id}`];
  return name < otherName ? -1 : Number(name > otherName);
};

export class NearestVectors {
  readonly #unit: Float32Array;
  readonly #limit: number;
  readonly #minScore: number;
  #matches: VectorMatch[] = [];

  constructor(unit: Float32Array, { limit, minScore = -1 }: VectorQuery) {
    this.#unit = unit;
    this.#limit = limit;
    this.#minScore = minScore;
  }

  look(page: Iterable<KeptVector>): void {
    const matches = this.#matches;
    for (const { kind, id, vector } of page) {
      const score = cosine(this.#unit, vector);
      if (score >= this.#minScore) matches.push({ kind, id, score });
    }
    this.#matches = matches.sort(byScore).slice(0, this.#limit);
  }

  matches(): readonly VectorMatch[] {
    return this.#matches;
  }
}

/** Reads the numbers of a blob, whose bytes need not begin where a number may. */
export const vectorOf = (blob: Uint8Array): Float32Array => {
  const bytes = Uint8Array.from(blob);
  return new Float32Array(bytes.buffer, 0, Math.floor(bytes.byteLength / 4));
};

/** Returns the bytes of a vector, the lowest first, as on all machines that run Node. */
export const blobOf = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
