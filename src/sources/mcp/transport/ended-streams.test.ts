import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { failWithStream } from './ended-streams.ts';

/** Sends a request, lets its stream bring some messages and end, and tells whether that failed the request. */
const isLost = async (...messages: object[]): Promise<boolean> => {
  let options: TransportSendOptions | undefined;
  const transport: Transport = {
    start: async () => undefined,
    close: async () => undefined,
    send: async (_, given) => {
      options = given;
    },
  };
  failWithStream(transport, () => new Error('lost'));
  const sent = transport.send({ jsonrpc: '2.0', id: 5, method: 'tools/call' });
  for (const message of messages)
    transport.onmessage?.({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  options?.onRequestStreamEnd?.();
  const failed = sent.then(
    () => false,
    () => true,
  );
  return Promise.race([failed, new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
};

describe('a request whose stream ends', () => {
  it.each([5, '5'])('after an answer with the id %j is answered', async (id) => {
    expect(await isLost({ id, result: {} })).toBe(false);
  });

  it.each([
    ['without an answer', []],
    ['after the answer to another request', [{ id: 6, result: {} }]],
    ['after a question of the server with its id', [{ id: 5, method: 'ping' }]],
  ])('%s is lost', async (_, messages) => {
    expect(await isLost(...messages)).toBe(true);
  });
});
