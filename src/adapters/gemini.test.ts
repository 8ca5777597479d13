/** Runs the real Gen AI library against an endpoint on this machine. */
import { type Content, GoogleGenAI } from '@google/genai';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { adapterConformance, type ModelCall } from '../../test/conformance/adapter.ts';
import { type AdapterCrib, adapterCrib } from '../../test/fixtures/adapter-crib.ts';
import { type ScriptedServer, scriptedServer } from '../../test/fixtures/scripted-server.ts';
import type { GeminiResponsePart, GeminiTools } from '../contract/tool-sets.ts';
import { forGemini } from './gemini.ts';

let server: ScriptedServer;
let client: GoogleGenAI;
beforeAll(async () => {
  server = await scriptedServer();
  client = new GoogleGenAI({ apiKey: 'test', httpOptions: { baseUrl: server.url } });
});
afterAll(() => server.close());

const answerOf = (parts: readonly object[]) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
});

/** Text, so that arguments may hold what no object can. */
const answerThatCalls = (calls: readonly ModelCall[]): string => {
  const parts = calls.map(
    ({ id, name, arguments: text }) =>
      `{"functionCall":{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"args":${text}}}`,
  );
  return `{"candidates":[{"content":{"role":"model","parts":[${parts.join(',')}]},"finishReason":"STOP"}]}`;
};

/** What the model is sent in its second turn. */
const sentResponses = (): GeminiResponsePart['functionResponse'][] => {
  const contents = server.seen.at(-1)?.body.contents as { parts: GeminiResponsePart[] }[];
  return (contents.at(-1)?.parts ?? []).map(({ functionResponse }) => functionResponse);
};

const loop = async (set: GeminiTools, calls: readonly ModelCall[], signal?: AbortSignal) => {
  server.say(answerThatCalls(calls), answerOf([{ text: 'Done.' }]));
  const contents: Content[] = [{ role: 'user', parts: [{ text: 'Go.' }] }];
  const request = { model: 'm', contents, config: { tools: set.tools } };
  const first = await client.models.generateContent(request);
  const content = first.candidates?.[0]?.content;
  if (!content) throw new Error('No candidate.');
  const parts = await set.run(first, { ...(signal && { signal }) });
  contents.push(content, { role: 'user', parts });
  const last = await client.models.generateContent(request);
  expect(last.text).toBe('Done.');
  return sentResponses();
};

adapterConformance('Gemini', async (crib, options) => {
  const set = await forGemini(crib, options);
  return {
    names: set.tools.flatMap((tool) => tool.functionDeclarations.map(({ name }) => name)),
    async turn(calls, signal) {
      const responses = await loop(set, calls, signal);
      return responses.map(({ id = '', response }) => ({
        id,
        text: 'error' in response ? response.error : response.output,
        isError: 'error' in response,
      }));
    },
  };
});

let place: AdapterCrib;
beforeEach(async () => {
  place = await adapterCrib();
});
afterEach(() => place.close());

it('the Gen AI library calls the tools itself when it is given the callable tool', async () => {
  const { callable } = await place.crib.tools.forGemini();
  const call = { id: 'c1', name: 'append', arguments: '{"line":"x"}' };
  server.say(answerThatCalls([call]), answerOf([{ text: 'Done.' }]));
  const { text } = await client.models.generateContent({
    model: 'm',
    contents: 'Go.',
    config: { tools: [callable] },
  });
  expect(text).toBe('Done.');
  expect(sentResponses()).toEqual([{ id: 'c1', name: 'append', response: { output: 'appended' } }]);
  expect(place.ran).toEqual([{ tool: 'append', input: { line: 'x' } }]);
});

it('runs each call of Gemini that has no id, and passes images on as media', async () => {
  const set = await forGemini(place.crib);
  const parts = await set.run([
    { name: 'append', args: { line: 'x' } },
    { name: 'append', args: { line: 'x' } },
    { name: 'picture' },
  ]);
  expect(place.ran).toHaveLength(2);
  expect(parts[2]?.functionResponse).toMatchObject({
    name: 'picture',
    parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
  });
});

it('forGemini reads the calls of a response that was stored as data', async () => {
  const set = await forGemini(place.crib);
  const kept = JSON.parse(
    answerThatCalls([{ id: 'c1', name: 'append', arguments: '{"line":"x"}' }]),
  );
  expect(await set.run(kept)).toHaveLength(1);
  expect(await set.run({})).toEqual([]);
  expect(place.ran).toHaveLength(1);
});
