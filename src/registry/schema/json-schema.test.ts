import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { JsonSchema } from '../../contract/schema.ts';
import { compileForeignSchema, compileJsonSchema } from './json-schema.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const refused = (message: RegExp) =>
  expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) });
const issuesOf = (schema: JsonSchema, value: unknown) => {
  const result = compileJsonSchema(schema).validate(value);
  return result.ok ? [] : result.issues;
};
const within = (ms: number, work: () => void): void => {
  const start = performance.now();
  work();
  expect(performance.now() - start).toBeLessThan(ms);
};

describe('compileJsonSchema', () => {
  it('reports all issues at once, in words without the values', () => {
    const schema = {
      type: 'object',
      properties: {
        to: { type: 'string', format: 'email' },
        list: { type: 'array', items: { enum: ['a', 'b'] } },
        mode: { const: 'fast' },
      },
      required: ['to', 'subject'],
      additionalProperties: false,
    };
    const value = { to: 'SECRET', list: ['a', 'SECRET'], mode: 'SECRET', extra: 'SECRET' };
    const issues = issuesOf(schema, value);
    expect(issues).toEqual(
      expect.arrayContaining([
        { path: ['subject'], message: 'is required' },
        { path: ['extra'], message: 'is not a known field' },
        { path: ['list', 1], message: 'must be one of "a", "b"' },
        { path: ['mode'], message: 'must be "fast"' },
      ]),
    );
    expect(JSON.stringify(issues)).not.toContain('SECRET');
  });

  it('fills in defaults on a copy', () => {
    const schema = {
      properties: { a: { default: { b: [] } }, c: { properties: { d: { default: 1 } } } },
    };
    const given = { c: {} };
    const { validate } = compileJsonSchema(schema);
    expect(validate(given)).toEqual({ ok: true, value: { a: { b: [] }, c: { d: 1 } } });
    expect(given).toEqual({ c: {} });
  });

  it('leaves out a default that breaks the schema and still reports other faults', () => {
    const { validate } = compileJsonSchema({
      type: 'object',
      properties: { n: { type: 'integer', maximum: 3, default: 5 }, s: { type: 'string' } },
    });
    expect(validate({})).toEqual({ ok: true, value: {} });
    expect(validate({ s: 1 })).toMatchObject({ ok: false });
    expect(validate({ n: 5 })).toMatchObject({ ok: false });
  });

  it('accepts a missing field that is required and has a default', () => {
    const { validate } = compileJsonSchema({ properties: { n: { default: 1 } }, required: ['n'] });
    expect(validate({})).toEqual({ ok: true, value: { n: 1 } });
  });

  it('hands on the same object where there is nothing to fill in', () => {
    const given = { a: 1 };
    const result = compileJsonSchema({ properties: { a: { type: 'number' } } }).validate(given);
    expect(result).toEqual({ ok: true, value: given });
    expect(result.ok && result.value).toBe(given);
  });

  it('never changes the value, whatever it is', () => {
    const inner = { type: 'object', properties: { x: { default: 1 }, y: { default: [] } } };
    const schema = compileJsonSchema({
      ...inner,
      properties: { ...inner.properties, list: { items: inner }, any: { anyOf: [inner, {}] } },
      additionalProperties: inner,
    });
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('x', 'y', 'list', 'any', 'z'), fc.jsonValue()),
        (value) => {
          const before = structuredClone(value);
          schema.validate(value);
          expect(value).toEqual(before);
        },
      ),
    );
  });

  it('looks fields up as own properties only', () => {
    expect(issuesOf({ required: ['toString', 'constructor'] }, {})).toHaveLength(2);
  });

  it('supports draft-07: definitions, tuples by items', () => {
    const schema = {
      $schema: DRAFT_07,
      definitions: { port: { type: 'integer', maximum: 65_535 } },
      properties: {
        port: { $ref: '#/definitions/port' },
        pair: { items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
      },
    };
    expect(issuesOf(schema, { port: 80, pair: ['a', 1] })).toEqual([]);
    expect(issuesOf(schema, { port: 70_000, pair: ['a', 1, 2] })).toHaveLength(2);
  });

  it('supports 2020-12: $defs, prefixItems, unevaluatedProperties, $dynamicRef', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $dynamicAnchor: 'node',
      $defs: { name: { properties: { name: { type: 'string' } } } },
      allOf: [{ $ref: '#/$defs/name' }],
      properties: {
        pair: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
        child: { $dynamicRef: '#node' },
      },
      unevaluatedProperties: false,
    };
    expect(issuesOf(schema, { name: 'a', pair: ['a', 1], child: { name: 'b' } })).toEqual([]);
    expect(issuesOf(schema, { name: 'a', other: 1 })).toEqual([
      { path: ['other'], message: 'is not a known field' },
    ]);
    expect(issuesOf(schema, { child: { name: 1 } }).map(({ path }) => path)).toContainEqual([
      'child',
      'name',
    ]);
  });

  it('follows a schema that contains itself', () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, kids: { type: 'array', items: { $ref: '#' } } },
      required: ['name'],
    };
    expect(issuesOf(schema, { name: 'a', kids: [{ name: 'b', kids: [{}] }] })).toEqual([
      { path: ['kids', 0, 'kids', 0, 'name'], message: 'is required' },
    ]);
  });

  it('keeps the ids of one schema from another', () => {
    compileJsonSchema({ $id: 'https://a.example/secret', type: 'string' });
    compileJsonSchema({ $id: 'https://a.example/secret', type: 'number' });
    expect(() => compileJsonSchema({ $ref: 'https://a.example/secret' })).toThrow(
      refused(/fetched/),
    );
  });

  it('validates schemas against the schema of schemas without writing its defaults', () => {
    const given = { type: 'string' };
    const schema = compileJsonSchema({ $ref: 'https://json-schema.org/draft/2020-12/schema' });
    expect(schema.validate(given)).toEqual({ ok: true, value: { type: 'string' } });
    expect(given).toEqual({ type: 'string' });
    expect(schema.validate({ type: 'strnig' }).ok).toBe(false);
  });
});

