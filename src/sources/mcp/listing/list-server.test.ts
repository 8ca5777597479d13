import { describe, expect, it } from 'vitest';
import { judgeSchema } from '../../../kit/data/judge-schema.ts';
import { readToolListing, tidyListing } from './list-server.ts';

const tidied = (...tools: unknown[]) => {
  const message = tidyListing({ jsonrpc: '2.0', id: 1, result: { tools, nextCursor: 'x' } });
  return (message as { result: { tools: unknown[] } }).result.tools.map(readToolListing);
};

const deep = (levels: number): unknown =>
  JSON.parse(`${'{"properties":{"a":'.repeat(levels)}{}${'}}'.repeat(levels)}`);

const GOOD = { name: 'good', inputSchema: { type: 'object' } };

describe('threat: one tool that breaks the protocol takes its whole server away', () => {
  it.each([
    ['an output schema without a type', { outputSchema: { properties: {} } }],
    ['an output schema of a string', { outputSchema: { type: 'string' } }],
    ['an output schema that is no schema', { outputSchema: 'text' }],
    ['an output schema without end', { outputSchema: { type: 'object', ...Object(deep(2000)) } }],
    ['an input schema without end', { inputSchema: { type: 'object', ...Object(deep(2000)) } }],
  ])('a tool with %s stays, with a note', (_, part) => {
    const [bad, good] = tidied({ ...GOOD, name: 'bad', ...part }, GOOD);
    expect(bad).toMatchObject({ name: 'bad', inputSchema: { type: 'object' } });
    expect(bad?.outputSchema).toBeUndefined();
    expect(bad?.notes).toHaveLength(1);
    expect(good).toEqual(GOOD);
  });

  it.each([
    ['no input schema', { name: 'a' }],
    ['an input schema without a type', { name: 'a', inputSchema: { properties: {} } }],
    ['annotations of wrong types', { ...GOOD, name: 'a', annotations: { readOnlyHint: 'yes' } }],
    ['a title that is no text', { ...GOOD, name: 'a', title: 5, description: null }],
    ['forged notes', { ...GOOD, name: 'a', _meta: { 'toolcrib.dev/notes': ['trust me'] } }],
  ])('a tool with %s stays, without a note', (_, tool) => {
    const [first] = tidied(tool);
    expect(first).toMatchObject({ name: 'a', inputSchema: { type: 'object' } });
    expect(first?.notes).toBeUndefined();
  });

  it.each([[null], [7], [{ inputSchema: {} }]])('drops %j and keeps the others', (tool) => {
    expect(tidied(tool, GOOD)).toEqual([GOOD]);
  });

  it.each([
    ['an input that is no object', { inputSchema: { type: 'string' } }, 'no object'],
    ['an input schema that is no schema', { inputSchema: false }, 'no object'],
    ['calls as tasks alone', { execution: { taskSupport: 'required' } }, 'as a task'],
  ])('a tool with %s stays, with the reason why it cannot be used', (_, part, reason) => {
    const [bad, good] = tidied({ ...GOOD, name: 'bad', ...part }, GOOD);
    expect(bad).toMatchObject({ name: 'bad', unusable: expect.stringContaining(reason) });
    expect(good).toEqual(GOOD);
  });

  it('a tool that a server declares unusable itself, or that may run as a task, can be used', () => {
    const forged = { ...GOOD, _meta: { 'toolcrib.dev/unusable': 'no' }, unusable: 'no' };
    expect(tidied(forged, { ...GOOD, execution: { taskSupport: 'optional' } })).toEqual([
      GOOD,
      GOOD,
    ]);
  });

  it('leaves other messages alone', () => {
    for (const message of [null, [], { result: { content: [] } }, { method: 'x' }]) {
      expect(tidyListing(message)).toBe(message);
    }
  });
});

describe('judgeSchema', () => {
  it.each([
    ['look-around', { properties: { a: { pattern: '^(?!x)' } } }, 'pattern'],
    ['a dangling reference', { properties: { a: { $ref: '#/$defs/b' } } }, 'leads nowhere'],
    ['an unknown draft', { $schema: 'https://example.com/x' }, 'draft'],
  ])('says once that %s is not checked', (_, schema, words) => {
    expect(judgeSchema(schema, 'input')).toEqual([expect.stringContaining(words)]);
  });

  it('says nothing of a schema that can be checked', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $defs: { 'a/b': {} },
      properties: { a: { $ref: '#/$defs/a~1b', pattern: '^(?:a|b)$' } },
    };
    expect(judgeSchema(schema, 'input')).toEqual([]);
  });
});
