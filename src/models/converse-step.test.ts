/** One step of a conversation over HTTP, by the protocol of each vendor. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  ANTHROPIC_TALK,
  type ConversationEndpoint,
  OPENAI_TALK,
  startConversationEndpoint,
} from '../../test/conformance/conversation-endpoint.ts';
import { API_KEY, MODEL } from '../../test/conformance/model-endpoint.ts';
import type { ConversationMessage, ConverseReply, ConverseRequest } from '../contract/model.ts';
import { createModel } from './create-model.ts';

const TOOL = {
  name: 'weather',
  description: 'The weather somewhere.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

const ASKED: readonly ConversationMessage[] = [{ role: 'user', text: 'How is it in Oslo?' }];

describe.each([
  ['openai-compatible', OPENAI_TALK],
  ['anthropic', ANTHROPIC_TALK],
] as const)('%s holds a conversation', (provider, vendor) => {
  let endpoint: ConversationEndpoint;
  const start = async (): Promise<(request: ConverseRequest) => Promise<ConverseReply>> => {
    endpoint = await startConversationEndpoint(vendor);
    const pricing = { inputPerMillion: 3, outputPerMillion: 15 };
    const settings = { provider, baseUrl: endpoint.url, model: MODEL, apiKeyRef: 'KEY', pricing };
    const deps = { secret: async () => API_KEY, fetch: globalThis.fetch, now: () => 0 };
    const { converse } = createModel(settings, deps);
    if (!converse) throw new Error('It cannot converse.');
    return converse;
  };
  afterEach(() => endpoint.close());

  it('hands the text over piece by piece, with tokens and cost', async () => {
    const converse = await start();
    endpoint.say({ text: ['Cold', ', but ', 'sunny.'], input: 1000, output: 200 });
    const pieces: string[] = [];
    const reply = await converse({ messages: ASKED, onText: (piece) => pieces.push(piece) });
    expect(pieces).toEqual(['Cold', ', but ', 'sunny.']);
    expect(reply).toEqual({
      text: 'Cold, but sunny.',
      calls: [],
      truncated: false,
      model: `${MODEL}-0613`,
      inputTokens: 1000,
      outputTokens: 200,
      costUsd: expect.closeTo(0.006, 12),
    });
  });

  it('hands calls over without running them, and takes their results back', async () => {
    const converse = await start();
    endpoint.say(
      {
        text: ['Let me look.'],
        calls: [
          { name: 'weather', arguments: '{"city":"Oslo"}' },
          { name: 'weather', arguments: '{"city":"Bergen"}' },
        ],
      },
      { text: ['-3 °C'] },
    );
    const first = await converse({ messages: ASKED, tools: [TOOL], system: 'Be brief.' });
    expect(first.calls).toEqual([
      { id: 'call_1_0', name: 'weather', input: { city: 'Oslo' } },
      { id: 'call_1_1', name: 'weather', input: { city: 'Bergen' } },
    ]);
    expect(JSON.stringify(endpoint.seen[0])).toContain('Be brief.');
    const results = [
      { id: 'call_1_0', name: 'weather', text: '-3 °C', failed: false },
      { id: 'call_1_1', name: 'weather', text: 'TIMEOUT: no answer', failed: true },
    ];
    const second = await converse({
      messages: [
        ...ASKED,
        { role: 'assistant', text: first.text, calls: first.calls },
        { role: 'tool', results },
      ],
      tools: [TOOL],
    });
    expect(second.text).toBe('-3 °C');
    const sent = JSON.stringify(endpoint.seen[1]);
    for (const part of ['Let me look.', 'Oslo', '-3 °C', 'TIMEOUT: no answer']) {
      expect(sent).toContain(part);
    }
  });

  it('hands calls of unknown tools and with broken arguments over as they are', async () => {
    const converse = await start();
    endpoint.say({
      calls: [
        { name: 'launch', arguments: '{}' },
        { name: 'weather', arguments: '{"city":' },
        { name: 'weather', arguments: '{"town":1}' },
      ],
    });
    const { calls } = await converse({ messages: ASKED, tools: [TOOL] });
    expect(calls.map(({ name }) => name)).toEqual(['launch', 'weather', 'weather']);
    expect(calls[2]?.input).toEqual({ town: 1 });
    // The history with them in it is one that the vendor takes.
    const results = calls.map(({ id, name }) => ({ id, name, text: 'no', failed: true }));
    const messages: readonly ConversationMessage[] = [
      ...ASKED,
      { role: 'assistant', text: '', calls },
      { role: 'tool', results },
    ];
    expect((await converse({ messages, tools: [TOOL] })).text).toBe('Done.');
  });

  it('reports an answer that the token limit cut short', async () => {
    const converse = await start();
    endpoint.say({ text: ['Once upon'], finish: 'length' });
    expect(await converse({ messages: ASKED, maxTokens: 2 })).toMatchObject({ truncated: true });
    expect(endpoint.seen[0]).toMatchObject({ max_tokens: 2 });
  });

  it('stops at its signal, also in the middle of an answer', async () => {
    const converse = await start();
    endpoint.say({ text: ['Once'], hang: true });
    const leave = new AbortController();
    const request = { messages: ASKED, signal: leave.signal, onText: () => leave.abort() };
    await expect(converse(request)).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(converse({ messages: ASKED, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(endpoint.seen).toHaveLength(1);
  });

  it.each([
    [401, 'AUTH_MISSING'],
    [429, 'RATE_LIMITED'],
    [500, 'SERVER_ERROR'],
  ] as const)('maps status %i to %s, without the message of the endpoint', async (status, code) => {
    const converse = await start();
    endpoint.say({ status });
    const failed = await converse({ messages: ASKED }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code });
    expect(String(failed)).not.toContain(API_KEY);
  });
});
