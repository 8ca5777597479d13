/** Documents whose authors are hostile: nothing is reached, nothing hangs, nothing breaks out. */
import { describe, expect, it } from 'vitest';
import {
  inputOf,
  jsonBody,
  oneOperation,
  openapiTools,
} from '../../../test/fixtures/openapi-source.ts';
import { compileJsonSchema } from '../../registry/schema/json-schema.ts';

const WEB = 'https://docs.example.com/api/openapi.json';

describe('threat: a document reaches for what it may not read', () => {
  it.each([
    ['file:///etc/passwd'],
    ['/etc/passwd'],
    ['../../../etc/passwd'],
    ['http://169.254.169.254/latest/meta-data'],
    ['https://other.example/schema.json'],
    ['https://user:password@docs.example.com/schema.json'],
    ['data:application/json,{}'],
    ['..%2f..%2fetc%2fpasswd'],
  ])('hostile: a document of the web does not read %s', async ($ref) => {
    const { asked, tools } = await openapiTools({ [WEB]: oneOperation(jsonBody({ $ref })) });
    const elsewhere = asked.filter((address) => !address.startsWith('https://docs.example.com/'));
    expect(elsewhere).toEqual([]);
    expect(asked.join()).not.toContain('password@');
    expect(() => compileJsonSchema(inputOf(tools[0]))).not.toThrow();
  });

  it.each([
    ['/etc/passwd'],
    ['../secret.json'],
    ['a/../../secret.json'],
    ['file:///etc/passwd'],
    ['http://other.example/x.json'],
  ])('hostile: a file does not read %s', async ($ref) => {
    const files = {
      'api/openapi.json': oneOperation(jsonBody({ $ref })),
      'secret.json': { type: 'string' },
    };
    expect((await openapiTools(files)).asked).toEqual(['api/openapi.json']);
  });

  it('benign: files beside and below, and documents of the same origin, are read', async () => {
    const thing = { type: 'object', properties: { a: { $ref: '../common.yaml#/A' } } };
    const files = {
      'api/openapi.json': oneOperation(jsonBody({ $ref: 'schemas/thing.json' })),
      'api/schemas/thing.json': thing,
      'api/common.yaml': 'A:\n  type: integer\n',
    };
    const { tools, asked } = await openapiTools(files);
    expect(asked).toEqual(Object.keys(files));
    expect(JSON.stringify(inputOf(tools[0]))).toContain('"type":"integer"');
    const web = {
      [WEB]: oneOperation(jsonBody({ $ref: './thing.json' })),
      'https://docs.example.com/api/thing.json': thing,
    };
    expect((await openapiTools(web)).asked).toContain('https://docs.example.com/api/thing.json');
  });
});

