import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../contract/schema.ts';
import { type FlowShapes, misfitOf, valueMisfits } from './schema-fit.ts';
import { simplifySchema } from './simplify-schema.ts';

const NOTHING: FlowShapes = {
  input: undefined,
  item: undefined,
  stepData: () => undefined,
  hint: () => '',
};
const faultsOf = (value: unknown, schema: JsonSchema): readonly string[] =>
  valueMisfits(value, simplifySchema(schema), NOTHING).map(({ message }) => message);

const TEXT = { type: 'string' };
const named = { type: 'object', properties: { name: TEXT }, required: ['name'] };

describe('schemas with references and combinations', () => {
  it.each<[string, unknown, JsonSchema, readonly string[]]>([
    ['a reference', {}, { $ref: '#/$defs/a', $defs: { a: named } }, ['name is missing']],
    [
      'a part of all',
      { name: 1 },
      { allOf: [named, { type: 'object' }] },
      ['gives integer, but string is needed'],
    ],
    ['an alternative of null', {}, { anyOf: [named, { type: 'null' }] }, ['name is missing']],
    ['null where null is allowed', null, { anyOf: [named, { type: 'null' }] }, []],
    ['one of several objects', {}, { oneOf: [named, { type: 'object' }] }, []],
    [
      'none of the types',
      5,
      { anyOf: [TEXT, { type: 'boolean' }] },
      ['gives integer, but string or boolean is needed'],
    ],
    [
      'a number where an integer and a number are wanted',
      5,
      { allOf: [{ type: 'integer' }, { type: 'number' }] },
      [],
    ],
    [
      'a name of a pattern',
      { xa: 1 },
      { type: 'object', patternProperties: { '^x': {} }, additionalProperties: false },
      [],
    ],
    ['a value of an enum', 'b', { enum: ['a', 'b'] }, []],
    ['a value that is not in an enum', 'c', { enum: ['a', 'b'] }, ['has to be one of "a", "b"']],
    ['a value that is not a constant', 'c', { const: 'a' }, ['has to be "a"']],
    [
      'a value of another type than an enum',
      5,
      { enum: ['a'] },
      ['gives integer, but string is needed'],
    ],
    [
      'a value that no alternative takes',
      'c',
      { anyOf: [{ const: 'a' }, { type: 'string', enum: ['b'] }] },
      ['has to be one of "a", "b"'],
    ],
    ['any text beside a constant', 'c', { anyOf: [{ const: 'a' }, TEXT] }, []],
    ['null beside an enum', null, { anyOf: [{ enum: ['a'] }, { type: 'null' }] }, []],
    ['an enum that holds an object', {}, { enum: [{}, 'a'] }, []],
    [
      'a constant and a field that are in no alternative',
      { kind: 'c', b: 1, z: 1 },
      {
        oneOf: [
          {
            type: 'object',
            properties: { kind: { const: 'a' }, a: {} },
            required: ['kind', 'a'],
            additionalProperties: false,
          },
          {
            type: 'object',
            properties: { kind: { const: 'b' }, b: {} },
            required: ['kind', 'b'],
            additionalProperties: false,
          },
        ],
      },
      ['has to be one of "a", "b"', 'there is no field z'],
    ],
    [
      'a field that one alternative leaves open',
      { kind: 5, z: 1 },
      { anyOf: [{ type: 'object', properties: { kind: { const: 'a' } } }, { type: 'object' }] },
      [],
    ],
    ['a reference elsewhere', {}, { $ref: 'https://example.com/a', type: 'object' }, []],
    [
      'a reference to itself',
      { next: { name: 1 } },
      {
        $ref: '#/$defs/a',
        $defs: { a: { type: 'object', properties: { next: { $ref: '#/$defs/a' } } } },
      },
      [],
    ],
    ['words that are not read', 5, { not: { type: 'integer' }, if: {}, else: false }, []],
  ])('%s', (_title, value, schema, faults) => {
    expect(faultsOf(value, schema)).toEqual(faults);
  });

  it('a value that may be null is no object without a field', () => {
    const from = simplifySchema({
      anyOf: [{ type: 'object', properties: {}, additionalProperties: false }, { type: 'null' }],
    });
    expect(misfitOf(from, simplifySchema({ anyOf: [named, { type: 'null' }] }))).toBeUndefined();
  });

  it('a value that may be null fits an enum with null only', () => {
    const from = simplifySchema({ anyOf: [{ enum: ['a'] }, { type: 'null' }] });
    expect(misfitOf(from, simplifySchema({ enum: ['b', null] }))).toBeUndefined();
    expect(misfitOf(from, simplifySchema({ enum: ['b', 'c'] }))).toBe('is never one of "b", "c"');
  });

  it('threat: references that repeat each other do not hold up the process', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        {
          type: 'object',
          properties: { a: { $ref: `#/$defs/d${at + 1}` }, b: { $ref: `#/$defs/d${at + 1}` } },
        },
      ]),
    );
    expect(simplifySchema({ $ref: '#/$defs/d0', $defs })).toMatchObject({ type: ['object'] });
  });
});
