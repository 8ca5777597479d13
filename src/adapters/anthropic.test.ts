import Anthropic from '@anthropic-ai/sdk';
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  adapterConformance,
  type ModelCall,
  type ModelReading,
} from '../../test/conformance/adapter.ts';
import { type AdapterCrib, adapterCrib } from '../../test/fixtures/adapter-crib.ts';
import { type ScriptedServer, scriptedServer } from '../../test/fixtures/scripted-server.ts';
import type { AnthropicTools } from '../contract/tool-sets.ts';
import { forAnthropic } from './anthropic.ts';

let server: ScriptedServer;
let client: Anthropic;
beforeAll(async () => {
  server = await scriptedServer();
  client = new Anthropic({ baseURL: server.url, apiKey: 'test', maxRetries: 0 });
});
afterAll(() => server.close());

/** As text, so that what the model wrote arrives as it was written. */
const message = (content: string, stop: string): string =>
  `{"id":"m","type":"message","role":"assistant","model":"m","content":[${content}],
    "stop_reason":"${stop}","usage":{"input_tokens":1,"output_tokens":1}}`;

const DONE = message('{"type":"text","text":"Done."}', 'end_turn');

const toolUse = ({ id, name, arguments: input }: ModelCall): string =>
  `{"type":"tool_use","id":"${id}","name":"${name}","input":${input}}`;

interface Block {
  readonly type: string;
  readonly tool_use_id: string;
  readonly is_error?: boolean;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

/** The tool results in the last request: what the model reads. */
const results = (): readonly Block[] => {
  const messages = server.seen.at(-1)?.body.messages as { content: Block[] }[];
  return (messages.at(-1)?.content ?? []).filter(({ type }) => type === 'tool_result');
};

const readings = (): readonly ModelReading[] =>
  results().map(({ tool_use_id: id, content, is_error: isError = false }) => ({
    id,
    text: typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n'),
    isError,
  }));

const REQUEST = { model: 'm', max_tokens: 100 };

const loop = async (set: AnthropicTools, calls: readonly ModelCall[], signal?: AbortSignal) => {
  const thought = '{"type":"text","text":"Let me see."}';
  server.say(message([thought, ...calls.map(toolUse)].join(), 'tool_use'), DONE);
  const messages: MessageParam[] = [{ role: 'user', content: 'Go.' }];
  const first = await client.messages.create({ ...REQUEST, messages, tools: set.tools });
  messages.push(
    { role: 'assistant', content: first.content },
    { role: 'user', content: await set.run(first, { ...(signal && { signal }) }) },
  );
  const last = await client.messages.create({ ...REQUEST, messages, tools: set.tools });
  expect(last.content[0]).toMatchObject({ text: 'Done.' });
  return readings();
};

adapterConformance('messages of Anthropic', async (crib, options) => {
  const set = await forAnthropic(crib, options);
  return {
    names: set.tools.map(({ name }) => name),
    turn: (calls, signal) => loop(set, calls, signal),
  };
});

adapterConformance('the tool runner of Anthropic', async (crib, options) => {
  const { runnable } = await forAnthropic(crib, options);
  return {
    names: runnable.map(({ name }) => name),
    async turn(calls, signal) {
      server.say(message(calls.map(toolUse).join(), 'tool_use'), DONE);
      const last = await client.beta.messages.toolRunner(
        { ...REQUEST, messages: [{ role: 'user', content: 'Go.' }], tools: runnable },
        { ...(signal && { signal }) },
      );
      expect(last.content[0]).toMatchObject({ text: 'Done.' });
      return readings();
    },
  };
});

describe('beyond what all adapters do, that for Anthropic', () => {
  let place: AdapterCrib;
  beforeEach(async () => {
    place = await adapterCrib();
  });
  afterEach(() => place.close());

  it('shows the model a picture as a picture', async () => {
    const set = await place.crib.tools.forAnthropic();
    await loop(set, [{ id: 'c1', name: 'picture', arguments: '{}' }]);
    expect(results()[0]?.content).toEqual([
      { type: 'text', text: 'a dot' },
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
      },
    ]);
  });

  it('sends plain data, and answers nothing but tool calls', async () => {
    const set = await forAnthropic(place.crib, { names: ['append'] });
    expect(set.tools).toEqual([
      {
        name: 'append',
        description: 'Appends a line to the list.',
        input_schema: expect.objectContaining({ type: 'object', required: ['line'] }),
      },
    ]);
    expect(await set.run({ content: [{ type: 'text' }, { type: 'server_tool_use' }] })).toEqual([]);
  });

  it('threat: the model calls what does not exist or was not shown', async () => {
    const set = await forAnthropic(place.crib, { names: ['math.add'] });
    const names = ['apend', 'append', 'held', '__proto__'];
    const calls = names.map((name, at) => ({ id: `c${at}`, name, arguments: '{"line":"x"}' }));
    const replies = await loop(set, calls);
    expect(replies.map(({ id }) => id)).toEqual(['c0', 'c1', 'c2', 'c3']);
    for (const { text, isError } of replies) {
      expect(isError).toBe(true);
      expect(text).toContain('TOOL_NOT_FOUND');
    }
    expect(place.ran).toEqual([]);
  });

  it('threat: an input that is no object', async () => {
    const set = await forAnthropic(place.crib);
    const [reply] = await loop(set, [{ id: 'c1', name: 'append', arguments: '"rm"' }]);
    expect(reply).toMatchObject({ isError: true });
    expect(place.ran).toEqual([]);
  });
});
