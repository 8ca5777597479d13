/** The tools that ask a model, over HTTP, at endpoints that speak the vendors' protocols. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ANTHROPIC,
  API_KEY,
  MODEL,
  type ModelEndpoint,
  OPENAI,
  startModelEndpoint,
} from '../../../test/conformance/model-endpoint.ts';
import { runTool } from '../../../test/fixtures/run-tool.ts';
import { fakeContext } from '../../../test/fixtures/tool-context.ts';
import type { ToolContext, Usage } from '../../contract/context.ts';
import { createModel } from '../../models/create-model.ts';
import { createNoModel } from '../../models/no-model.ts';
import { jsonParser } from '../validation/json-parser.ts';
import { deepReasoning } from './deep-reasoning.ts';
import { textTransform } from './text-transform.ts';

const PROVIDERS = [
  ['openai-compatible', OPENAI],
  ['anthropic', ANTHROPIC],
] as const;

describe.each(PROVIDERS)('by model: %s', (provider, protocol) => {
  let endpoint: ModelEndpoint;
  let charged: Usage[];
  let warnings: string[];

  const context = (overrides: Partial<ToolContext> = {}): ToolContext =>
    fakeContext({
      model: createModel(
        {
          provider,
          baseUrl: endpoint.url,
          model: MODEL,
          apiKeyRef: 'K',
          pricing: { inputPerMillion: 1000, outputPerMillion: 2000 },
        },
        { secret: async () => API_KEY, fetch: globalThis.fetch, now: () => 0 },
      ),
      charge: (usage) => void charged.push(usage),
      warn: (message) => void warnings.push(message),
      ...overrides,
    });

  beforeEach(async () => {
    endpoint = await startModelEndpoint(protocol);
    charged = [];
    warnings = [];
  });
  afterEach(() => endpoint.close());

  const THOUGHT = '{"steps":["2k+1 + 2m+1","= 2(k+m+1)"],"answer":"Yes, always."}';

  it.each(deepReasoning.examples ?? [])('deep_reasoning: $title', async ({ input }) => {
    endpoint.say({ text: THOUGHT, input: 100, output: 50 });
    const { depth } = input as { depth: string };
    const calls = depth === 'deep' ? 2 : 1;
    expect(await runTool(deepReasoning, input, context())).toEqual({
      answer: 'Yes, always.',
      steps: ['2k+1 + 2m+1', '= 2(k+m+1)'],
      reasoning: '2k+1 + 2m+1\n= 2(k+m+1)',
      reviewed: depth === 'deep',
      model: `${MODEL}-0613`,
      tokensUsed: 150 * calls,
    });
    expect(endpoint.seen).toHaveLength(calls);
    expect(charged).toEqual(Array.from({ length: calls }, () => ({ tokens: 150, cost: 0.2 })));
  });

  it('deep_reasoning: gives the problem, the context and the steps to the model', async () => {
    endpoint.say({ text: THOUGHT });
    const asked = { problem: 'Why 42?', context: 'A book.', steps: 4 };
    await runTool(deepReasoning, asked, context());
    const sent = JSON.stringify(endpoint.seen[0]);
    for (const part of ['Why 42?', 'A book.', 'at most 4 steps']) expect(sent).toContain(part);
  });

  it('deep_reasoning: an error of the endpoint keeps its code', async () => {
    endpoint.say({ status: 429, headers: { 'retry-after': '2' } });
    await expect(runTool(deepReasoning, { problem: 'x' }, context())).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      extras: { retryAfterMs: 2000 },
    });
    expect(charged).toEqual([]);
  });

  it('json_parser: fills a schema from prose, and charges for it', async () => {
    endpoint.say({ text: '{"name":"Ada","born":1815}', input: 40, output: 10 });
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, born: { type: 'integer' } },
      required: ['name', 'born'],
    };
    const asked = { text: 'Ada was born in 1815.', schema };
    expect(await runTool(jsonParser, asked, context())).toMatchObject({
      data: { name: 'Ada', born: 1815 },
      method: 'model_extraction',
      valid: true,
    });
    expect(charged).toEqual([{ tokens: 50, cost: 0.06 }]);
  });

  it('json_parser: says when the model did not keep to the schema, or gave no JSON', async () => {
    const asked = { text: 'Ada', schema: { properties: { born: { type: 'integer' } } } };
    endpoint.say({ text: '{"born":"soon"}' });
    expect(await runTool(jsonParser, asked, context())).toMatchObject({ valid: false });
    endpoint.say({ text: 'Sorry.' });
    await expect(runTool(jsonParser, asked, context())).rejects.toMatchObject({
      code: 'OUTPUT_INVALID',
    });
    expect(charged).toHaveLength(2);
  });

  it('text_transform: translates, and an empty answer is an error that was paid for', async () => {
    endpoint.say({ text: 'Guten Tag', input: 20, output: 5 });
    const asked = { text: 'Hello', operation: 'translate', options: { targetLanguage: 'German' } };
    expect(await runTool(textTransform, asked, context())).toMatchObject({ text: 'Guten Tag' });
    endpoint.say({ text: ' ' });
    await expect(runTool(textTransform, asked, context())).rejects.toMatchObject({
      code: 'SERVER_ERROR',
    });
    expect(charged).toHaveLength(2);
  });
});

describe('deep_reasoning', () => {
  const replies = (...texts: readonly string[]): ToolContext['model'] => {
    const left = [...texts];
    return {
      configured: true,
      generate: async () => ({
        text: left.shift() ?? '',
        model: 'm',
        inputTokens: 1,
        outputTokens: 1,
      }),
    };
  };

  it('says how to configure a model when there is none', async () => {
    const context = fakeContext({ model: createNoModel() });
    await expect(runTool(deepReasoning, { problem: 'x' }, context)).rejects.toMatchObject({
      code: 'MODEL_NOT_CONFIGURED',
      extras: {
        suggestions: [expect.stringContaining('model:'), expect.stringContaining('secrets')],
      },
    });
  });

  it('takes prose for what it is', async () => {
    const context = fakeContext({ model: replies('First this.\n\nThen that.\n\nSo: 7') });
    expect(await runTool(deepReasoning, { problem: 'x' }, context)).toMatchObject({
      steps: ['First this.', 'Then that.'],
      answer: 'So: 7',
    });
  });

  it('keeps the answer when the check says nothing, and fails when there is no answer', async () => {
    const warnings: string[] = [];
    const context = fakeContext({
      model: replies('It is 7.', ''),
      warn: (message) => void warnings.push(message),
    });
    const asked = { problem: 'x', depth: 'deep' };
    expect(await runTool(deepReasoning, asked, context)).toMatchObject({
      answer: 'It is 7.',
      reviewed: false,
    });
    expect(warnings).toHaveLength(1);
    const silent = fakeContext({ model: replies('  ') });
    await expect(runTool(deepReasoning, asked, silent)).rejects.toMatchObject({
      code: 'SERVER_ERROR',
    });
  });

  it.each([
    {},
    { problem: ' ' },
    { problem: 'x', depth: 'constructor' },
    { problem: 'x', steps: 0 },
    { problem: 'x', other: 1 },
  ])('refuses wrong input %#', async (input) => {
    await expect(runTool(deepReasoning, input, fakeContext())).rejects.toThrow(
      expect.objectContaining({ name: 'ZodError' }),
    );
  });
});
