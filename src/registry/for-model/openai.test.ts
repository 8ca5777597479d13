import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import type { JsonSchema } from '../../contract/schema.ts';
import type { Loss } from './definition.ts';
import { openaiTool } from './openai.ts';

interface Function {
  readonly name: string;
  readonly description: string;
  readonly strict: boolean;
  readonly parameters: Record<string, unknown>;
}

const show = (input: JsonSchema, description = 'Does it.') => {
  const tool = defineTool({ name: 'a', description, tier: 'read_only', input, run: () => 1 });
  const { definition, losses } = openaiTool({ tool, wireName: 'a', input, output: undefined });
  return { shown: definition?.function as Function | undefined, definition, losses };
};
const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});

describe('openaiTool', () => {
  it('closes objects, requires every field and lets optional ones be null', () => {
    const input = z.toJSONSchema(
      z.object({
        path: z.string().describe('Where.'),
        mode: z.enum(['r', 'w']).optional(),
        size: z.int().optional(),
        inner: z.object({ on: z.boolean() }).optional(),
        list: z.array(z.string()).optional(),
        maybe: z.string().nullable(),
      }),
      { io: 'input' },
    );
    const { definition, losses } = show(input as JsonSchema);
    expect(definition).toEqual({
      type: 'function',
      function: {
        name: 'a',
        description: 'Does it.',
        strict: true,
        parameters: {
          type: 'object',
          properties: {
            path: { type: 'string', description: 'Where.' },
            mode: { type: ['string', 'null'], enum: ['r', 'w', null] },
            size: expect.objectContaining({ type: ['integer', 'null'] }),
            inner: {
              anyOf: [
                {
                  type: 'object',
                  properties: { on: { type: 'boolean' } },
                  required: ['on'],
                  additionalProperties: false,
                },
                { type: 'null' },
              ],
            },
            list: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
            maybe: { type: ['string', 'null'] },
          },
          required: ['path', 'mode', 'size', 'inner', 'list', 'maybe'],
          additionalProperties: false,
        },
      },
    });
    expect(losses).toEqual([]);
  });

  it('drops what the dialect lacks and names it with its place', () => {
    const { shown, losses } = show(
      object(
        {
          'a/b': { type: 'string', minLength: 3, format: 'uri', default: 'x', pattern: '^x' },
          list: {
            type: 'array',
            items: { type: 'number', minimum: 1 },
            uniqueItems: true,
            minItems: 1,
          },
          one: { oneOf: [{ type: 'string' }, { const: 3 }] },
        },
        { required: ['a/b', 'list', 'one'], maxProperties: 9 },
      ),
    );
    expect(shown?.strict).toBe(true);
    expect(shown?.parameters.properties).toEqual({
      'a/b': { type: 'string', pattern: '^x' },
      list: { type: 'array', items: { type: 'number', minimum: 1 }, minItems: 1 },
      one: { anyOf: [{ type: 'string' }, { type: 'integer', enum: [3] }] },
    });
    expect(new Set(losses)).toEqual(
      new Set([
        { path: '', lost: 'maxProperties' },
        { path: '/properties/a~1b', lost: 'default' },
        { path: '/properties/a~1b', lost: 'format' },
        { path: '/properties/a~1b', lost: 'minLength' },
        { path: '/properties/list', lost: 'uniqueItems' },
        { path: '/properties/one', lost: 'oneOf' },
      ]),
    );
  });

  it.each<[string, JsonSchema, Loss]>([
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'string' } },
      { path: '/properties/x', lost: 'strict: additionalProperties' },
    ],
    ['an open object', { type: 'object' }, { path: '/properties/x', lost: 'strict: properties' }],
    ['any value', {}, { path: '/properties/x', lost: 'strict: type' }],
    [
      'a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }] },
      { path: '/properties/x', lost: 'strict: prefixItems' },
    ],
    ['an untyped list', { type: 'array' }, { path: '/properties/x', lost: 'strict: items' }],
    [
      'free keys',
      { type: 'object', patternProperties: { x: {} } },
      { path: '/properties/x', lost: 'strict: patternProperties' },
    ],
  ])('is not strict for %s, sends the schema unchanged and says why', (_name, x, loss) => {
    const input = object({ x, y: { type: 'string', minLength: 2 } });
    const { shown, losses } = show(input);
    expect(shown).toMatchObject({ strict: false, parameters: input });
    expect(losses).toEqual([loss]);
  });

  it('moves definitions to $defs, also those of draft-07 and recursive ones', () => {
    const { shown, losses } = show({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      definitions: {
        node: object(
          { name: { type: 'string' }, next: { $ref: '#/definitions/node' } },
          { required: ['name'] },
        ),
      },
      properties: { head: { $ref: '#/definitions/node' }, self: { $ref: '#' } },
      required: ['head'],
    });
    expect(shown?.strict).toBe(true);
    expect(losses).toEqual([]);
    expect(shown?.parameters).toMatchObject({
      properties: {
        head: { $ref: '#/$defs/node' },
        self: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
      },
      $defs: {
        node: {
          properties: {
            name: { type: 'string' },
            next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
          },
          required: ['name', 'next'],
          additionalProperties: false,
        },
      },
    });
    expect(shown?.parameters).not.toHaveProperty('definitions');
  });

  it('flattens a union at the root, which the API refuses', () => {
    const union = z.discriminatedUnion('op', [
      z.object({ op: z.literal('read'), path: z.string() }),
      z.object({ op: z.literal('write'), path: z.string(), data: z.string() }),
    ]);
    const { shown, losses } = show(z.toJSONSchema(union, { io: 'input' }) as JsonSchema);
    expect(shown?.parameters).toEqual({
      type: 'object',
      properties: {
        op: { type: 'string', enum: ['read', 'write'] },
        path: { type: 'string' },
        data: { type: ['string', 'null'] },
      },
      required: ['op', 'path', 'data'],
      additionalProperties: false,
    });
    expect(losses).toEqual([{ path: '', lost: 'oneOf' }]);
  });

  it('merges objects joined by allOf, at the root and inside', () => {
    const part = (name: string) => object({ [name]: { type: 'string' } }, { required: [name] });
    const { shown, losses } = show({
      allOf: [part('a'), { $ref: '#/$defs/b' }],
      properties: { c: { allOf: [part('d'), part('e')] } },
      required: ['c'],
      $defs: { b: part('b') },
    });
    expect(losses).toEqual([]);
    expect(shown?.parameters).toMatchObject({
      required: expect.arrayContaining(['a', 'b', 'c']),
      properties: { c: { required: ['d', 'e'], additionalProperties: false } },
    });
  });

  it('shows a tool without parameters, and cuts a description that is too long', () => {
    const { shown, losses } = show({ type: 'object' }, 'x'.repeat(2_000));
    expect(shown).toMatchObject({
      strict: true,
      parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
    });
    expect(shown?.description).toHaveLength(1_024);
    expect(losses).toEqual([{ path: '', lost: 'description' }]);
  });

  it('leaves out a tool whose input is not an object', () => {
    expect(show({ type: 'string' })).toMatchObject({
      definition: undefined,
      losses: [{ path: '', lost: 'type' }],
    });
  });

  it('is strict to the letter, or not strict, whatever the schema', () => {
    fc.assert(
      fc.property(schemas(), (input) => {
        const { shown, losses } = show(object({ x: input }) as JsonSchema);
        if (shown?.strict) expect(faults(shown.parameters)).toEqual([]);
        else expect(losses.some(({ lost }) => lost.startsWith('strict: '))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

const schemas = (): fc.Arbitrary<JsonSchema> => {
  const scalar = fc.oneof(
    fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null') }),
    fc.record({
      enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
    fc.record({ const: fc.string() }),
    fc.record({
      type: fc.constant(['string', 'object']),
      properties: fc.constant({ q: { type: 'string' } }),
    }),
    fc.constant({}),
  );
  return fc.letrec<{ schema: JsonSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      scalar as fc.Arbitrary<JsonSchema>,
      fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: fc.nat() }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('p', 'q', 'r'), tie('schema')),
        additionalProperties: fc.constantFrom(false, false, true),
        required: fc.subarray(['p', 'q']),
      }),
    ) as fc.Arbitrary<JsonSchema>,
  })).schema;
};

const ALLOWED = new Set([
  ...['type', 'description', 'title', 'enum', 'anyOf', '$ref', '$defs', 'pattern', 'format'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems'],
]);

/** What the API would object to. */
const faults = (schema: Record<string, unknown>): readonly string[] => {
  const found = Object.keys(schema).filter((keyword) => !ALLOWED.has(keyword));
  if (!('type' in schema || 'anyOf' in schema || '$ref' in schema)) found.push('no type');
  const inner = [
    ...Object.values((schema.properties ?? {}) as Record<string, unknown>),
    ...Object.values((schema.$defs ?? {}) as Record<string, unknown>),
    ...((schema.anyOf ?? []) as unknown[]),
    ...(schema.items === undefined ? [] : [schema.items]),
  ];
  if ([schema.type].flat().includes('object')) {
    const names = Object.keys((schema.properties ?? {}) as object);
    if (schema.additionalProperties !== false) found.push('open');
    if (JSON.stringify(names) !== JSON.stringify(schema.required)) found.push('not all required');
  }
  return [...found, ...inner.flatMap((one) => faults(one as Record<string, unknown>))];
};

describe('threat: a definition that makes its conversion grow without end', () => {
  it.each([2, 12])('an allOf that comes round in %i fields is cut', (count) => {
    const fields = Array.from({ length: count }, (_, at) => [
      `f${at}`,
      { allOf: [{ $ref: '#/$defs/node' }] },
    ]);
    const $defs = { node: object(Object.fromEntries(fields)) };
    const { shown, losses } = show(object({ x: { allOf: [{ $ref: '#/$defs/node' }] } }, { $defs }));
    expect(shown?.strict).toBe(false);
    expect(losses.length).toBeLessThan(1_000);
  });

  it('definitions that multiply at every level are cut', () => {
    const $defs: Record<string, unknown> = { a8: object({}) };
    for (let at = 0; at < 8; at += 1) {
      const next = { allOf: [{ $ref: `#/$defs/a${at + 1}` }] };
      const fields = Array.from({ length: 30 }, (_, n) => [`f${n}`, next]);
      $defs[`a${at}`] = object(Object.fromEntries(fields));
    }
    const { shown } = show(object({ x: { allOf: [{ $ref: '#/$defs/a0' }] } }, { $defs }));
    expect(shown?.strict).toBe(false);
  });

  it('combinations of combinations at the root are cut', () => {
    const $defs: Record<string, unknown> = { a9: object({ z: { type: 'string' } }) };
    for (let at = 0; at < 9; at += 1) {
      const next = { $ref: `#/$defs/a${at + 1}` };
      $defs[`a${at}`] = { allOf: Array.from({ length: 200 }, () => next) };
    }
    const { losses } = show({ type: 'object', allOf: [{ $ref: '#/$defs/a0' }], $defs });
    expect(losses.length).toBeLessThan(3_000);
  });
});
