/** Services of the embedding program that the types of job `generate_embedding` and `send_notification` use. */
import type { ModelPrice } from './model.ts';

export interface EmbeddingItem {
  readonly type: 'knowledge' | 'memory';
  readonly id: string;
  /** Whose it is: the user who added the job. */
  readonly userId: string;
  readonly vector: readonly number[];
}

/** A vector with what it cost. */
export interface GeneratedEmbedding {
  readonly vector: readonly number[];
  readonly inputTokens?: number;
  readonly costUsd?: number;
}

/** The embedding model of the program, in place of `model.embedding` of the configuration. */
export interface Embeddings {
  /** Names the model: vectors of two models are never compared. */
  readonly model?: string;
  /** What is held before a text is embedded; nothing when absent. */
  readonly price?: ModelPrice;
  /**
   * Makes the vector of a text, with as many numbers each time. A rejection fails the attempt, and the
   * job is tried again.
   */
  generate(content: string, signal: AbortSignal): Promise<readonly number[] | GeneratedEmbedding>;
  /**
   * Stores vectors in place of the store, which is then not searched either. Called again when a job is
   * run again.
   */
  store?(item: EmbeddingItem): Promise<void>;
}

export interface PushToken {
  readonly id: string;
  readonly token: string;
  readonly platform: string;
}

export interface PushMessage extends Omit<PushToken, 'id'> {
  readonly title: string;
  readonly body: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Sends to the devices of a user. */
export interface PushService {
  /** Gives the devices of a user; those of `crib.devices` when absent. */
  tokens?(userId: string): Promise<readonly PushToken[]>;
  removeToken?(tokenId: string): Promise<void>;
  /** Rejects with an error of code `INVALID_TOKEN` for a device that no longer exists: its token is removed. */
  send(message: PushMessage, signal: AbortSignal): Promise<void>;
}

export interface BackgroundServices {
  readonly embeddings?: Embeddings;
  readonly push?: PushService;
}
