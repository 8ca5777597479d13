/** validate_json: syntax, schemas of both dialects, and hostile schemas. */
import { describe, expect, it } from 'vitest';
import { runExample, runTool, titlesOf } from '../../../test/fixtures/run-tool.ts';
import { fakeContext } from '../../../test/fixtures/tool-context.ts';
import { validateJson } from './validate-json.ts';

const validate = (data: string, schema?: unknown) =>
  runTool(validateJson, schema === undefined ? { data } : { data, schema }, fakeContext());

describe('validate_json example', () => {
  it.each(titlesOf(validateJson))('%s', async (title) => {
    await runExample(validateJson, title, fakeContext());
  });
});

describe('validate_json', () => {
  it('tells line and column', async () => {
    expect(await validate('{\n  "a": 1,\n  "b": oops\n}')).toEqual({
      valid: false,
      errors: [
        {
          path: '/b',
          message: 'a value is expected; a string needs double quotes',
          line: 3,
          column: 8,
        },
      ],
      warnings: [],
    });
    expect(await validate('')).toMatchObject({ valid: false, errors: [{ line: 1, column: 1 }] });
  });

  it('warns of a key that occurs twice, and is valid', async () => {
    expect(await validate('{"a": 1,\n"a": 2}')).toMatchObject({
      valid: true,
      errors: [],
      warnings: [{ path: '/a', line: 2, column: 1 }],
    });
  });

  it('shows a hundred findings and counts the rest', async () => {
    const data = `{${Array.from({ length: 300 }, () => '"a":1').join(',')}}`;
    const { warnings } = await validate(data);
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)?.message).toBe('and 199 more');
  });
});

describe('validate_json with a schema', () => {
  it('reports all errors with their positions', async () => {
    const schema = {
      type: 'object',
      required: ['id'],
      additionalProperties: false,
      properties: { tags: { type: 'array', items: { enum: ['a', 'b'] } } },
    };
    expect(await validate('{\n "tags": ["a", "c"],\n "x": 1\n}', schema)).toEqual({
      valid: false,
      errors: [
        { path: '', message: "must have required property 'id'", line: 1, column: 1 },
        { path: '', message: 'must NOT have additional properties: "x"', line: 1, column: 1 },
        {
          path: '/tags/1',
          message: 'must be equal to one of the allowed values: ["a","b"]',
          line: 2,
          column: 16,
        },
      ],
      warnings: [],
    });
  });

  it('points at keys that need escaping', async () => {
    const schema = { additionalProperties: { type: 'string' } };
    expect(await validate('{\n"a/b~c": 1}', schema)).toMatchObject({
      errors: [{ path: '/a~1b~0c', line: 2, column: 10 }],
    });
  });

  it.each([
    ['draft-07', 'http://json-schema.org/draft-07/schema#', { items: [{ type: 'string' }] }],
    ['2019-09', 'https://json-schema.org/draft/2019-09/schema', { items: [{ type: 'string' }] }],
    [
      '2020-12',
      'https://json-schema.org/draft/2020-12/schema',
      { prefixItems: [{ type: 'string' }] },
    ],
    ['no dialect', undefined, { prefixItems: [{ type: 'string' }] }],
  ])('knows %s', async (_name, $schema, keywords) => {
    const schema = { ...($schema && { $schema }), type: 'array', ...keywords };
    expect((await validate('["a"]', schema)).valid).toBe(true);
    expect((await validate('[1]', schema)).valid).toBe(false);
  });

  it('takes local references, formats, booleans and unknown keywords', async () => {
    const schema = {
      $defs: { mail: { type: 'string', format: 'email' } },
      items: { $ref: '#/$defs/mail' },
      'x-note': 1,
    };
    expect((await validate('["a@b.de"]', schema)).valid).toBe(true);
    expect((await validate('["nobody"]', schema)).valid).toBe(false);
    expect((await validate('1', true)).valid).toBe(true);
    expect((await validate('1', false)).valid).toBe(false);
  });

  it('tells two patterns apart', async () => {
    const schema = { allOf: [{ pattern: '^a' }, { pattern: 'z$' }] };
    expect((await validate('"abz"', schema)).valid).toBe(true);
    expect((await validate('"ab"', schema)).valid).toBe(false);
    expect((await validate('"bz"', schema)).valid).toBe(false);
  });

  it.each([
    ['an unknown type', { type: 'strnig' }, /not valid itself/],
    ['a network reference', { $ref: 'https://example.com/schema.json' }, /not in it/],
    ['a file reference', { $ref: 'file:///etc/passwd' }, /not in it/],
    ['a missing reference', { $ref: '#/$defs/none' }, /not in it/],
    ['a backreference', { pattern: '(a)\\1' }, /pattern/],
    ['a lookahead', { patternProperties: { '(?=a)': {} } }, /pattern/],
    ['an unknown dialect', { $schema: 'https://example.com/mine' }, /dialect/],
    ['an asynchronous schema', { $async: true }, /\$async/],
  ])('refuses %s', async (_name, schema, message) => {
    await expect(validate('"aa"', schema)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(message),
    });
  });
});

describe('threat: hostile schemas and data of validate_json', () => {
  it('runs a pattern that backtracks in no time', { timeout: 15_000 }, async () => {
    const data = JSON.stringify(`${'a'.repeat(50_000)}!`);
    expect((await validate(data, { pattern: '^(a+)+$' })).valid).toBe(false);
    const keys = `{"${'a'.repeat(50_000)}!": 1}`;
    const schema = { patternProperties: { '^(a|a)*$': false }, additionalProperties: true };
    expect((await validate(keys, schema)).valid).toBe(true);
  });

  it('stops references that multiply', { timeout: 60_000 }, async () => {
    const steps = Array.from({ length: 40 }, (_, n) => [
      `s${n}`,
      { anyOf: [{ $ref: `#/$defs/s${n + 1}` }, { $ref: `#/$defs/s${n + 1}` }] },
    ]);
    const schema = {
      $defs: { ...Object.fromEntries(steps), s40: { type: 'string' } },
      $ref: '#/$defs/s0',
    };
    // Whichever it meets first: the limit of time or that of memory.
    await expect(validate('1', schema)).rejects.toMatchObject({
      code: expect.stringMatching(/^(TIMEOUT|VALIDATION_ERROR)$/),
    });
  });

  it('stops a reference to itself', async () => {
    await expect(validate('1', { $ref: '#' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('refuses 200,000 levels at once', { timeout: 15_000 }, async () => {
    const data = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
    const schema = { properties: { a: { $ref: '#' } } };
    expect(await validate(data, schema)).toMatchObject({
      valid: false,
      errors: [{ message: 'nesting is deeper than 500 levels' }],
    });
  });

  it('pollutes no prototype', async () => {
    const data =
      '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}';
    await validate(data, { type: 'object', properties: { a: { default: 1 } } });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const schema = JSON.parse('{"properties": {"__proto__": {"type": "string"}}}') as unknown;
    await validate('{}', schema);
    expect(({} as Record<string, unknown>).type).toBeUndefined();
  });
});

it.each([{}, { data: 1 }, { data: '1', schema: 'x' }, { data: '1', more: 1 }])(
  'validate_json does not take %j',
  async (input) => {
    await expect(runTool(validateJson, input, fakeContext())).rejects.toMatchObject({
      name: 'ZodError',
    });
  },
);
