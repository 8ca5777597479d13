import { parseJSONRPCMessage } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { readMessage } from './open-transport.ts';

const frame = (fields: object) => ({ jsonrpc: '2.0', ...fields });

const MESSAGES = [
  frame({ id: 1, method: 'ping' }),
  frame({ id: 'a', method: 'tools/list', params: { cursor: 'x' } }),
  frame({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }),
  frame({ id: 1, result: {} }),
  frame({ id: 'a', result: { content: [] } }),
  frame({ id: 1, error: { code: -32_600, message: 'no' } }),
  frame({ error: { code: -32_700, message: 'no', data: { more: 1 } } }),
];

const GARBAGE = [
  null,
  'text',
  1,
  [],
  [frame({ id: 1, method: 'ping' })],
  {},
  { id: 1, method: 'ping' },
  { jsonrpc: '1.0', id: 1, method: 'ping' },
  frame({}),
  frame({ id: 1 }),
  frame({ id: {}, method: 'ping' }),
  frame({ id: 1.5, result: {} }),
  frame({ result: {} }),
  frame({ id: 1, result: 'text' }),
  frame({ id: 1, method: 'ping', params: [1] }),
  frame({ id: 1, error: 'text' }),
  frame({ id: 1, error: { code: '1', message: 'no' } }),
];

describe('the frame of a message', () => {
  it.each(MESSAGES.map((message) => [JSON.stringify(message), message]))(
    'takes %s',
    (_, message) => {
      expect(readMessage(message)).toBe(message);
      expect(parseJSONRPCMessage(message)).toEqual(message);
    },
  );
});

describe('threat: a server that writes what is no message', () => {
  it.each(GARBAGE.map((value) => [JSON.stringify(value), value]))(
    'refuses %s, as the SDK does',
    (_, value) => {
      expect(() => readMessage(value)).toThrow(TypeError);
      expect(() => parseJSONRPCMessage(value)).toThrow();
    },
  );
});
