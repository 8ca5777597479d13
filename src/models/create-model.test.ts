/** The drivers for OpenAI-compatible endpoints and for Anthropic: the suite, and what is theirs. */
import { describe, expect, it, vi } from 'vitest';
import { describeModel, type ModelFixture } from '../../test/conformance/model.ts';
import {
  ANTHROPIC,
  API_KEY,
  MODEL,
  type ModelEndpoint,
  OPENAI,
  startModelEndpoint,
} from '../../test/conformance/model-endpoint.ts';
import { ToolFailure } from '../contract/errors.ts';
import { createModel, modelAddress } from './create-model.ts';
import type { ModelDeps, ModelSettings } from './model-settings.ts';
import { loadLibrary } from './vendor-models.ts';

const deps = (secret?: string): ModelDeps => ({
  secret: async (key) => (key === 'MODEL_KEY' ? secret : undefined),
  fetch: globalThis.fetch,
  now: () => 0,
});

const fixtureOf = (
  provider: ModelSettings['provider'],
  start: () => Promise<ModelEndpoint>,
): ModelFixture => ({
  start,
  open: (baseUrl, { secret, pricing } = {}) =>
    createModel(
      {
        provider,
        baseUrl,
        model: MODEL,
        apiKeyRef: 'MODEL_KEY',
        ...(pricing && { pricing: { inputPerMillion: 3, outputPerMillion: 15 } }),
      },
      deps(secret),
    ),
});

describeModel(
  'openai-compatible',
  fixtureOf('openai-compatible', () => startModelEndpoint(OPENAI)),
);
describeModel(
  'anthropic',
  fixtureOf('anthropic', () => startModelEndpoint(ANTHROPIC)),
);

const using = async (
  endpoint: ModelEndpoint,
  test: (endpoint: ModelEndpoint) => Promise<void>,
): Promise<void> => {
  try {
    await test(endpoint);
  } finally {
    await endpoint.close();
  }
};

const SCHEMA = { type: 'object', properties: { a: { type: 'integer' } } };

describe('openai-compatible', () => {
  it('sends json_schema without strict mode, because the schema is the caller’s', async () => {
    await using(await startModelEndpoint(OPENAI, { open: true }), async ({ url, seen, say }) => {
      const settings = { provider: 'openai-compatible', baseUrl: `${url}/`, model: 'm' } as const;
      say({ text: '{"a":1}' });
      await createModel(settings, deps()).generate({ prompt: 'x', schema: SCHEMA });
      expect(seen[0]?.response_format).toMatchObject({
        type: 'json_schema',
        json_schema: { schema: SCHEMA, strict: false },
      });
    });
  });

  it('describes the shape in words where the endpoint takes no schema', async () => {
    await using(await startModelEndpoint(OPENAI, { open: true }), async ({ url, seen, say }) => {
      const model = createModel(
        { provider: 'openai-compatible', baseUrl: url, model: 'm', structuredOutputs: false },
        deps(),
      );
      say({ text: '{"a":1}' });
      for (const system of [undefined, 'Be brief']) {
        const asked = { prompt: 'x', schema: SCHEMA, ...(system && { system }) };
        expect((await model.generate(asked)).object).toEqual({ a: 1 });
      }
      expect(seen[0]?.response_format).toEqual({ type: 'json_object' });
      expect(JSON.stringify(seen[0]?.messages)).toContain('integer');
      expect(JSON.stringify(seen[1]?.messages)).toContain('Be brief');
    });
  });

  it('gives no object that was cut short, nor one with a prototype in it', async () => {
    await using(await startModelEndpoint(OPENAI, { open: true }), async ({ url, say }) => {
      const settings = { provider: 'openai-compatible', baseUrl: url, model: 'm' } as const;
      for (const script of [
        { text: '{"a":1', finish: 'length' as const },
        { text: '{"__proto__":{"a":1}}' },
      ]) {
        say(script);
        const reply = await createModel(settings, deps()).generate({ prompt: 'x', schema: SCHEMA });
        expect(reply.object).toBeUndefined();
        expect(reply.inputTokens).toBe(11);
      }
    });
  });

  it('prints nothing on the console of the host', async () => {
    const spies = (['log', 'info', 'warn', 'error'] as const).map((name) =>
      vi.spyOn(console, name),
    );
    await using(await startModelEndpoint(OPENAI, { open: true }), async ({ url, say }) => {
      say({ text: '{}' });
      const model = createModel(
        { provider: 'openai-compatible', baseUrl: url, model: 'm', structuredOutputs: false },
        deps(),
      );
      await model.generate({ prompt: 'x', schema: SCHEMA });
    });
    for (const spy of spies) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });
});

