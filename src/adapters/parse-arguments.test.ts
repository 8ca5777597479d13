import { describe, expect, it } from 'vitest';
import { dropNulls } from './parse-arguments.ts';

const text = { type: 'string' };
const nullable = { type: ['string', 'null'] };
const tree = {
  type: 'object',
  properties: { name: text, next: { $ref: '#' }, tags: { $ref: '#/$defs/a~1b' } },
  $defs: { 'a/b': { type: 'array', items: { type: 'object', properties: { x: text } } } },
};

describe('dropNulls', () => {
  it.each([
    ['an optional field', { properties: { a: text } }, { a: null }, {}],
    ['a field that may be null', { properties: { a: nullable } }, { a: null }, { a: null }],
    ['nullable of OpenAPI', { properties: { a: { ...text, nullable: true } } }, { a: null }, null],
    ['null among the values', { properties: { a: { enum: ['x', null] } } }, { a: null }, null],
    ['null as the only value', { properties: { a: { const: null } } }, { a: null }, null],
    ['anything goes', { properties: { a: {} } }, { a: null }, null],
    ['true as schema', { properties: { a: true } }, { a: null }, null],
    [
      'a branch takes null',
      { properties: { a: { anyOf: [text, { type: 'null' }] } } },
      { a: null },
      null,
    ],
    [
      'no branch takes null',
      { properties: { a: { anyOf: [text, { type: 'number' }] } } },
      { a: null },
      {},
    ],
    ['a field nobody declared', { properties: {} }, { a: null }, null],
    ['a name from the prototype', { properties: {} }, { constructor: null }, null],
    [
      'items of a list',
      { properties: { a: { items: { properties: { b: text } } } } },
      { a: [{ b: null }, null] },
      { a: [{}, null] },
    ],
    [
      'a field of another branch',
      {
        oneOf: [
          { properties: { a: text }, required: ['a'] },
          { properties: { b: text }, required: ['b'] },
        ],
      },
      { a: 'x', b: null },
      { a: 'x' },
    ],
    [
      'references that come round',
      tree,
      { name: 'x', next: { name: null, tags: [{ x: null }] } },
      { name: 'x', next: { tags: [{}] } },
    ],
    [
      'a reference that leads nowhere',
      { properties: { a: { $ref: '#/$defs/none' } } },
      { a: null },
      {},
    ],
    ['no object at all', { properties: { a: text } }, null, null],
  ])('drops a null unless the schema allows it: %s', (_what, schema, value, expected) => {
    expect(dropNulls(value, schema)).toEqual(expected ?? value);
  });

  it('threat: a prototype key stays where the pipeline sees it', () => {
    const value: unknown = JSON.parse('{"__proto__":{"a":null},"a":null}');
    const stripped = dropNulls(value, { properties: { a: text } });
    expect(Object.keys(stripped as object)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(stripped)).toBe(Object.prototype);
  });

  it('threat: nesting without end is left to the pipeline', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = { next: deep };
    expect(dropNulls(deep, tree)).toBeDefined();
  });
});
