import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { linkHeaders, linkOf, linkReplies, linkText } from './question-link.ts';
import { RunningCalls } from './running-calls.ts';

const metaOf = (text: string) => JSON.parse(text).params._meta;

describe('a message on the stream of a call', () => {
  it.each([['"elicitation/create"'], ['"elicitation\\/create"'], ['"sampling\\/createMessage"']])(
    'is linked when it is a question, however its method is written (%s)',
    (method) => {
      const text = `{"jsonrpc":"2.0","id":1,"method":${method},"params":{"message":"Which?"}}`;
      expect(linkOf(metaOf(linkText(text, 'key')))).toBe('key');
    },
  );

  it.each([
    ['{"jsonrpc":"2.0","id":1,"result":{"content":"elicitation/create"}}'],
    ['{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{}}'],
    ['"elicitation'],
  ])('stays as it is when it is none (%s)', (text) => {
    expect(linkText(text, 'key')).toBe(text);
  });
});

describe('a question in the reply to a call', () => {
  it.each([5, '5'])('is linked to the call when the reply has the id %j', async (id) => {
    const calls = new RunningCalls({ elapsed: () => 0, maxCallMs: 1000 });
    const { key } = calls.addSilent();
    const done = async () => undefined;
    const transport: Transport = { start: done, close: done, send: done };
    linkReplies(transport, calls);
    const headers = linkHeaders(key);
    await transport.send({ jsonrpc: '2.0', id: 5, method: 'tools/call' }, { headers });
    const question = { method: 'elicitation/create', params: { message: 'Which?' } };
    const reply = { jsonrpc: '2.0', id, result: { inputRequests: { q: question } } };
    transport.onmessage?.(reply as JSONRPCMessage);
    expect(linkOf(metaOf(JSON.stringify(reply.result.inputRequests.q)))).toBe(key);
  });
});
