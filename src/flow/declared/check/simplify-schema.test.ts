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
