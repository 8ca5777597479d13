/** The short way of a call says what the library's would, message for message. */
import { setTimeout as pause } from 'node:timers/promises';
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openSurface, type TestSurface } from '../../../../test/fixtures/mcp-surface.ts';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';

type Reply = Record<string, unknown> & { readonly id?: unknown };

let open: TestSurface;
let wire: InMemoryTransport;
let heard: Reply[];
let aborted: unknown[];

const tools = [
  aTool({ input: z.object({ text: z.string() }) as never }),
  aTool({ name: 'words', run: () => 'two words' }),
  aTool({ name: 'nothing', run: () => undefined }),
  aTool({
    name: 'picture',
    run: () => ({ content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] }),
  }),
  aTool({
    name: 'odd_block',
    run: () => ({ content: [{ type: 'text', text: 'x', annotations: { priority: 7 } }] }),
  }),
  aTool({
    name: 'broken',
    run: () => {
      throw new ToolFailure('NETWORK', 'No route.');
    },
  }),
  aTool({
    name: 'noisy',
    run: (_input: never, context) => {
      context.progress(0.5, 'half');
      return 'done';
    },
  }),
  aTool({
    name: 'slow',
    run: (_input: never, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted.push(signal.reason);
          reject(signal.reason);
        });
      }),
  }),
];

const send = (message: object): Promise<void> =>
  wire.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage);

const until = async (isThere: () => boolean): Promise<void> => {
  const end = Date.now() + 5_000;
  while (!isThere()) {
    if (Date.now() > end) throw new Error(`waited in vain; heard ${JSON.stringify(heard)}`);
    await pause(5);
  }
};

const replyTo = async (id: number): Promise<Reply> => {
  await until(() => heard.some((reply) => reply.id === id));
  return heard.find((reply) => reply.id === id) as Reply;
};

const greet = async (): Promise<void> => {
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  await send({ id: 0, method: 'initialize', params });
  await replyTo(0);
  await send({ method: 'notifications/initialized' });
};

beforeEach(async () => {
  heard = [];
  aborted = [];
  open = await openSurface(tools);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  wire = ours;
  wire.onmessage = (message) => void heard.push(message as Reply);
  await wire.start();
  await open.surface.connect(theirs);
});
afterEach(() => open.close());

/** Every call has an id and a time of its own. */
const comparable = ({ id: _id, ...reply }: Reply): unknown =>
  JSON.parse(
    JSON.stringify(reply, (key, value) => (key === 'toolcrib/executionId' ? 'an id' : value)),
  );

const CASES: readonly (readonly [string, Record<string, unknown>])[] = [
  ['a result', { name: 'echo', arguments: { text: 'hello' } }],
  ['text', { name: 'words', arguments: {} }],
  ['no arguments', { name: 'words' }],
  ['no data', { name: 'nothing', arguments: {} }],
  ['a picture', { name: 'picture', arguments: {} }],
  ['bad input', { name: 'echo', arguments: { text: 7 } }],
  ['a failure', { name: 'broken', arguments: {} }],
  ['an unknown tool', { name: 'ecco', arguments: {} }],
  ['no name', { arguments: {} }],
  ['a name that is none', { name: 7, arguments: {} }],
  ['a list of arguments', { name: 'words', arguments: ['a'] }],
  ['arguments that are none', { name: 'words', arguments: null }],
  ['more than a call takes', { name: 'words', arguments: {}, more: 1 }],
];

describe('a plain call', () => {
  it.each(CASES)('is answered as by the library: %s', async (_what, params) => {
    await greet();
    await send({ id: 1, method: 'tools/call', params });
    await send({ id: 2, method: 'tools/call', params: { ...params, _meta: {} } });
    expect(comparable(await replyTo(1))).toEqual(comparable(await replyTo(2)));
  });

  it('bypasses the library, and one with more fields does not', async () => {
    await greet();
    const params = { name: 'words', arguments: {} };
    await send({ id: 1, method: 'tools/call', params });
    await send({ id: 2, method: 'tools/call', params: { ...params, _meta: {} } });
    // Each writes its messages in an order of its own.
    expect(Object.keys(await replyTo(1))).toEqual(['jsonrpc', 'id', 'result']);
    expect(Object.keys(await replyTo(2))).toEqual(['result', 'jsonrpc', 'id']);
  });

  it('is answered with an error when the reply is no result', async () => {
    await greet();
    await send({ id: 1, method: 'tools/call', params: { name: 'odd_block', arguments: {} } });
    expect(await replyTo(1)).toMatchObject({ error: { data: { code: 'INTERNAL' } } });
  });

  it('before the handshake is left to the library', async () => {
    await send({ id: 1, method: 'tools/call', params: { name: 'words', arguments: {} } });
    await send({ id: 2, method: 'ping' });
    await replyTo(2);
    expect(heard.map(({ id }) => id)).toContain(1);
    await greet();
    await send({ id: 3, method: 'tools/call', params: { name: 'words', arguments: {} } });
    expect(await replyTo(3)).toHaveProperty('result');
  });

  it('sends its progress before its response', async () => {
    await greet();
    await send({ id: 1, method: 'tools/call', params: { name: 'noisy', arguments: {} } });
    await replyTo(1);
    expect(heard.at(-2)).toMatchObject({
      method: 'notifications/message',
      params: { level: 'info', data: 'half', logger: 'noisy' },
    });
  });

  it('sends no log lines below the level that the client chose', async () => {
    await greet();
    await send({ id: 1, method: 'logging/setLevel', params: { level: 'error' } });
    await replyTo(1);
    await send({ id: 2, method: 'tools/call', params: { name: 'noisy', arguments: {} } });
    expect(await replyTo(2)).toHaveProperty('result');
    expect(heard.filter(({ method }) => method === 'notifications/message')).toEqual([]);
  });

  it('that is cancelled stops, gets no response, and frees its id', async () => {
    await greet();
    await send({ id: 1, method: 'tools/call', params: { name: 'slow', arguments: {} } });
    await pause(20);
    const params = { requestId: 1, reason: 'changed my mind' };
    await send({ method: 'notifications/cancelled', params });
    await until(() => aborted.length === 1);
    await send({ id: 2, method: 'ping' });
    await replyTo(2);
    expect(heard.map(({ id }) => id)).not.toContain(1);
    await send({ id: 1, method: 'tools/call', params: { name: 'words', arguments: {} } });
    expect(await replyTo(1)).toHaveProperty('result');
  });

  it('stops when its client goes', async () => {
    await greet();
    await send({ id: 1, method: 'tools/call', params: { name: 'slow', arguments: {} } });
    await pause(20);
    await wire.close();
    await until(() => aborted.length === 1);
  });

  it('cannot use an id that is in use', async () => {
    await greet();
    await send({ id: 1, method: 'tools/call', params: { name: 'slow', arguments: {} } });
    await send({ id: 1, method: 'tools/call', params: { name: 'words', arguments: {} } });
    expect(await replyTo(1)).toMatchObject({ error: { code: -32600 } });
  });
});
