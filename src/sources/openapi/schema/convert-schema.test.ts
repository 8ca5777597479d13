import { describe, expect, it } from 'vitest';
import {
  inputOf,
  jsonBody,
  oneOperation,
  openapiTools,
  outputOf,
} from '../../../../test/fixtures/openapi-source.ts';
import { compileJsonSchema } from '../../../registry/schema/json-schema.ts';

/** Converts the schema of a field of a body. */
const converted = async (schema: object, more: object = {}): Promise<unknown> => {
  const body = jsonBody({ type: 'object', properties: { v: schema } });
  const { tools } = await openapiTools({ 'a.json': oneOperation(body, more) });
  const input = inputOf(tools[0]);
  compileJsonSchema(input);
  return (input.properties as Record<string, unknown>).v;
};

describe('a schema of OpenAPI becomes JSON Schema 2020-12', () => {
  it.each([
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      { type: 'integer', exclusiveMinimum: 1 },
    ],
    [
      { type: 'integer', maximum: 9, exclusiveMaximum: false },
      { type: 'integer', maximum: 9 },
    ],
    [
      { type: 'number', exclusiveMaximum: 5 },
      { type: 'number', exclusiveMaximum: 5 },
    ],
    [{ type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [{ type: 'any', minLength: '3', enum: [], pattern: '[', multipleOf: 0 }, {}],
    [
      { type: 'array', enum: ['a', 'b'] },
      { type: 'array', description: 'One of: a, b.' },
    ],
    [
      { type: 'string', enum: [1, 2.5] },
      { type: 'string', enum: ['1', '2.5'] },
    ],
    [
      { type: 'integer', enum: ['1', '-2'] },
      { type: 'integer', enum: [1, -2] },
    ],
    [
      { type: 'integer', enum: ['1', '2.5'] },
      { type: 'integer', description: 'One of: 1, 2.5.' },
    ],
    [
      { type: 'number', enum: ['01', '1e3', '99999999999999999999'] },
      { type: 'number', description: 'One of: 01, 1e3, 99999999999999999999.' },
    ],
    [
      { type: 'string', enum: [true, false] },
      { type: 'string', description: 'One of: true, false.' },
    ],
    [
      { type: 'integer', enum: ['1', 2] },
      { type: 'integer', enum: ['1', 2] },
    ],
    [{ items: [{ type: 'string' }] }, { prefixItems: [{ type: 'string' }] }],
    [
      { type: 'integer', default: 5, description: 'How many' },
      { type: 'integer', description: 'How many Default: 5.' },
    ],
    [
      { oneOf: [{ type: 'string' }, { type: 'number' }] },
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
    ],
    [{ allOf: [{ type: 'string' }], nullable: true }, { type: ['string', 'null'] }],
    [{ const: 'x', 'x-internal': true, example: 'y', xml: {} }, { const: 'x' }],
  ])('%j', async (schema, expected) => {
    expect(await converted(schema)).toEqual(expected);
  });

  it('merges allOf where nothing is lost, and keeps the rest', async () => {
    const schemas = {
      Base: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    };
    const part = {
      type: 'object',
      properties: { name: { type: 'string' }, id: { type: 'string', minLength: 2 } },
    };
    const schema = { allOf: [{ $ref: '#/components/schemas/Base' }, part, { minProperties: 1 }] };
    expect(await converted(schema, { components: { schemas } })).toEqual({
      type: 'object',
      properties: {
        id: { allOf: [{ type: 'string' }, { type: 'string', minLength: 2 }] },
        name: { type: 'string' },
      },
      required: ['id'],
      allOf: [{ minProperties: 1 }],
    });
  });

  it('binds the alternatives of a discriminator to their values', async () => {
    const kind = { type: 'object', properties: { kind: { type: 'string' } } };
    const refs = ['Cat', 'Dog'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const discriminator = { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } };
    const body = jsonBody({ type: 'object', properties: { pet: { oneOf: refs, discriminator } } });
    const document = oneOperation(body, { components: { schemas: { Cat: kind, Dog: kind } } });
    const input = inputOf((await openapiTools({ 'a.json': document })).tools[0]);
    const { validate } = compileJsonSchema(input);
    expect(validate({ pet: { kind: 'cat' } }).ok).toBe(true);
    expect(validate({ pet: { kind: 'Dog' } }).ok).toBe(true);
    expect(validate({ pet: { kind: 'cow' } }).ok).toBe(false);
  });

  it('keeps read-only fields out of requests and write-only ones out of answers', async () => {
    const schema = {
      type: 'object',
      required: ['id', 'password', 'name'],
      properties: {
        id: { type: 'string', readOnly: true },
        password: { type: 'string', writeOnly: true },
        name: { type: 'string' },
      },
    };
    const responses = { 200: { description: '', content: { 'application/json': { schema } } } };
    const document = oneOperation({ ...jsonBody(schema), responses });
    const [tool] = (await openapiTools({ 'a.json': document }, { responses: 'fail' })).tools;
    expect(inputOf(tool)).toMatchObject({ required: ['password', 'name'] });
    expect(Object.keys(inputOf(tool).properties as object)).toEqual(['password', 'name']);
    expect(outputOf(tool)).toMatchObject({
      properties: { body: { required: ['id', 'name'], properties: { id: {}, name: {} } } },
    });
    expect(JSON.stringify(outputOf(tool))).not.toContain('password');
  });

  it('tools share the converted components', async () => {
    const $ref = '#/components/schemas/Thing';
    const schemas = { Thing: { type: 'object', properties: { a: { type: 'string' } } } };
    const one = jsonBody({ type: 'array', items: { $ref } });
    const paths = { '/a': { post: one }, '/b': { post: one } };
    const { tools } = await openapiTools({
      'a.json': { openapi: '3.0.0', paths, components: { schemas } },
    });
    const [first, second] = tools.map((tool) => inputOf(tool).$defs as Record<string, unknown>);
    expect(first?.Thing).toBeDefined();
    expect(first?.Thing).toBe(second?.Thing);
  });
});

describe('names of definitions', () => {
  /** An operation whose body refers to itself, to a list of parameters, and to another file. */
  const document = oneOperation({
    parameters: [{ name: 'p', in: 'query', schema: { type: 'object', properties: {} } }],
    ...jsonBody({
      type: 'object',
      properties: {
        near: { $ref: '#/components/schemas/Near' },
        odd: { $ref: '#/x-schemas/Odd~1Name' },
        far: { $ref: 'parts/far.json#/Far' },
        whole: { $ref: 'parts/whole.json' },
      },
    }),
  });
  const root = {
    ...(document as object),
    components: { schemas: { Near: { type: 'string', description: 'near' } } },
    'x-schemas': { 'Odd/Name': { type: 'string', description: 'odd' } },
  };
  const inputIn = async (folder: string, name: string) => {
    const { tools } = await openapiTools(
      {
        [`${folder}${name}`]: root,
        [`${folder}parts/far.json`]: { Far: { type: 'string', description: 'far' } },
        [`${folder}parts/whole.json`]: { type: 'string', description: 'whole' },
      },
      { document: `${folder}${name}` },
    );
    return inputOf(tools[0]);
  };

  it('stay the same when the document gets another name or place', async () => {
    const before = await inputIn('', 'a.json');
    expect(Object.keys(before.$defs as object)).toHaveLength(4);
    expect(await inputIn('', 'renamed.json')).toEqual(before);
    expect(await inputIn('other/folder/', 'b.json')).toEqual(before);
  });
});
