import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { describe, expect, it, vi } from 'vitest';
import { createRuntime } from '../../../create-runtime.ts';
import { readMessage } from '../read-message.ts';
import { type StdioOptions, StdioTransport } from './stdio-transport.ts';

/** Never started: whatever it wants to write fails. */
const someTransport = (): StdioTransport =>
  new StdioTransport({
    order: {} as StdioOptions['order'],
    maxMessageBytes: 1000,
    graceMs: 0,
    runtime: createRuntime(),
    parse: readMessage,
    onStderr: () => undefined,
    onGarbage: () => undefined,
  });

const call = (id: number, args: object) =>
  ({ jsonrpc: '2.0', id, method: 'tools/call', params: { arguments: args } }) as JSONRPCMessage;

describe('a response that came before the SDK asked', () => {
  it('is its answer at once and once, and nothing is sent', async () => {
    const transport = someTransport();
    const heard = vi.fn();
    transport.onmessage = heard;
    const args = {};
    const response: JSONRPCMessage = { jsonrpc: '2.0', id: 99, result: {} };
    transport.foresee(args, response);
    const sent = transport.send(call(5, args));
    expect(heard.mock.calls).toEqual([[{ ...response, id: 5 }]]);
    await sent;
    await expect(transport.send(call(6, args))).rejects.toThrow('Not connected');
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it('answers no other call, also with the same input', async () => {
    const transport = someTransport();
    transport.foresee({}, { jsonrpc: '2.0', id: 99, result: {} });
    await expect(transport.send(call(5, {}))).rejects.toThrow('Not connected');
  });
});
