import { isCallToolResult } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { plainResult } from './call-tool.ts';

const text = (value: unknown, more: object = {}) => ({ type: 'text', text: value, ...more });
const OF_SERVER = { 'io.modelcontextprotocol/serverInfo': { name: 'x', version: '1' } };
const IMAGE = { type: 'image', data: 'AA==', mimeType: 'image/png' };

const PLAIN = [
  { content: [] },
  { content: [text('a'), text('')] },
  { content: [text('a')], isError: true },
  { content: [], structuredContent: { a: { b: [1] } }, isError: false },
  { content: [text('a')], _meta: OF_SERVER, more: 1 },
];

/** Wrong, or right and rare. */
const REST = [
  {},
  { content: null },
  { content: 'text' },
  { content: [null] },
  { content: ['text'] },
  { content: [text(1)] },
  { content: [{ type: 'text' }] },
  { content: [text('a', { annotations: { priority: 'high' } })] },
  { content: [text('a', { more: 1 })] },
  { content: [text('a'), IMAGE] },
  { content: [], structuredContent: null },
  { content: [], structuredContent: [1] },
  { content: [], structuredContent: 'text' },
  { content: [], structuredContent: JSON.parse('{"__proto__":{"a":1}}') },
  { content: [], isError: 'no' },
  { content: [], isError: null },
  { content: [], _meta: null },
  { content: [], _meta: { progressToken: {} } },
  { content: [], _meta: { 'io.modelcontextprotocol/related-task': 1 } },
];

const response = (result: unknown, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  result,
  ...more,
});
const modern = (result: object) => ({ ...result, resultType: 'complete' });
const named = (results: readonly object[]) =>
  results.map((result): [string, object] => [JSON.stringify(result), result]);

describe('a plain result', () => {
  it.each(named(PLAIN))('%s is accepted as it is, and the SDK accepts it', (_, result) => {
    expect(plainResult(response(result), false)).toBe(result);
    const complete = modern(result);
    expect(plainResult(response(complete), true)).toBe(complete);
    expect(isCallToolResult(result)).toBe(true);
  });

  it.each(named(REST))('%s is left to the SDK', (_, result) => {
    expect(plainResult(response(result), false)).toBeUndefined();
    expect(plainResult(response(modern(result)), true)).toBeUndefined();
  });

  it('is complete where the protocol knows results that are not', () => {
    const result = { content: [] };
    expect(plainResult(response(result), true)).toBeUndefined();
    expect(plainResult(response({ ...result, resultType: 'input_required' }), true)).toBe(
      undefined,
    );
    expect(plainResult(response(modern(result)), false)).toBeUndefined();
  });

  it('comes in a frame that holds nothing else', () => {
    expect(plainResult(response({ content: [] }, { more: 1 }), false)).toBeUndefined();
    expect(plainResult({ jsonrpc: '2.0', id: 1, error: {} }, false)).toBeUndefined();
    expect(plainResult(response(null), false)).toBeUndefined();
  });
});
