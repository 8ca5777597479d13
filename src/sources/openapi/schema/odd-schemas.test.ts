/** Schemas as documents have them that nobody wrote for us: each has to leave its operation callable. */
import { describe, expect, it } from 'vitest';
import {
  inputOf,
  jsonBody,
  oneOperation,
  openapiTools,
} from '../../../../test/fixtures/openapi-source.ts';
import { compileJsonSchema } from '../../../registry/schema/json-schema.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The input of an operation whose body is that schema. */
const inputFor = async (schema: object, schemas: object = {}) => {
  const document = oneOperation(jsonBody(schema), { components: { schemas } });
  return inputOf((await openapiTools({ 'a.json': document })).tools[0]);
};

const accepts = async (schema: object, schemas: object, values: readonly unknown[]) => {
  const { validate } = compileJsonSchema(await inputFor(schema, schemas));
  return values.map((v) => validate({ v }).ok);
};

const inField = (schema: object) => ({ type: 'object', properties: { v: schema } });

describe('a discriminator without a mapping', () => {
  const variant = (value: string) => ({
    type: 'object',
    required: ['type'],
    properties: { type: { type: 'string', enum: [value] } },
  });

  it('takes the values that the alternatives name themselves', async () => {
    const schemas = {
      TextPart: variant('text'),
      ImagePart: { allOf: [ref('Part'), variant('image')] },
      Part: { type: 'object' },
      Kind: { type: 'string', const: 'sound' },
      SoundPart: { type: 'object', properties: { type: ref('Kind') } },
    };
    const union = {
      oneOf: [ref('TextPart'), ref('ImagePart'), ref('SoundPart')],
      discriminator: { propertyName: 'type' },
    };
    const values = ['text', 'image', 'sound', 'TextPart', 'video'].map((type) => ({ type }));
    expect(await accepts(inField(union), schemas, values)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('takes the value by which an alternative narrows the field of its base', async () => {
    const kinds = (schema: object) => ({ type: 'object', properties: { kind: schema } });
    const schemas = {
      Pet: {
        ...kinds({ type: 'string', enum: ['cat', 'dog', 'cow'] }),
        oneOf: [ref('Cat'), ref('Dog')],
        discriminator: { propertyName: 'kind' },
      },
      Cat: { allOf: [ref('Pet'), kinds({ enum: ['cat'] })] },
      Dog: { allOf: [ref('Pet'), kinds({ const: 'dog' })] },
    };
    const values = ['cat', 'dog', 'cow', 'Cat'].map((kind) => ({ kind }));
    expect(await accepts(inField(ref('Pet')), schemas, values)).toEqual([true, true, false, false]);
  });

  it('threat: neither mapping nor const can make a schema huge', async () => {
    const many = Array.from({ length: 900 }, (_, at) => [`v${at}`, 'A']);
    const union = {
      oneOf: [ref('A'), ref('B')],
      discriminator: { propertyName: 'type', mapping: Object.fromEntries(many) },
    };
    const any = { type: 'object', properties: { type: { type: 'string' } } };
    const schemas = { A: any, B: variant('b'), C: { const: 'x'.repeat(20_000) } };
    const schema = { type: 'object', properties: { v: union, c: ref('C') } };
    expect(JSON.stringify(await inputFor(schema, schemas)).length).toBeLessThan(2_000);
    expect(await accepts(schema, schemas, [{ type: 'a' }, { type: 'b' }])).toEqual([true, true]);
  });

  it('does not ask for exactly one where two alternatives have one value, or one has its own', async () => {
    const schemas = {
      Question: variant('message'),
      Answer: { ...variant('message'), required: ['type'] },
      Call: variant('call'),
      Nested: { oneOf: [ref('Call')], discriminator: { propertyName: 'type' } },
    };
    const same = {
      oneOf: [ref('Question'), ref('Answer')],
      discriminator: { propertyName: 'type' },
    };
    expect(await accepts(inField(same), schemas, [{ type: 'message' }])).toEqual([true]);
    const nested = {
      oneOf: [ref('Question'), ref('Nested')],
      discriminator: { propertyName: 'type' },
    };
    const values = [{ type: 'call' }, { type: 'message' }, { type: 'x' }];
    expect(await accepts(inField(nested), schemas, values)).toEqual([true, true, false]);
  });
});

describe('a schema that comes back to itself for the same value', () => {
  const own = (name: string) => ({ type: 'object', properties: { [name]: { type: 'integer' } } });
  const base = (keyword: string) => ({
    type: 'object',
    required: ['kind'],
    properties: { kind: { type: 'string' }, parent: { allOf: [ref('Pet')] } },
    [keyword]: [ref('Cat'), ref('Dog')],
    discriminator: { propertyName: 'kind', mapping: { cat: 'Cat', dog: 'Dog' } },
  });
  const variants = {
    Cat: { allOf: [ref('Pet'), own('lives')] },
    Dog: { allOf: [ref('Pet'), own('barks')] },
  };

  it.each(['oneOf', 'anyOf'])('as a base whose variants take it in: %s', async (keyword) => {
    const schemas = { Pet: base(keyword), ...variants };
    const good = { kind: 'cat', lives: 9, parent: { kind: 'dog', barks: 1 } };
    const bad = [{ kind: 'cat', lives: 'x' }, { lives: 1 }];
    expect(await accepts(inField(ref('Pet')), schemas, [good, ...bad])).toEqual([
      true,
      ...[keyword === 'anyOf', false],
    ]);
    expect(await accepts(inField(ref('Cat')), schemas, [good, ...bad])).toEqual([
      true,
      false,
      false,
    ]);
    expect(JSON.stringify(await inputFor(inField(ref('Cat')), schemas))).toContain('"lives"');
  });

  it('as a part of itself, or as its own alternative, is checked as far as it can be', async () => {
    const schemas = {
      Part: { allOf: [ref('Part'), own('a')] },
      One: { allOf: [ref('Two'), own('one')] },
      Two: { allOf: [ref('One'), own('two')] },
      This: { anyOf: [ref('That'), { type: 'string' }] },
      That: { anyOf: [ref('This'), { type: 'integer' }] },
      Inline: { ...own('a'), oneOf: [{ allOf: [ref('Inline'), own('b')] }] },
    };
    const values = [
      { a: 1, one: 1, two: 1 },
      { a: 'x', one: 'x', two: 'x' },
    ];
    for (const name of ['Part', 'One', 'Two', 'Inline']) {
      expect(await accepts(inField(ref(name)), schemas, values)).toEqual([true, false]);
    }
    expect(await accepts(inField(ref('This')), schemas, ['x', 1])).toEqual([true, true]);
  });

  it('as a base that may be null gives its fields to its variants', async () => {
    const Pet = { ...base('oneOf'), nullable: true };
    const Cat = { allOf: [ref('Pet'), own('lives')] };
    const Closed = {
      type: 'object',
      properties: { a: ref('Cat') },
      additionalProperties: false,
    };
    const values = [{ a: { kind: 'cat', lives: 9 } }, { a: { lives: 9 } }, { a: { kind: 1 } }];
    expect(
      await accepts(inField(ref('Closed')), { Pet, ...variants, Cat, Closed }, values),
    ).toEqual([true, false, false]);
    const later = {
      This: { anyOf: [ref('Kind'), { type: 'null' }] },
      Kind: { allOf: [ref('This'), own('a')] },
    };
    expect(await accepts(inField(ref('Kind')), later, [{ a: 1 }, { a: 'x' }])).toEqual([
      true,
      false,
    ]);
  });

  it('benign: one that comes back inside its fields and lists is checked all the way down', async () => {
    const Tree = {
      allOf: [
        own('v'),
        { properties: { kids: { type: 'array', items: { oneOf: [ref('Tree')] } } } },
      ],
    };
    const deep = (v: unknown) => ({ v: 1, kids: [{ v: 2, kids: [{ v }] }] });
    expect(await accepts(inField(ref('Tree')), { Tree }, [deep(3), deep('x')])).toEqual([
      true,
      false,
    ]);
  });
});

describe('two schemas that refer to each other through allOf', () => {
  const schemas = {
    User: {
      type: 'object',
      properties: { name: { type: 'string' }, team: { allOf: [ref('Team')], description: 'It.' } },
    },
    Team: {
      allOf: [ref('Named'), { properties: { owner: { allOf: [ref('User')], nullable: true } } }],
    },
    Named: {
      type: 'object',
      properties: { title: { type: 'string' }, by: { allOf: [ref('User')] } },
    },
  };
  const post = (name: string) => ({ post: { operationId: name, ...jsonBody(ref(name)) } });
  const document = {
    openapi: '3.0.0',
    paths: { '/u': post('User'), '/t': post('Team'), '/n': post('Named') },
    components: { schemas },
  };
  const madeIn = async (order: readonly string[]) => {
    const { tools } = await openapiTools({ 'a.json': document });
    const made = order.map((name) => [name, inputOf(tools.find((tool) => tool.name === name))]);
    return Object.fromEntries(made) as Record<string, unknown>;
  };

  it('are the same whichever tool is used first: the lock pins them', async () => {
    const first = await madeIn(['User', 'Team', 'Named']);
    expect(await madeIn(['Team', 'Named', 'User'])).toEqual(first);
    expect(await madeIn(['Named', 'User', 'Team'])).toEqual(first);
  });

  it('take null where the document says so', async () => {
    const values = [{ owner: null }, { owner: { team: { owner: null } } }, { owner: 'x' }];
    const all = { ...schemas, Any: { nullable: true, description: 'Anything.' } };
    expect(await accepts(inField(ref('Team')), all, values)).toEqual([true, true, false]);
    const inTeam = [{ team: { owner: null } }, { team: null }];
    expect(await accepts(inField(ref('User')), all, inTeam)).toEqual([true, false]);
    expect(await accepts(inField(ref('Any')), all, [null, 1])).toEqual([true, true]);
  });
});

describe('the schema of a body', () => {
  it('of OpenAPI 3.1 may have fields beside its reference', async () => {
    const A = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } };
    const schema = { ...ref('A'), required: ['b'], properties: { b: { type: 'integer' } } };
    expect(await inputFor(schema, { A })).toMatchObject({
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      required: ['a', 'b'],
    });
  });

  it('keeps fields with names of 300 characters', async () => {
    const name = 'n'.repeat(300);
    const input = await inputFor(inField({ type: 'object', properties: { [name]: {} } }));
    expect(JSON.stringify(input)).toContain(name);
  });
});

describe('a field that only the server sets', () => {
  const id = { type: 'string', readOnly: true };

  it('is not required where another part of allOf requires it', async () => {
    const schemas = { Base: { type: 'object', properties: { id, name: { type: 'string' } } } };
    const schema = {
      type: 'object',
      required: ['id', 'name'],
      properties: { age: { type: 'integer' } },
      allOf: [ref('Base'), { required: ['id', 'age'] }],
    };
    const input = await inputFor(schema, schemas);
    expect(input).toMatchObject({ required: expect.arrayContaining(['name', 'age']) });
    expect(JSON.stringify(input)).not.toContain('id"');
  });

  it('is left out where only one of several parts of allOf marks it', async () => {
    const schemas = {
      Base: { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } },
      Id: { type: 'string', readOnly: true },
    };
    const marked = { allOf: [ref('Base'), { properties: { id: { readOnly: true } } }] };
    expect(Object.keys((await inputFor(marked, schemas)).properties as object)).toEqual(['name']);
    const deep = {
      type: 'object',
      required: ['id', 'name'],
      properties: { id: { allOf: [ref('Id')] }, name: { type: 'string' } },
    };
    expect(await inputFor(deep, schemas)).toMatchObject({ required: ['name'] });
  });
});

