import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { adapterConformance, type ModelCall } from '../../test/conformance/adapter.ts';
import { type AdapterCrib, adapterCrib } from '../../test/fixtures/adapter-crib.ts';
import { type ScriptedServer, scriptedServer } from '../../test/fixtures/scripted-server.ts';
import { aTool } from '../../test/fixtures/test-crib.ts';
import type { OpenAiTools } from '../contract/tool-sets.ts';
import { forOpenAI } from './openai.ts';

let server: ScriptedServer;
let client: OpenAI;
beforeAll(async () => {
  server = await scriptedServer();
  client = new OpenAI({ baseURL: server.url, apiKey: 'test', maxRetries: 0 });
});
afterAll(() => server.close());

const completion = (message: object) => ({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', ...message } }],
});

const chatLoop = async (set: OpenAiTools, calls: readonly ModelCall[], signal?: AbortSignal) => {
  const tool_calls = calls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }));
  server.say(completion({ content: null, tool_calls }), completion({ content: 'Done.' }));
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Go.' }];
  const request = { model: 'm', messages, tools: set.tools };
  const first = await client.chat.completions.create(request);
  const [choice] = first.choices;
  if (!choice) throw new Error('No choice.');
  messages.push(choice.message, ...(await set.run(first, { ...(signal && { signal }) })));
  const last = await client.chat.completions.create(request);
  expect(last.choices[0]?.message.content).toBe('Done.');
  const sent = server.seen.at(-1)?.body.messages as { role: string }[];
  return sent.filter(({ role }) => role === 'tool') as unknown as {
    tool_call_id: string;
    content: string;
  }[];
};

const responseOf = (output: readonly object[]) => ({
  id: 'r',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'completed',
  output,
});

const responsesLoop = async (
  set: OpenAiTools,
  calls: readonly ModelCall[],
  signal?: AbortSignal,
) => {
  const items = calls.map(({ id, name, arguments: text }) => ({
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: text,
    status: 'completed',
  }));
  const text = { type: 'output_text', text: 'Done.', annotations: [] };
  const message = { type: 'message', id: 'm', role: 'assistant', content: [text] };
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
  server.say(responseOf([reasoning, ...items]), responseOf([message]));
  const input: ResponseInput = [{ role: 'user', content: 'Go.' }];
  const request = { model: 'm', input, tools: set.responsesTools };
  const first = await client.responses.create(request);
  input.push(
    ...(first.output as ResponseInput),
    ...(await set.run(first, { ...(signal && { signal }) })),
  );
  const last = await client.responses.create(request);
  expect(last.output_text).toBe('Done.');
  const sent = server.seen.at(-1)?.body.input as { type?: string }[];
  return sent.filter(({ type }) => type === 'function_call_output') as unknown as {
    call_id: string;
    output: string;
  }[];
};

adapterConformance('chat completions of OpenAI', async (crib, options) => {
  const set = await forOpenAI(crib, options);
  return {
    names: set.tools.map((tool) => tool.function.name),
    async turn(calls, signal) {
      const messages = await chatLoop(set, calls, signal);
      return messages.map(({ tool_call_id: id, content: text }) => ({
        id,
        text,
        isError: undefined,
      }));
    },
  };
});

adapterConformance('responses of OpenAI', async (crib, options) => {
  const set = await forOpenAI(crib, options);
  return {
    names: set.responsesTools.map(({ name }) => name),
    async turn(calls, signal) {
      const outputs = await responsesLoop(set, calls, signal);
      return outputs.map(({ call_id: id, output: text }) => ({ id, text, isError: undefined }));
    },
  };
});

