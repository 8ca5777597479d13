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

export interface Model {
  /** False when none is configured; `generate` then fails with MODEL_NOT_CONFIGURED. */
  readonly configured: boolean;
  generate(request: ModelRequest): Promise<ModelReply>;
}