describe('a document in YAML', () => {
  const callOf = async (text: string | Uint8Array) => {
    const { tools } = await openapiTools({ 'a.yaml': text });
    return tools.map(({ name }) => name);
  };
  const paths = 'paths: { /a: { get: { operationId: a, responses: {} } } }\n';

  it.each(['3.0', '3.1', '"3.0"'])('may have the version %s', async (version) => {
    expect(await callOf(`openapi: ${version}\n${paths}`)).toEqual(['a']);
  });

  it('with merge keys is read; own members win', async () => {
    const yaml = `openapi: 3.0.0
x-a: &a { get: { operationId: a, responses: {} }, summary: A }
x-b: &b { get: { operationId: b, responses: {} }, put: { operationId: c, responses: {} } }
paths:
  /a: { <<: *a }
  /b:
    <<: [*b, *a]
    put: { operationId: own, responses: {} }
`;
    expect(await callOf(yaml)).toHaveLength(3);
    expect(await callOf(yaml)).toEqual(expect.arrayContaining(['a', 'own', 'b']));
    await expect(callOf(`openapi: 3.0.0\nx: { <<: 5 }\n${paths}`)).rejects.toThrow('line 2');
  });

  it.each(['utf-16le', 'utf-16be'])(
    'in %s is read, with a byte order mark or without',
    async (name) => {
      const text = `openapi: 3.0.0\ninfo: { title: Größe }\n${paths}`;
      for (const whole of [`\uFEFF${text}`, text]) {
        const bytes = Buffer.from(whole, 'utf16le');
        expect(await callOf(name === 'utf-16le' ? bytes : bytes.swap16())).toEqual(['a']);
      }
    },
  );

  it('keeps keys that YAML 1.1 takes for other values', async () => {
    const yaml = `openapi: 3.1.0
paths:
  /a:
    post:
      operationId: a
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                no: { type: string, enum: [yes, no, on, 1999-12-31] }
                2024-01-01: { type: string }
                010: { type: integer, minimum: 0o14 }
                1_000: { type: string }
      responses: { 200: { description: ok }, 2XX: { description: ok } }
`;
    const { tools } = await openapiTools({ 'a.yaml': yaml });
    expect(inputOf(tools[0]).properties).toEqual({
      no: { type: 'string', enum: ['yes', 'no', 'on', '1999-12-31'] },
      '2024-01-01': { type: 'string' },
      '010': { type: 'integer', minimum: 12 },
      '1_000': { type: 'string' },
    });
  });
});
