/** The port to vectors of texts: kept for a user, and found again by how near they are. */

/** The kind of text of a vector: a piece of knowledge, or something that was remembered. */
export type VectorKind = 'knowledge' | 'memory';

export interface VectorKey {
  /** Whose it is. No search of another user finds it. */
  readonly userId: string;
  readonly kind: VectorKind;
  /** The name of the text among those of the user and kind. */
  readonly id: string;
}

export interface VectorItem extends VectorKey {
  /** The model that made it. Vectors of two models are never compared. */
  readonly model: string;
  readonly vector: readonly number[];
  /** Milliseconds since the epoch. */
  readonly storedAt: number;
}

export interface VectorQuery {
  readonly userId: string;
  /** All kinds when absent. */
  readonly kind?: VectorKind;
  readonly model: string;
  readonly vector: readonly number[];
  /** The most matches, from 1 to 100. */
  readonly limit: number;
  /** Matches that are further away are left out; -1 when absent, which leaves out none. */
  readonly minScore?: number;
}

export interface VectorMatch {
  readonly kind: VectorKind;
  readonly id: string;
  /** The cosine of the angle between both vectors: 1 the same direction, 0 unrelated. */
  readonly score: number;
}

export interface Vectors {
  /**
   * Keeps a vector, in place of the one that its text had. Rejects with VALIDATION_ERROR for one that
   * is no list of 1 to 8,192 finite numbers, is zero, or has another length than those that the user
   * has of the same model, and with CONFLICT when the user has 100,000 already.
   */
  put(item: VectorItem): Promise<void>;
  /**
   * Finds the nearest vectors, nearest first. Exact: it looks at all vectors of the user and model, a
   * page at a time. Rejects with VALIDATION_ERROR for a query of another length than theirs.
   */
  search(query: VectorQuery): Promise<readonly VectorMatch[]>;
  /** Deletes a vector; true when there was one. */
  delete(key: VectorKey): Promise<boolean>;
  /** Forgets all vectors of a user and kind; says how many. */
  clear(userId: string, kind: VectorKind): Promise<number>;
}
