import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../../test/fixtures/eventually.ts';
import { createRuntime } from '../../../crib/create-runtime.ts';
import { readMessage } from '../transport/open-transport.ts';
import { createStderrTail } from './stderr-tail.ts';
import { type StdioOptions, StdioTransport } from './stdio-transport.ts';
import { createWatchdog } from './watchdog.ts';

/** Never started: whatever it wants to write fails. */
const someTransport = (
  request = {} as StdioOptions['request'],
  tail = createStderrTail((text) => text),
): StdioTransport =>
  new StdioTransport({
    request,
    maxMessageBytes: 1000,
    graceMs: 0,
    runtime: createRuntime(),
    parse: readMessage,
    tail,
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

describe('a child that ends before it has read what it was told', () => {
  const watchdog = createWatchdog(process.platform);
  afterAll(() => watchdog.close());

  it.each([
    ['its program was not found', 'no-such-program-here', []],
    ['it ended with exit code 7', '/bin/sh', ['-c', 'exec 0<&-; sleep 0.1; exit 7']],
  ])('says how: %s', async (how, command, args) => {
    const transport = someTransport({
      command,
      args,
      watchdog,
      platform: process.platform,
      mark: randomUUID(),
      env: { PATH: process.env.PATH ?? '' },
      cwd: '/',
    });
    await transport.start();
    // The pipe takes some before it breaks.
    const send = async (): Promise<void> => {
      for (let id = 1; ; id += 1) await transport.send(call(id, { text: 'x'.repeat(100_000) }));
    };
    await expect(send()).rejects.toThrow();
    await transport.close();
    expect(transport.end).toBe(how);
  });
});

describe('a child that dies in the middle of a line', () => {
  const watchdog = createWatchdog(process.platform);
  afterAll(() => watchdog.close());

  it('leaves the lines of the one started next alone', async () => {
    const tail = createStderrTail((text) => text);
    const live = async (script: string): Promise<void> => {
      const transport = someTransport(
        {
          command: '/bin/sh',
          args: ['-c', script],
          watchdog,
          platform: process.platform,
          mark: randomUUID(),
          env: { PATH: process.env.PATH ?? '' },
          cwd: '/',
        },
        tail,
      );
      const closed = new Promise<void>((resolve) => {
        transport.onclose = resolve;
      });
      await transport.start();
      await closed;
    };
    await live('printf "started\\nno memory" >&2');
    await live('printf "started again\\n" >&2');
    await eventually(() => expect(tail.lines()).toHaveLength(3));
    expect(tail.lines()).toEqual(['started', 'no memory', 'started again']);
  });
});
