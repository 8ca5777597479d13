import { isJSONRPCRequest } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { isPlainRequest } from './plain-calls.ts';

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo' } };

it.each([
  ['with params', call],
  ['without', { jsonrpc: '2.0', id: 'a', method: 'tools/list' }],
  ['with any params', { ...call, params: { anything: [1, null] } }],
])('a request %s is plain, and one to the library', (_what, body) => {
  expect([isPlainRequest(body), isJSONRPCRequest(body)]).toEqual([true, true]);
});

it.each<[string, unknown]>([
  ['a batch', [call]],
  ['nothing', null],
  ['a text', 'tools/call'],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
  ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
  ['another JSON-RPC', { ...call, jsonrpc: '1.0' }],
  ['a broken id', { ...call, id: 1.5 }],
  ['no id', { ...call, id: null }],
  ['a method that is none', { ...call, method: 7 }],
  ['more than a request has', { ...call, more: true }],
  ['params that are a list', { ...call, params: [] }],
  ['params that are null', { ...call, params: null }],
  ['what may be of a newer protocol', { ...call, params: { _meta: {} } }],
  ['a planted prototype', { ...call, params: JSON.parse('{"__proto__": {"name": "x"}}') }],
])('%s is left to the library', (_what, body) => {
  expect(isPlainRequest(body)).toBe(false);
});
