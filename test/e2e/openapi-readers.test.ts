/** The readers of the OpenAPI test bed, by the table of styles in the OpenAPI specification. */
import { describe, expect, it } from 'vitest';

type Pairs = readonly (readonly [string, string])[];
type Parameter = Readonly<Record<string, unknown>>;

interface Readers {
  readonly readPathParameter: (document: unknown, parameter: Parameter, raw: string) => unknown;
  readonly readField: (document: unknown, parameter: Parameter, pairs: Pairs) => unknown;
  readonly readHeader: (document: unknown, parameter: Parameter, raw: string) => unknown;
  readonly pairsOf: (text: string) => Pairs;
}

interface Samples {
  readonly sampleOf: (schema: object) => { readonly value: unknown } | undefined;
}

const load = (name: string): Promise<unknown> =>
  import(new URL(`../../scripts/openapi/${name}.mjs`, import.meta.url).href);
const readers = (await load('read-parameters')) as Readers;
const { sampleOf } = (await load('sample-value')) as Samples;

const LIST = { type: 'array', items: { type: 'string' } };
const COLORS = {
  type: 'object',
  properties: { R: { type: 'integer' }, G: { type: 'integer' }, B: { type: 'integer' } },
};
const list = ['blue', 'black', 'brown'];
const colors = { R: 100, G: 200, B: 150 };

describe('the readers of the OpenAPI test bed', () => {
  it.each([
    ['simple', false, LIST, 'blue,black,brown', list],
    ['simple', false, COLORS, 'R,100,G,200,B,150', colors],
    ['simple', true, COLORS, 'R=100,G=200,B=150', colors],
    ['label', false, LIST, '.blue,black,brown', list],
    ['label', true, LIST, '.blue.black.brown', list],
    ['label', true, COLORS, '.R=100.G=200.B=150', colors],
    ['matrix', false, LIST, ';color=blue,black,brown', list],
    ['matrix', true, LIST, ';color=blue;color=black;color=brown', list],
    ['matrix', false, COLORS, ';color=R,100,G,200,B,150', colors],
    ['matrix', true, COLORS, ';R=100;G=200;B=150', colors],
    ['simple', false, { type: 'string' }, 'a%2Fb+c', 'a/b+c'],
  ])('a path in the style %s, explode %s', (style, explode, schema, raw, expected) => {
    const parameter = { name: 'color', in: 'path', style, explode, schema };
    expect(readers.readPathParameter({}, parameter, raw)).toEqual(expected);
  });

  it.each([
    ['form', true, LIST, 'color=blue&color=black&color=brown', list],
    ['form', false, LIST, 'color=blue,black,brown', list],
    ['form', true, COLORS, 'R=100&G=200&B=150', colors],
    ['form', false, COLORS, 'color=R,100,G,200,B,150', colors],
    ['spaceDelimited', false, LIST, 'color=blue%20black%20brown', list],
    ['pipeDelimited', false, LIST, 'color=blue%7Cblack%7Cbrown', list],
    ['deepObject', true, COLORS, 'color[R]=100&color%5BG%5D=200&color[B]=150', colors],
    ['form', true, { type: 'string' }, 'color=a%26b+c', 'a&b c'],
    ['form', true, { type: 'integer' }, 'other=1', undefined],
  ])('a query in the style %s, explode %s', (style, explode, schema, query, expected) => {
    const parameter = { name: 'color', in: 'query', style, explode, schema };
    expect(readers.readField({}, parameter, readers.pairsOf(query))).toEqual(expected);
  });

  it('headers', () => {
    const parameter = { name: 'X-Color', in: 'header', schema: LIST };
    expect(readers.readHeader({}, parameter, 'blue,black, brown')).toEqual(list);
  });
});

describe('the values that the OpenAPI test bed makes', () => {
  it.each([
    [{ type: 'string', pattern: '^[a-z]{3}-\\d{2,4}(x|y)?$' }],
    [{ type: 'integer', exclusiveMinimum: 10, multipleOf: 4 }],
    [{ oneOf: [{ type: 'string', maxLength: 2 }, { type: 'boolean' }] }],
    [
      {
        allOf: [{ required: ['a'] }, { properties: { a: { $ref: '#/$defs/a' } } }],
        $defs: { a: LIST },
      },
    ],
    [{ type: 'array', items: { enum: [1, 2] }, minItems: 2, uniqueItems: true }],
  ])('%j fits its schema', (schema) => {
    // `sampleOf` answers only with values that Ajv accepts.
    expect(sampleOf(schema)).toBeDefined();
  });

  it('no value is made for a schema that nothing fits', () => {
    expect(sampleOf({ allOf: [{ const: 1 }, { const: 2 }] })).toBeUndefined();
  });
});