describe('anthropic', () => {
  it('never takes a key or an address from the environment', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'from-the-environment');
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:9/v1');
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      asked.push(String(input));
      throw new ToolFailure('PERMISSION_DENIED', 'The host is not allowed.');
    };
    const settings = { provider: 'anthropic', model: MODEL } as const;
    await expect(
      createModel(settings, { ...deps(), fetch }).generate({ prompt: 'x' }),
    ).rejects.toMatchObject({ code: 'AUTH_MISSING' });
    // The failure of the egress guard is passed on as it is.
    await expect(
      createModel({ ...settings, apiKeyRef: 'MODEL_KEY' }, { ...deps(API_KEY), fetch }).generate({
        prompt: 'x',
      }),
    ).rejects.toMatchObject({ code: 'PERMISSION_DENIED', message: 'The host is not allowed.' });
    vi.unstubAllEnvs();
    expect(asked).toEqual(['https://api.anthropic.com/v1/messages']);
  });

  it('asks for an object by a tool the model must use', async () => {
    await using(await startModelEndpoint(ANTHROPIC), async ({ url, seen, say }) => {
      say({ text: '{"a":1}' });
      const settings = { provider: 'anthropic', baseUrl: url, model: MODEL } as const;
      const model = createModel({ ...settings, apiKeyRef: 'MODEL_KEY' }, deps(API_KEY));
      await model.generate({ prompt: 'x', schema: SCHEMA });
      expect(seen[0]).toMatchObject({ tools: [{ name: 'json', input_schema: SCHEMA }] });
      expect(seen[0]?.tool_choice).toMatchObject({ type: 'any' });
    });
  });

  it('asks newer models for an object by its format', async () => {
    await using(await startModelEndpoint(ANTHROPIC), async ({ url, seen, say }) => {
      say({ text: '{"a":1}' });
      const settings = { provider: 'anthropic', baseUrl: url, model: 'claude-haiku-4-5' } as const;
      const model = createModel({ ...settings, apiKeyRef: 'MODEL_KEY' }, deps(API_KEY));
      const { object } = await model.generate({ prompt: 'x', schema: SCHEMA });
      expect(object).toEqual({ a: 1 });
      expect(seen[0]?.output_config).toMatchObject({
        format: { type: 'json_schema', schema: { type: 'object' } },
      });
    });
  });
});

describe('a model', () => {
  it.each([
    ['openai-compatible', OPENAI],
    ['anthropic', ANTHROPIC],
  ] as const)(
    '%s: a schema of a list is asked for inside an object',
    async (provider, protocol) => {
      await using(await startModelEndpoint(protocol), async ({ url, seen, say }) => {
        const settings = { provider, baseUrl: url, model: MODEL, apiKeyRef: 'MODEL_KEY' } as const;
        const model = createModel(settings, deps(API_KEY));
        say({ text: '{"value":[1,2]}' });
        const schema = {
          type: 'array',
          items: { $ref: '#/$defs/n' },
          $defs: { n: { type: 'number' } },
        };
        expect((await model.generate({ prompt: 'x', schema })).object).toEqual([1, 2]);
        expect(JSON.stringify(seen[0])).toContain('"$defs":{"n":{"type":"number"}}');
        say({ text: '{"other":1}' });
        expect((await model.generate({ prompt: 'x', schema })).object).toBeUndefined();
      });
    },
  );

  it('gives the egress the address of its requests', () => {
    const at = (settings: Partial<ModelSettings>): string =>
      modelAddress({ provider: 'anthropic', model: 'm', ...settings }).href;
    expect(at({})).toBe('https://api.anthropic.com/v1');
    expect(at({ provider: 'openai-compatible' })).toBe('https://api.openai.com/v1');
    expect(at({ baseUrl: 'http://localhost:11434/v1/' })).toBe('http://localhost:11434/v1');
  });

  it('says what to install when a library is missing, and leaves other errors alone', async () => {
    const missing = Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(loadLibrary(['ai@6'], () => Promise.reject(missing))).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
      extras: { suggestions: ['npm install ai@6'] },
    });
    await expect(loadLibrary([], () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  });
});
