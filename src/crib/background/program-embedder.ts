/** Adapts the embedding service of the program to a model. */
import type { Embeddings } from '../../contract/background-services.ts';
import type { EmbedReply, Model } from '../../contract/model.ts';

type Embedder = Pick<Model, 'embed' | 'embedPrice'>;

/** The model name of vectors when the program names none. */
const PROGRAM_MODEL = 'program';

const replyOf = (reply: Awaited<ReturnType<Embeddings['generate']>>, model: string): EmbedReply =>
  'vector' in reply
    ? { inputTokens: 0, ...reply, model }
    : { vector: reply, model, inputTokens: 0 };

/** Makes an embedder of the program's service. */
export const programEmbedder = (embeddings: Embeddings): Embedder => ({
  embedPrice: embeddings.price ?? 'unpriced',
  embed: async ({ text, signal = new AbortController().signal }) =>
    replyOf(await embeddings.generate(text, signal), embeddings.model ?? PROGRAM_MODEL),
});
