/** The configured embedding model: any endpoint with the embeddings API of OpenAI. */
import { ToolFailure } from '../contract/errors.ts';
import type { Model } from '../contract/model.ts';
import { modelFailure } from './model-failure.ts';
import { type ModelDeps, type ModelSettings, modelBaseUrl } from './model-settings.ts';
import { loadLibrary } from './vendor-models.ts';

export interface EmbedderSettings {
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKeyRef?: string;
  readonly inputPerMillion?: number;
}

/** Makes the parts of a model that concern vectors. */
export type Embedder = Required<Pick<Model, 'embed' | 'embedPrice'>>;

const PACKAGES = ['ai@6', '@ai-sdk/openai-compatible@2'];

const keyFor = async (
  { apiKeyRef }: EmbedderSettings,
  { secret }: ModelDeps,
): Promise<string | undefined> => {
  if (apiKeyRef === undefined) return undefined;
  const key = await secret(apiKeyRef);
  if (key !== undefined && key !== '') return key;
  throw new ToolFailure('AUTH_MISSING', `There is no secret ${apiKeyRef} for embeddings.`, {
    suggestions: [`toolcrib secrets set ${apiKeyRef}`],
  });
};

const openModel = async (settings: EmbedderSettings, deps: ModelDeps) => {
  const library = await loadLibrary(PACKAGES, () => import('@ai-sdk/openai-compatible'));
  const apiKey = await keyFor(settings, deps);
  const provider = library.createOpenAICompatible({
    name: 'openaiCompatible',
    baseURL: settings.baseUrl.replace(/\/+$/, ''),
    fetch: deps.fetch,
    ...(apiKey !== undefined && { apiKey }),
  });
  return provider.embeddingModel(settings.model);
};

const count = (tokens: number): number => (Number.isFinite(tokens) && tokens > 0 ? tokens : 0);

interface ConfiguredEmbedding extends Partial<Pick<ModelSettings, 'baseUrl' | 'apiKeyRef'>> {
  readonly model: string;
  readonly inputUsdPerMillion?: number;
}

/** Fills in the address and the key of the language model where it speaks the same protocol. */
export const embedderSettings = (
  { provider, baseUrl, apiKeyRef }: Pick<ModelSettings, 'provider' | 'baseUrl' | 'apiKeyRef'>,
  embedding: ConfiguredEmbedding,
): EmbedderSettings => {
  const { inputUsdPerMillion: inputPerMillion, ...own } = embedding;
  const isSame = provider === 'openai-compatible' && own.baseUrl === undefined;
  const address = own.baseUrl ?? (isSame ? baseUrl : undefined);
  return {
    model: own.model,
    baseUrl: modelBaseUrl({
      provider: 'openai-compatible',
      model: own.model,
      ...(address !== undefined && { baseUrl: address }),
    }),
    // A key goes to the endpoint that it is for, and to no other.
    ...(own.apiKeyRef !== undefined
      ? { apiKeyRef: own.apiKeyRef }
      : isSame && apiKeyRef !== undefined && { apiKeyRef }),
    ...(inputPerMillion !== undefined && { inputPerMillion }),
  };
};

/** Creates the embedder. Fails with a code of the table, never with the endpoint's own message. */
export const createEmbedder = (settings: EmbedderSettings, deps: ModelDeps): Embedder => {
  const { inputPerMillion } = settings;
  return {
    embedPrice:
      inputPerMillion === undefined ? 'unpriced' : { inputPerMillion, outputPerMillion: 0 },
    embed: async ({ text, signal }) => {
      try {
        signal?.throwIfAborted();
        const model = await openModel(settings, deps);
        // The model itself and not `embed` of the library, which prints warnings to the console.
        const reply = await model.doEmbed({
          values: [text],
          ...(signal && { abortSignal: signal }),
        });
        const inputTokens = count(reply.usage?.tokens ?? 0);
        return {
          vector: reply.embeddings[0] ?? [],
          model: settings.model,
          inputTokens,
          ...(inputPerMillion !== undefined && {
            costUsd: (inputTokens * inputPerMillion) / 1_000_000,
          }),
        };
      } catch (error) {
        throw modelFailure(error, { signal, now: deps.now });
      }
    },
  };
};
