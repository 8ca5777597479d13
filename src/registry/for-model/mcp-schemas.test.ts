import { describe, expect, it } from 'vitest';
import type { Loss } from './definition.ts';
import { listedInput, listedOutput } from './mcp.ts';

const input = (schema: object) => {
  const losses: Loss[] = [];
  return { schema: listedInput(schema as Record<string, unknown>, losses), losses };
};

const BRANCHES = [
  { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
  { type: 'object', properties: { b: { type: 'integer' } }, required: ['b'] },
];

describe('listed input schemas', () => {
  it.each(['oneOf', 'anyOf', 'allOf'])('%s at the root is folded into one object', (keyword) => {
    const { schema } = input({ type: 'object', [keyword]: BRANCHES });
    expect(schema).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
    });
    expect(schema).not.toHaveProperty(keyword);
  });

  it('a reference at the root is followed, and its definitions stay', () => {
    const { schema } = input({
      $ref: '#/$defs/main',
      $defs: { main: { type: 'object', properties: { x: { $ref: '#/$defs/x' } } }, x: {} },
    });
    expect(schema).toMatchObject({ type: 'object', properties: { x: { $ref: '#/$defs/x' } } });
    expect(schema).toMatchObject({ $defs: { x: {} } });
    expect(schema).not.toHaveProperty('$ref');
  });

  it('a reference into a property moves under $defs', () => {
    const { schema } = input({
      type: 'object',
      properties: { a: { type: 'string' }, b: { $ref: '#/properties/a' } },
    });
    expect(schema).toMatchObject({
      properties: { b: { $ref: '#/$defs/listed1' } },
      $defs: { listed1: { type: 'string' } },
    });
  });

  it('a reference without a target is removed and reported', () => {
    const { schema, losses } = input({ properties: { a: { $ref: '#/$defs/gone' } } });
    expect(schema).toEqual({ type: 'object', properties: { a: {} } });
    expect(losses).toEqual([{ path: '', lost: '$ref' }]);
  });

  it('a schema that every client accepts is listed unchanged', () => {
    const plain = {
      type: 'object',
      properties: { a: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/b' }] } },
      $defs: { b: { type: 'object', properties: { again: { $ref: '#/$defs/b' } } } },
    };
    expect(input(plain)).toEqual({ schema: plain, losses: [] });
  });
});

describe('listed output schemas', () => {
  it.each([
    ['a dangling reference', { type: 'object', properties: { a: { $ref: '#/$defs/gone' } } }],
    ['an unknown type', { type: 'object', properties: { a: { type: 'strnig' } } }],
    ['a pattern that is none', { type: 'object', properties: { a: { pattern: '(' } } }],
    ['a root that is no object', { type: 'string' }],
    ['an unknown draft', { $schema: 'https://example.com/x', type: 'object' }],
  ])('one with %s is not listed', (_, schema) => {
    expect(listedOutput(schema)).toBeUndefined();
  });

  it('a valid one is listed without the name of the default draft', () => {
    const schema = { type: 'object', properties: { a: { type: ['string', 'null'] } } };
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    expect(listedOutput({ $schema, ...schema })).toEqual(schema);
  });
});