describe('beyond what all adapters do, that for OpenAI', () => {
  let place: AdapterCrib;
  beforeEach(async () => {
    place = await adapterCrib();
  });
  afterEach(() => place.close());

  const answers = async (calls: readonly ModelCall[]): Promise<readonly string[]> =>
    (await chatLoop(await forOpenAI(place.crib), calls)).map(({ content }) => content);

  it('sends strict definitions and takes nulls for fields that were left out', async () => {
    const set = await place.crib.tools.forOpenAI({ names: ['math.add'] });
    expect(set.tools[0]).toMatchObject({
      type: 'function',
      function: {
        name: 'math_add',
        strict: true,
        parameters: {
          required: ['a', 'b', 'label'],
          properties: { label: { type: ['string', 'null'] } },
        },
      },
    });
    const [message] = await chatLoop(set, [
      { id: 'c1', name: 'math_add', arguments: '{"a":1,"b":2,"label":null}' },
    ]);
    expect(message?.content).toBe('{"sum":3}');
    expect(place.ran).toEqual([{ tool: 'math.add', input: { a: 1, b: 2 } }]);
    const [refused] = await chatLoop(set, [
      { id: 'c2', name: 'math_add', arguments: '{"a":1,"b":null,"label":"x"}' },
    ]);
    expect(refused?.content).toMatch(/VALIDATION_ERROR[\s\S]*b/);
  });

  it('tells what its dialect cannot express, and which tools are its own', async () => {
    place.crib.tools.register(
      aTool({ name: 'long', input: z.object({ x: z.string().min(3) }) as never }),
    );
    const set = await forOpenAI(place.crib, { names: ['long', 'append'] });
    expect(set.losses).toContainEqual({ tool: 'long', path: '/properties/x', lost: 'minLength' });
    expect(set.losses.every(({ tool }) => tool === 'long')).toBe(true);
    expect([set.has('append'), set.has('pay'), set.has('__proto__')]).toEqual([true, false, false]);
  });

  it('shows the version that the filter asks for, and runs that one', async () => {
    for (const version of ['1.0.0', '2.0.0']) {
      place.crib.tools.register(aTool({ name: 'both', version, run: () => version }));
    }
    const set = await forOpenAI(place.crib, { names: ['both'], filter: { range: '^1.0.0' } });
    const [message] = await chatLoop(set, [{ id: 'c1', name: 'both', arguments: '{}' }]);
    expect(message?.content).toBe('1.0.0');
  });

  it('takes a message or its calls as well as the whole completion, and empty arguments', async () => {
    const set = await forOpenAI(place.crib);
    const call = { id: 'c1', function: { name: 'picture', arguments: '' } };
    const messages = await set.run([call]);
    expect(messages).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: 'a dot\n[An image was left out.]' },
    ]);
    expect(await set.run({ role: 'assistant', tool_calls: [call] })).toEqual(messages);
    expect(await set.run({ role: 'assistant', tool_calls: null })).toEqual([]);
    expect(await set.run({ output: [{ type: 'message' }] })).toEqual([]);
  });

  it('threat: the model calls a tool that does not exist: told so, and on record', async () => {
    const [first] = await answers([{ id: 'c1', name: 'apend', arguments: '{}' }]);
    expect(first).toMatch(/TOOL_NOT_FOUND[\s\S]*Did you mean append\?/);
    const rows = await place.crib.audit.query({ tool: 'apend' });
    expect(rows).toMatchObject([{ code: 'TOOL_NOT_FOUND' }]);
  });

  it('threat: the model calls what exists and was not shown to it', async () => {
    const set = await forOpenAI(place.crib, { filter: { tier: ['read_only'] } });
    const names = ['append', 'held', 'switched_off', 'math.add', 'constructor', '__proto__', ''];
    const calls = names.map((name, at) => ({ id: `c${at}`, name, arguments: '{"line":"x"}' }));
    const replies = await chatLoop(set, calls);
    expect(replies).toHaveLength(names.length);
    for (const { content } of replies) expect(content).toContain('TOOL_NOT_FOUND');
    expect(replies.map(({ content }) => content).join()).not.toContain('Did you mean held');
    expect(place.ran).toEqual([]);
  });

  it('threat: the search surface is the only way to the tools behind it', async () => {
    const set = await forOpenAI(place.crib, { surface: 'search' });
    const [reply] = await chatLoop(set, [{ id: 'c1', name: 'append', arguments: '{"line":"x"}' }]);
    expect(reply?.content).toContain('TOOL_NOT_FOUND');
    expect(place.ran).toEqual([]);
  });

  it.each([
    ['cut off', '{"line":"x'],
    ['two values', '{"line":"x"}{"line":"y"}'],
    ['prose', 'Sure! Here you go'],
  ])('threat: arguments that are not JSON: %s', async (_what, text) => {
    const [reply] = await answers([{ id: 'c1', name: 'append', arguments: text }]);
    expect(reply).toMatch(/VALIDATION_ERROR: The arguments are not JSON/);
    expect(reply).not.toContain(text);
    expect(place.ran).toEqual([]);
  });

  it.each([
    ['null', 'null'],
    ['a list', '[{"line":"x"}]'],
    ['a text', '"line"'],
    ['nesting beyond measure', `${'{"line":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ])('threat: arguments that are no object: %s', async (_what, text) => {
    const [reply] = await answers([{ id: 'c1', name: 'append', arguments: text }]);
    expect(reply).toMatch(/VALIDATION_ERROR/);
    expect(place.ran).toEqual([]);
  });

  it('threat: one id for calls of two tools: the second is not run', async () => {
    const [first, second] = await answers([
      { id: 'same', name: 'math_add', arguments: '{"a":1,"b":1}' },
      { id: 'same', name: 'append', arguments: '{"line":"x"}' },
    ]);
    expect(first).toBe('{"sum":2}');
    expect(second).toContain('Another call of this turn has the same id');
    expect(place.ran.map(({ tool }) => tool)).toEqual(['math.add']);
  });

  it('threat: a call of a kind that was never offered is answered and runs nothing', async () => {
    const set = await forOpenAI(place.crib);
    const custom = { id: 'c1', type: 'custom', custom: { name: 'picture', input: 'x' } };
    const [message] = await set.run([custom]);
    expect(message).toMatchObject({ role: 'tool', tool_call_id: 'c1' });
    expect(message?.content).toContain('Only functions were offered');
  });
});