describe('threat: hostile JSON Schemas', () => {
  it('never fetches a $ref', () => {
    const fetch = vi.spyOn(globalThis, 'fetch');
    const schema = { properties: { a: { $ref: 'https://evil.example/schema.json' } } };
    expect(() => compileJsonSchema(schema)).toThrow(refused(/evil\.example.*never fetched/));
    expect(() => compileJsonSchema({ $ref: 'file:///etc/passwd' })).toThrow(refused(/fetched/));
    expect(fetch).not.toHaveBeenCalled();
    fetch.mockRestore();
  });

  it('runs a pattern that explodes elsewhere in linear time', () => {
    const { validate } = compileJsonSchema({ type: 'string', pattern: '(a+)+$' });
    within(10_000, () => expect(validate(`${'a'.repeat(50_000)}!`).ok).toBe(false));
    expect(validate('aaa').ok).toBe(true);
  });

  it.each([
    '^(?=a)b',
    '(?<!a)b',
    '(a)\\1',
    '(a{100}){100}',
    '(unclosed',
    '\\Qa\\E',
    '[[:alpha:]]+\\-',
    'x'.repeat(5_000),
  ])('refuses the pattern %s, also as a key', (pattern) => {
    expect(() => compileJsonSchema({ pattern })).toThrow(refused(/cannot be run safely/));
    expect(() => compileJsonSchema({ patternProperties: { [pattern]: {} } })).toThrow(
      refused(/cannot be run safely/),
    );
  });

  it.each([
    ['^\\d{3}-\\w+$', '123-abc', '12-abc'],
    ['^[\\w\\-.]+@', 'a-b.c@d', '@d'],
    ['^\\p{Lu}', 'Äpfel', 'äpfel'],
    ['^\\u0041\\/b$', 'A/b', 'B/b'],
    ['b', 'abc', 'xyz'],
    ['^(?<year>\\d+)$', '2026', 'x'],
  ])('runs the pattern %s as JSON Schema means it', (pattern, good, bad) => {
    const { validate } = compileJsonSchema({ pattern });
    expect([validate(good).ok, validate(bad).ok]).toEqual([true, false]);
  });

  it('refuses patterns that are too large together', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [`p${at}`, { pattern: `^[a-z]{1,500}${at}$` }]),
    );
    expect(() => compileJsonSchema({ properties })).toThrow(refused(/too large/));
  });

  it.each([
    ['goes round in a circle', { $ref: '#' }, {}],
    ['doubles at every step', doubling(40), 'x'],
    ['branches at every level of the value', bush(), nested(60)],
  ])('gives up in bounded time on a schema that %s', (_name, schema, value) => {
    const { validate } = compileJsonSchema(schema);
    within(10_000, () =>
      expect(validate(value)).toEqual({
        ok: false,
        issues: [{ path: [], message: 'is too complex to be checked against the schema' }],
      }),
    );
  });

  it('compares the items of a long array in linear time', () => {
    const { validate } = compileJsonSchema({ uniqueItems: true });
    const items = Array.from({ length: 100_000 }, (_, at) => [at]);
    within(10_000, () => expect(validate(items).ok).toBe(true));
    expect(
      validate([
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ]).ok,
    ).toBe(false);
    expect(validate([1, '1', true, null, 'null', [1], [[1]]]).ok).toBe(true);
    expect(validate([0, -0]).ok).toBe(false);
  });

  it.each([
    ['too deep', nested(200), /nested deeper/],
    ['too large', { enum: Array.from({ length: 6_000 }, (_, at) => ({ at })) }, /parts/],
    ['too long', { description: 'x'.repeat(600_000) }, /characters/],
    ['with a prototype key', JSON.parse('{"default":{"__proto__":{"x":1}}}'), /__proto__/],
    ['of draft-03', { $schema: 'http://json-schema.org/draft-03/schema#' }, /draft-07/],
    ['with an unknown type', { type: 'strnig' }, /type/],
    ['with a keyword of the wrong kind', { required: 'a' }, /required/],
    ['with tuples of another draft', { items: [{ type: 'string' }] }, /items/],
  ])('refuses a schema %s', (_name, schema, message) => {
    expect(() => compileJsonSchema(schema as JsonSchema)).toThrow(refused(message));
  });

  it('accepts a property named like a prototype key, and looks it up as an own property', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{},"toString":{"type":"string"}}}');
    const { validate } = compileJsonSchema(schema);
    expect(validate({}).ok).toBe(true);
    expect(validate({ toString: 1 }).ok).toBe(false);
  });

  it('does not let a prototype key in the value through the copy', () => {
    const { validate } = compileJsonSchema({ properties: { a: { default: 1 } } });
    const result = validate(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(Object.hasOwn((result.ok ? result.value : {}) as object, '__proto__')).toBe(true);
    expect((result.ok ? result.value : {}) as object).not.toHaveProperty('polluted');
  });
});

