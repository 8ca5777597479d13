/** Services of the embedding program that the types of job `generate_embedding` and `send_notification` use. */

export interface EmbeddingItem {
  readonly type: 'knowledge' | 'memory';
  readonly id: string;
  /** Whose it is: the user who added the job. */
  readonly userId: string;
  readonly vector: readonly number[];
}

/** The embedding model, and where its vectors go. */
export interface Embeddings {
  generate(content: string, signal: AbortSignal): Promise<readonly number[]>;
  /** Replaces the vector that the item had; called again when a job is handed out again. */
  store(item: EmbeddingItem): Promise<void>;
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
  tokens(userId: string): Promise<readonly PushToken[]>;
  removeToken(tokenId: string): Promise<void>;
  /** Rejects with an error of code `INVALID_TOKEN` for a device that is gone: its token is removed. */
  send(message: PushMessage, signal: AbortSignal): Promise<void>;
}

export interface BackgroundServices {
  readonly embeddings?: Embeddings;
  readonly push?: PushService;
}
