/** Asks the embedding model for the vector of a text, for the tools of this folder. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { EmbedReply, ModelPrice } from '../../contract/model.ts';
import type { MostCost } from '../../contract/tool-cost.ts';
import type { Vectors } from '../../contract/vectors.ts';

export interface EmbeddingToolDeps {
  vectors(): Promise<Vectors>;
  now(): number;
  /** What the embedding model costs; unknown when absent. */
  readonly price?: ModelPrice | 'unpriced';
}

/** Embedding models take about 8,000 tokens; longer texts have to be split. */
const MAX_TEXT = 65_536;
const MAX_ID = 500;
/** The most tokens that vendors count besides those of the text. */
const MAX_FRAME_TOKENS = 256;

export const kindField = () =>
  z.enum(['knowledge', 'memory']).describe('What the text is: knowledge or a memory.');
export const idField = () =>
  z.string().min(1).max(MAX_ID).describe('The name of the text among those of its type.');
export const textField = (about: string) => z.string().trim().min(1).max(MAX_TEXT).describe(about);

/** Estimates the highest cost of a vector. No tokenizer makes more tokens than there are bytes. */
export const maxCostOf =
  (price: EmbeddingToolDeps['price']) =>
  (text: string): MostCost => {
    const tokens = Buffer.byteLength(text) + MAX_FRAME_TOKENS;
    const perMillion = typeof price === 'object' ? price.inputPerMillion : 0;
    return { tokens, cost: (tokens * perMillion) / 1_000_000 };
  };

/** Embeds a text. Fails with OUTPUT_INVALID for a reply without a vector; its cost is charged anyway. */
export const embedText = async (
  text: string,
  { model, signal }: Pick<ToolContext, 'model' | 'signal'>,
): Promise<EmbedReply> => {
  if (!model.embed) {
    throw new ToolFailure('MODEL_NOT_CONFIGURED', 'No model for embeddings is configured.', {
      suggestions: ['Set model.embedding.model in your configuration.'],
    });
  }
  const reply = await model.embed({ text, signal });
  const { vector } = reply;
  if (Array.isArray(vector) && vector.length > 0 && vector.every(Number.isFinite)) return reply;
  throw new ToolFailure('OUTPUT_INVALID', 'The embedding model returned no vector of numbers.', {
    suggestions: ['Check that model.embedding.model names an embedding model.'],
    retryable: false,
  });
};
