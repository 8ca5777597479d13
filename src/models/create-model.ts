/**
 * The configured language model, by the library of its vendor: one question and its answer, or one
 * step of a conversation. The library is loaded, and the key asked for, with the first question.
 */
import { ToolFailure } from '../contract/errors.ts';
import type { Model, ModelReply, ModelRequest } from '../contract/model.ts';
import { converseStep } from './converse-step.ts';
import { modelFailure } from './model-failure.ts';
import {
  type ModelDeps,
  type ModelPricing,
  type ModelSettings,
  modelBaseUrl,
  type VendorModel,
} from './model-settings.ts';
import { objectShape } from './object-shape.ts';
import { silentModel } from './silent-model.ts';
import { loadLibrary, VENDORS } from './vendor-models.ts';

/** Gives the address of requests, which the egress has to allow. */
export const modelAddress = (settings: ModelSettings): URL => new URL(modelBaseUrl(settings));

const keyFor = async (
  { apiKeyRef }: ModelSettings,
  { secret }: ModelDeps,
): Promise<string | undefined> => {
  if (apiKeyRef === undefined) return undefined;
  const key = await secret(apiKeyRef);
  if (key !== undefined && key !== '') return key;
  throw new ToolFailure('AUTH_MISSING', `There is no secret ${apiKeyRef} for the model.`, {
    suggestions: [`toolcrib secrets set ${apiKeyRef}`, `Or set ${apiKeyRef} in the environment.`],
  });
};

const openLanguageModel = async (settings: ModelSettings, deps: ModelDeps): Promise<VendorModel> =>
  VENDORS[settings.provider]({
    settings,
    baseUrl: modelBaseUrl(settings),
    apiKey: await keyFor(settings, deps),
    fetch: deps.fetch,
  });

const costOf = (pricing: ModelPricing, input: number, output: number): number =>
  (input * pricing.inputPerMillion + output * pricing.outputPerMillion) / 1_000_000;

/** Providers leave counts out, or send ones that are no numbers. */
const count = (tokens: number | undefined): number =>
  tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? tokens : 0;

interface Answer {
  readonly text: string;
  readonly usage: {
    readonly inputTokens: number | undefined;
    readonly outputTokens: number | undefined;
  };
  readonly modelId: string | undefined;
  readonly object?: unknown;
}

const replyOf = (answer: Answer, { model, pricing }: ModelSettings): ModelReply => {
  const inputTokens = count(answer.usage.inputTokens);
  const outputTokens = count(answer.usage.outputTokens);
  return {
    text: answer.text,
    model: answer.modelId || model,
    inputTokens,
    outputTokens,
    ...(answer.object !== undefined && { object: answer.object }),
    ...(pricing && { costUsd: costOf(pricing, inputTokens, outputTokens) }),
  };
};

/** Adds the schema to the system prompt for an endpoint that takes no schema. */
const systemOf = (
  { system, schema }: ModelRequest,
  { structuredOutputs }: ModelSettings,
): string | undefined => {
  if (schema === undefined || structuredOutputs !== false) return system;
  const shape = `Answer with one JSON value, and nothing else, that fits this JSON Schema:\n${JSON.stringify(objectShape(schema).schema)}`;
  return system === undefined ? shape : `${system}\n\n${shape}`;
};

type Library = typeof import('ai');

/** Vendors refuse a schema that is not strict in their sense, and callers' schemas need not be. */
const LOOSE = { openaiCompatible: { strictJsonSchema: false } };

const ask = async (
  library: Library,
  model: VendorModel,
  { request, settings }: { request: ModelRequest; settings: ModelSettings },
): Promise<Answer> => {
  const { prompt, schema, maxTokens, temperature, signal } = request;
  const system = systemOf(request, settings);
  const options = {
    model: silentModel(library, model),
    prompt,
    maxRetries: 0,
    providerOptions: LOOSE,
    ...(system !== undefined && { system }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(signal && { abortSignal: signal }),
  };
  if (schema === undefined) {
    const { text, usage, response } = await library.generateText(options);
    return { text, usage, modelId: response.modelId };
  }
  const shape = objectShape(schema);
  const output = library.Output.object({ schema: library.jsonSchema<unknown>(shape.schema) });
  const result = await library.generateText({ ...options, output });
  const { text, usage, response } = result;
  // Cut short by the token limit, there is text but no object, and asking for it throws.
  const object = result.finishReason === 'stop' ? shape.unwrap(result.output) : undefined;
  return { text, usage, modelId: response.modelId, object };
};

/** Makes a reply without an object of an answer that is no JSON, because it was paid for. */
const asAnswer = (library: Library, error: unknown): Answer => {
  if (!library.NoObjectGeneratedError.isInstance(error)) throw error;
  const { text = '', usage, response } = error;
  const { inputTokens, outputTokens } = usage ?? {};
  return { text, usage: { inputTokens, outputTokens }, modelId: response?.modelId };
};

/** Creates the model. Its operations fail with a code of the table, never with the endpoint's own message. */
export const createModel = (settings: ModelSettings, deps: ModelDeps): Model => {
  const packages = ['ai@6', `@ai-sdk/${settings.provider}`];
  const opened = async <T>(
    signal: AbortSignal | undefined,
    use: (library: Library, model: VendorModel) => Promise<T>,
  ): Promise<T> => {
    try {
      signal?.throwIfAborted();
      // Opened for each question, which costs little, so that a new key counts at once.
      const model = await openLanguageModel(settings, deps);
      return await use(await loadLibrary(packages, () => import('ai')), model);
    } catch (error) {
      throw modelFailure(error, { signal, now: deps.now });
    }
  };
  return {
    configured: true,
    price: settings.pricing ?? 'unpriced',
    generate: (request) =>
      opened(request.signal, async (library, model) => {
        const answer = await ask(library, model, { request, settings }).catch((error: unknown) =>
          asAnswer(library, error),
        );
        return replyOf(answer, settings);
      }),
    converse: (request) =>
      opened(request.signal, async (library, model) => {
        const { calls, truncated, ...answer } = await converseStep(library, model, request);
        return { ...replyOf(answer, settings), calls, truncated };
      }),
  };
};
