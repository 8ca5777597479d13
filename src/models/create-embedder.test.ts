/** The embedding model against an endpoint with the API of OpenAI. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  API_KEY,
  EMBEDDINGS,
  type ModelEndpoint,
  startModelEndpoint,
} from '../../test/conformance/model-endpoint.ts';
import { createCrib } from '../crib/create-crib.ts';
import { createEmbedder, embedderSettings } from './create-embedder.ts';
import type { ModelDeps } from './model-settings.ts';

let endpoint: ModelEndpoint;
beforeEach(async () => {
  endpoint = await startModelEndpoint(EMBEDDINGS);
});
afterEach(() => endpoint.close());

const deps = (secret: string | undefined = API_KEY): ModelDeps => ({
  secret: async () => secret,
  fetch: globalThis.fetch,
  now: () => 0,
});

const embedder = (more: { readonly inputPerMillion?: number } = {}, secret?: string) =>
  createEmbedder(
    { model: 'small', baseUrl: endpoint.url, apiKeyRef: 'EMBED_KEY', ...more },
    deps(secret),
  );

describe('the embedding model', () => {
  it('gives the vector of a text, its tokens and what it cost', async () => {
    endpoint.say({ text: '[0.5,-0.25]', input: 2_000_000 });
    const { embed, embedPrice } = embedder({ inputPerMillion: 0.02 });
    expect(embedPrice).toEqual({ inputPerMillion: 0.02, outputPerMillion: 0 });
    expect(await embed({ text: 'hello' })).toEqual({
      vector: [0.5, -0.25],
      model: 'small',
      inputTokens: 2_000_000,
      costUsd: 0.04,
    });
    expect(endpoint.seen).toMatchObject([{ model: 'small', input: ['hello'] }]);
    expect(embedder().embedPrice).toBe('unpriced');
    expect(await embedder().embed({ text: 'hello' })).not.toHaveProperty('costUsd');
  });

  it.each([
    [401, 'AUTH_MISSING'],
    [404, 'NOT_FOUND'],
    [429, 'RATE_LIMITED'],
    [500, 'SERVER_ERROR'],
  ])('answers status %s with %s, and never with what the endpoint said', async (status, code) => {
    endpoint.say({ status });
    const failure = await embedder()
      .embed({ text: 'hello' })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code });
    expect(String(failure)).not.toContain(API_KEY);
  });

  it('names the secret that is missing, and stops with its signal', async () => {
    const missing = createEmbedder(
      { model: 'small', baseUrl: endpoint.url, apiKeyRef: 'EMBED_KEY' },
      deps(''),
    ).embed({ text: 'x' });
    await expect(missing).rejects.toMatchObject({ code: 'AUTH_MISSING' });
    const aborted = embedder().embed({ text: 'x', signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(endpoint.seen).toEqual([]);
  });
});

describe('the settings of the embedding model', () => {
  const embedding = { model: 'small' };

  it('takes address and key of a language model at the same endpoint', () => {
    const main = {
      provider: 'openai-compatible',
      baseUrl: 'https://a/v1/',
      apiKeyRef: 'A',
    } as const;
    const settings = embedderSettings(main, embedding);
    expect(settings).toEqual({ model: 'small', baseUrl: 'https://a/v1', apiKeyRef: 'A' });
  });

  it('threat: never sends the key of one vendor to another', () => {
    const anthropic = { provider: 'anthropic', apiKeyRef: 'A' } as const;
    expect(embedderSettings(anthropic, embedding)).toEqual({
      model: 'small',
      baseUrl: 'https://api.openai.com/v1',
    });
    const main = {
      provider: 'openai-compatible',
      baseUrl: 'https://a/v1',
      apiKeyRef: 'A',
    } as const;
    const elsewhere = { ...embedding, baseUrl: 'https://b/v1' };
    expect(embedderSettings(main, elsewhere)).not.toHaveProperty('apiKeyRef');
  });
});

it('a crib with model.embedding embeds and searches, and counts the cost of both', async () => {
  endpoint.say({ text: '[3,4]', input: 1_000 });
  const crib = await createCrib({
    store: 'memory',
    builtins: false,
    secrets: { get: async () => API_KEY },
    config: {
      egress: { allowPrivate: ['127.0.0.1'] },
      model: {
        provider: 'anthropic',
        model: 'm',
        apiKeyRef: 'A_KEY',
        embedding: {
          model: 'small',
          baseUrl: endpoint.url,
          apiKeyRef: 'E_KEY',
          inputUsdPerMillion: 20,
        },
      },
    },
  });
  const saved = await crib.execute('save_embedding', { type: 'memory', id: 'a', content: 'text' });
  expect(saved).toMatchObject({ success: true, data: { model: 'small', vectorDimensions: 2 } });
  expect(saved.metadata.cost).toBeCloseTo(0.02);
  const { data, metadata } = await crib.execute('search_embeddings', { query: 'text' });
  expect(data).toMatchObject({ matches: [{ type: 'memory', id: 'a', score: expect.closeTo(1) }] });
  expect(metadata.cost).toBeCloseTo(0.02);
  const types = crib.jobs.enqueue('generate_embedding', { type: 'memory', id: 'b', content: 'x' });
  expect(await types).toMatch(/./);
  await crib.close();
});
