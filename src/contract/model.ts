/** The port to a language model. Nothing but the tools that say so depends on one. */
import type { JsonSchema } from './schema.ts';

export interface ModelRequest {
  readonly prompt: string;
  readonly system?: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  /** Asks for an object of this shape instead of text. */
  readonly schema?: JsonSchema;
  readonly signal?: AbortSignal;
}

export interface ModelReply {
  readonly text: string;
  readonly object?: unknown;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd?: number;
}

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it: it has to be validated before the call runs. */
  readonly input: unknown;
}

export interface ModelCallResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly failed: boolean;
}

export type ConversationMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ModelCall[] }
  | { readonly role: 'tool'; readonly results: readonly ModelCallResult[] };

export interface CallableTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** One step of a conversation: the model speaks, or asks for calls, or both. It runs nothing. */
export interface ConverseRequest {
  readonly messages: readonly ConversationMessage[];
  readonly system?: string;
  readonly tools?: readonly CallableTool[];
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
  /** Receives the text piece by piece, while it comes in. */
  onText?(piece: string): void;
}

export interface ConverseReply extends ModelReply {
  readonly calls: readonly ModelCall[];
  /** The limit on tokens cut it short. */
  readonly truncated: boolean;
}

/** What a model costs, in US dollars for a million tokens. */
export interface ModelPrice {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
}

/** Asks for the vector of one text. */
export interface EmbedRequest {
  readonly text: string;
  readonly signal?: AbortSignal;
}

export interface EmbedReply {
  readonly vector: readonly number[];
  /** The model that made it; vectors of two models cannot be compared. */
  readonly model: string;
  readonly inputTokens: number;
  readonly costUsd?: number;
}

export interface Model {
  /**
   * What is held before a question is sent. `unpriced`: replies never name a cost. When absent the
   * price is unknown, and `budget.unknownUsd` is held for each question.
   */
  readonly price?: ModelPrice | 'unpriced';
  /** False when none is configured; `generate` then fails with MODEL_NOT_CONFIGURED. */
  readonly configured: boolean;
  generate(request: ModelRequest): Promise<ModelReply>;
  /**
   * Continues a conversation; absent in a model that answers single questions only. Fails like
   * `generate`.
   */
  converse?(request: ConverseRequest): Promise<ConverseReply>;
  /**
   * Makes the vector of a text; absent where no model for embeddings is configured, whatever
   * `configured` says. Fails like `generate`.
   */
  embed?(request: EmbedRequest): Promise<EmbedReply>;
  /** What `embed` costs; as for `price` when absent. */
  readonly embedPrice?: ModelPrice | 'unpriced';
}