describe('threat: a document is a bomb', () => {
  it('hostile: nesting of 5,000 levels, in JSON and YAML, is refused', async () => {
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    await expect(openapiTools({ 'a.json': deep })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    const yaml = `a: ${'['.repeat(5000)}${']'.repeat(5000)}`;
    await expect(openapiTools({ 'a.yaml': yaml })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });

  it('hostile: YAML aliases that multiply are refused', { timeout: 120_000 }, async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 9; level += 1) {
      lines.push(
        `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    }
    await expect(openapiTools({ 'a.yaml': lines.join('\n') })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });

  it('hostile: references in circles and schemas that double compile and stay small', async () => {
    const schemas: Record<string, unknown> = {
      A: { $ref: '#/components/schemas/B' },
      B: { $ref: '#/components/schemas/A' },
      Tree: { type: 'object', properties: { next: { $ref: '#/components/schemas/Tree' } } },
      Loop: { allOf: [{ $ref: '#/components/schemas/Loop' }, { type: 'object' }] },
      D0: { type: 'object', properties: { x: { type: 'string' } }, minProperties: 1 },
    };
    for (let level = 1; level < 40; level += 1) {
      const $ref = `#/components/schemas/D${level - 1}`;
      schemas[`D${level}`] = { allOf: [{ $ref }, { $ref, description: 'x' }] };
    }
    const names = ['A', 'Tree', 'Loop', 'D39'];
    const properties = Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/schemas/${name}` }]),
    );
    const document = oneOperation(jsonBody({ type: 'object', properties }), {
      components: { schemas },
    });
    const input = inputOf((await openapiTools({ 'a.json': document })).tools[0]);
    expect(JSON.stringify(input).length).toBeLessThan(200_000);
    const schema = compileJsonSchema(input);
    expect(schema.validate({ Tree: { next: { next: {} } } }).ok).toBe(true);
    expect(schema.validate({ Tree: { next: 1 } }).ok).toBe(false);
  });

  it('hostile: a huge enum and a thousand large components are cut', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1000 }, (_, at) => [
        `S${at}`,
        {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 30 }, (_each, n) => [
              `p${n}`,
              { $ref: `#/components/schemas/S${(at * 30 + n) % 1000}` },
            ]),
          ),
        },
      ]),
    );
    const properties = {
      e: { type: 'string', enum: Array.from({ length: 50_000 }, (_, n) => `v${n}`) },
      s: { $ref: '#/components/schemas/S1' },
    };
    const document = oneOperation(jsonBody({ type: 'object', properties }), {
      components: { schemas: many },
    });
    const input = inputOf((await openapiTools({ 'a.json': document })).tools[0]);
    expect(JSON.stringify(input).length).toBeLessThan(300_000);
    expect(() => compileJsonSchema(input)).not.toThrow();
  });
});

describe('threat: names and texts of a document', () => {
  it('hostile: prototype keys and hidden characters change nothing', async () => {
    const text = JSON.stringify(
      oneOperation({
        summary: 'Lists\u202e things\u0007',
        ...jsonBody({
          type: 'object',
          properties: { constructor: { type: 'string' }, 'a\u0000b': {}, ok: { type: 'string' } },
          required: ['constructor', 'ok'],
        }),
      }),
    ).replace('"ok":', '"__proto__":{"polluted":true},"ok":');
    const { tools } = await openapiTools({ 'a.json': text });
    const input = inputOf(tools[0]);
    expect(Object.keys(input.properties as object)).toEqual(['ok']);
    expect(input.required).toEqual(['ok']);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(tools[0]?.description).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('hostile: server addresses with credentials, other schemes or a metadata service get no tool by themselves', async () => {
    const own = { baseUrl: undefined };
    for (const url of [
      'https://user:pass@api.example.com',
      'ftp://api.example.com',
      'file:///etc',
      '{x}',
    ]) {
      const { tools, refused } = await openapiTools(
        { 'a.json': oneOperation({}, { servers: [{ url }] }) },
        own,
      );
      expect([tools.length, refused.length]).toEqual([0, 1]);
    }
    const local = oneOperation({}, { servers: [{ url: 'http://127.0.0.1:8080' }] });
    const { tools } = await openapiTools({ 'a.json': local }, own);
    // The egress guard refuses it: the configuration does not name it.
    expect(tools[0]?.needs?.localHosts).toBeUndefined();
  });

  it('hostile: patterns that backtrack are not run', async () => {
    const properties = {
      a: { type: 'string', pattern: '(?=a)(a+)+$' },
      b: { type: 'string', pattern: '((' },
    };
    const { tools } = await openapiTools({
      'a.json': oneOperation(jsonBody({ type: 'object', properties })),
    });
    expect(inputOf(tools[0]).properties).toEqual({ a: { type: 'string' }, b: { type: 'string' } });
  });

  it('hostile: parameters that frame the request are no fields', async () => {
    const names = [
      'Host',
      'Content-Length',
      'Transfer-Encoding',
      'Authorization',
      'Cookie',
      'X-Forwarded-For',
      'a b',
    ];
    const parameters = names.map((name) => ({ name, in: 'header', schema: { type: 'string' } }));
    const { tools } = await openapiTools({ 'a.json': oneOperation({ parameters }) });
    expect(inputOf(tools[0]).properties).toEqual({});
  });
});
