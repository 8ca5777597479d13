/** Compile-time tests of the types that JSON Schema literals stand for. */
import { describe, expectTypeOf, it } from 'vitest';
import type { FromJsonSchema as From } from './schema-type.ts';

describe('the type of a JSON Schema literal', () => {
  it('plain types, lists of types and nullable', () => {
    expectTypeOf<From<{ type: 'string' }>>().toEqualTypeOf<string>();
    expectTypeOf<From<{ type: 'integer' }>>().toEqualTypeOf<number>();
    expectTypeOf<From<{ type: 'null' }>>().toEqualTypeOf<null>();
    expectTypeOf<From<{ type: ['string', 'null'] }>>().toEqualTypeOf<string | null>();
    expectTypeOf<From<{ type: 'number'; nullable: true }>>().toEqualTypeOf<number | null>();
  });

  it('const and enum', () => {
    expectTypeOf<From<{ const: 5 }>>().toEqualTypeOf<5>();
    expectTypeOf<From<{ type: 'string'; enum: ['a', 'b'] }>>().toEqualTypeOf<'a' | 'b'>();
  });

  it('objects: required, optional and nested fields, maps', () => {
    type Of = From<{
      type: 'object';
      properties: { a: { type: 'string' }; b: { type: 'object'; properties: { c: { const: 1 } } } };
      required: ['a'];
    }>;
    expectTypeOf<Of>().toEqualTypeOf<{
      readonly a: string;
      readonly b?: { readonly c?: 1 };
    }>();
    type Map = From<{ type: 'object'; additionalProperties: { type: 'number' } }>;
    expectTypeOf<Map>().toEqualTypeOf<{ readonly [key: string]: number }>();
    expectTypeOf<From<{ type: 'object' }>>().toEqualTypeOf<{ readonly [key: string]: unknown }>();
  });

  it('lists and tuples', () => {
    expectTypeOf<From<{ type: 'array'; items: { type: 'string' } }>>().toEqualTypeOf<
      readonly string[]
    >();
    type Pair = From<{ type: 'array'; prefixItems: [{ type: 'string' }, { type: 'number' }] }>;
    expectTypeOf<Pair>().toEqualTypeOf<readonly [string, number]>();
    expectTypeOf<From<{ type: 'array' }>>().toEqualTypeOf<readonly unknown[]>();
  });

  it('alternatives are a union, conjunctions an intersection', () => {
    type Text = { type: 'string' };
    expectTypeOf<From<{ anyOf: [Text, { type: 'null' }] }>>().toEqualTypeOf<string | null>();
    expectTypeOf<From<{ oneOf: [Text, { const: 1 }] }>>().toEqualTypeOf<string | 1>();
    type Both = From<{
      allOf: [
        { type: 'object'; properties: { a: Text }; required: ['a'] },
        { type: 'object'; properties: { b: Text }; required: ['b'] },
      ];
    }>;
    expectTypeOf<Both>().toExtend<{ readonly a: string; readonly b: string }>();
  });

  it('is unknown for a schema that types cannot express', () => {
    expectTypeOf<From<{ $ref: '#/$defs/a' }>>().toBeUnknown();
    expectTypeOf<From<{ not: { type: 'string' } }>>().toBeUnknown();
    expectTypeOf<From<true>>().toBeUnknown();
    expectTypeOf<From<{ type: string }>>().toBeUnknown();
  });
});