function doubling(levels: number): JsonSchema {
  const $defs: Record<string, unknown> = { [`a${levels}`]: { type: 'string' } };
  for (let at = 0; at < levels; at += 1) {
    const next = { $ref: `#/$defs/a${at + 1}` };
    $defs[`a${at}`] = { allOf: [next, next] };
  }
  return { $defs, $ref: '#/$defs/a0' };
}

function bush(): JsonSchema {
  const child = { properties: { c: { $ref: '#/$defs/node' } } };
  return { $defs: { node: { anyOf: [child, child] } }, $ref: '#/$defs/node' };
}

function nested(levels: number): JsonSchema {
  let value: JsonSchema = {};
  for (let level = 0; level < levels; level += 1) value = { c: value };
  return value;
}

describe('drafts and patterns as real servers use them', () => {
  it('reads exclusive bounds of draft-04', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-04/schema#',
      id: 'x',
      properties: { n: { minimum: 3, exclusiveMinimum: true } },
    };
    expect(issuesOf(schema, { n: 3 })).toHaveLength(1);
    expect(issuesOf(schema, { n: 4 })).toEqual([]);
  });

  it('reads recursive references of 2019-09', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      properties: { next: { $recursiveRef: '#' }, v: { type: 'integer' } },
    };
    expect(issuesOf(schema, { next: { next: { v: 'x' } } })).toHaveLength(1);
    expect(issuesOf(schema, { next: { next: { v: 1 } } })).toEqual([]);
  });

  it('follows a recursive reference within the schema that holds it', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      $id: 'https://a.example/root.json',
      $defs: {
        texts: {
          $id: 'texts.json',
          anyOf: [{ type: 'string' }, { additionalProperties: { $recursiveRef: '#' } }],
          type: ['string', 'object'],
        },
      },
      anyOf: [{ type: 'integer' }, { $ref: '#/$defs/texts' }],
    };
    expect(issuesOf(schema, { a: { b: 'text' } })).toEqual([]);
    expect(issuesOf(schema, { a: 1 })).not.toEqual([]);
  });

  it('takes a format as the annotation that it is', () => {
    expect(issuesOf({ format: 'email' }, 'no address')).toEqual([]);
  });

  it.each([
    ['^\\S+$', ['\u00a0', '\u000b', '\u2029', '\ufeff', 'a b'], ['ab', 'é', '😀']],
    ['^\\s$', ['a', '\u200b'], ['\u00a0', '\u000b', '\u2029', ' ']],
    ['^[\\s]$', ['a'], ['\u3000']],
    ['^[^\\s]$', ['\u3000'], ['a']],
    ['^[\\S]$', ['\u3000'], ['a']],
    ['^.$', ['\n', '\r', '\u2028', '\u2029'], ['a', '.']],
    ['^[.]$', ['a'], ['.']],
    ['^[[.]$', ['a'], ['[', '.']],
    ['^[^]$', [''], ['\n', 'a']],
    ['^\\[\\s\\]$', ['[a]'], ['[ ]']],
  ])('the pattern %j means what it means in JavaScript', (pattern, wrong, right) => {
    const ecma = new RegExp(pattern, 'u');
    for (const text of wrong) {
      expect(ecma.test(text), text).toBe(false);
      expect(issuesOf({ pattern }, text), text).toHaveLength(1);
    }
    for (const text of right) expect(issuesOf({ pattern }, text), text).toEqual([]);
  });
});

describe('schemas of tools whose server checks them as well', () => {
  const compiled = (schema: JsonSchema) => {
    const notes: string[] = [];
    return { schema: compileForeignSchema(schema, (note) => notes.push(note)), notes };
  };

  it('leaves out a pattern with look-around and checks the rest', () => {
    const { schema, notes } = compiled({
      properties: {
        mail: { type: 'string', pattern: '^(?!\\.).+@' },
        n: { type: 'integer', default: 0 },
      },
    });
    expect(schema.validate({ mail: 'a@b', n: 1 })).toMatchObject({ ok: true });
    expect(schema.validate({ mail: 5, n: 'x' })).toMatchObject({ ok: false });
    expect(notes).toEqual([expect.stringContaining('look-around')]);
  });

  it.each([
    ['a dangling reference', { $ref: '#/$defs/nothing' }],
    ['an unknown draft', { $schema: 'https://example.com/my-draft' }],
    ['an unknown type', { type: 'strnig' }],
  ])('accepts every call for %s and warns once', (_, broken) => {
    const { schema, notes } = compiled(broken);
    expect(schema.validate({ anything: 1 })).toEqual({ ok: true, value: { anything: 1 } });
    expect(notes).toHaveLength(1);
  });
});
