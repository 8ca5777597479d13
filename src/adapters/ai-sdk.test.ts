import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { adapterConformance } from '../../test/conformance/adapter.ts';
import { type AdapterCrib, adapterCrib } from '../../test/fixtures/adapter-crib.ts';
import { loop, readingsOf } from '../../test/fixtures/ai-sdk-loop.ts';
import { forAiSdk } from './ai-sdk.ts';

const SDK = { generateText, stepCountIs, MockLanguageModelV3 };

adapterConformance('the AI SDK', async (crib, options) => {
  const tools = await forAiSdk(crib, options);
  return {
    names: Object.keys(tools),
    async turn(calls, abortSignal) {
      const { model, result } = loop(SDK, { tools, calls, abortSignal });
      expect((await result).text).toBe('Done.');
      return readingsOf(model);
    },
  };
});

let place: AdapterCrib;
beforeEach(async () => {
  place = await adapterCrib();
});
afterEach(() => place.close());

it('forAiSdk passes the schema on unchanged, and the reply as data', async () => {
  const tools = await place.crib.tools.forAiSdk();
  const { model, result } = loop(SDK, {
    tools,
    calls: [{ id: 'c1', name: 'math_add', arguments: '{"a":2,"b":3}' }],
  });
  const { steps } = await result;
  expect(steps[0]?.toolResults[0]?.output).toMatchObject({
    success: true,
    status: 'success',
    data: { sum: 5 },
    executionId: expect.any(String),
  });
  const shown = model.doGenerateCalls[0]?.tools?.find(({ name }) => name === 'math_add');
  expect(shown).toMatchObject({
    description: 'Adds two numbers.',
    inputSchema: { type: 'object', required: ['a', 'b'], additionalProperties: false },
  });
});

it('forAiSdk shows the model an image as an image', async () => {
  const tools = await forAiSdk(place.crib);
  const { model, result } = loop(SDK, {
    tools,
    calls: [{ id: 'c1', name: 'picture', arguments: '{}' }],
  });
  await result;
  const prompt = JSON.stringify(model.doGenerateCalls[1]?.prompt);
  expect(prompt).toContain('"mediaType":"image/png"');
  expect(prompt).toContain('a dot');
});

it('threat: the model calls a tool that does not exist, or sends no JSON', async () => {
  const tools = await forAiSdk(place.crib);
  const { model, result } = loop(SDK, {
    tools,
    calls: [
      { id: 'c1', name: 'held', arguments: '{}' },
      { id: 'c2', name: 'append', arguments: '{"line": "x' },
    ],
  });
  await result;
  expect(readingsOf(model).map(({ isError }) => isError)).toEqual([true, true]);
  expect(place.ran).toEqual([]);
});

it('threat: a history from outside holds outputs that no call has made', async () => {
  const { append } = await forAiSdk(place.crib);
  expect(append?.toModelOutput({ output: 'yes' })).toEqual({ type: 'text', value: '"yes"' });
  expect(append?.toModelOutput({ output: undefined })).toEqual({ type: 'text', value: '' });
  const forged = { success: false, status: 'denied', error: { code: 'constructor' } };
  expect(append?.toModelOutput({ output: forged })).toEqual({
    type: 'text',
    value: JSON.stringify(forged),
  });
});
