import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../api/tool-records.ts';
import { checkValue, InvalidJson, pathText } from './check-value.ts';
import { type FieldPlan, planField } from './field-plan.ts';
import { initialValue } from './initial-value.ts';
import { resolveSchema } from './resolve-schema.ts';

const plan = (schema: JsonSchema, name = ''): FieldPlan =>
  planField(resolveSchema(schema, schema), schema, name);

const wrong = (value: unknown, schema: JsonSchema): string[] =>
  checkValue(value, schema).map(({ path, message }) => `${pathText(path)}: ${message}`);

describe('which control a schema gets', () => {
  it.each<[JsonSchema, string]>([
    [{ type: 'string' }, 'text'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'number' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ enum: ['a', 1, null] }, 'choice'],
    [{ const: 'a' }, 'choice'],
    [{ oneOf: [{ const: 'a' }, { const: 'b' }] }, 'choice'],
    [{ type: 'array', items: { type: 'string' } }, 'array'],
    [{ type: 'array' }, 'json'],
    [{ type: 'object', properties: { a: {} } }, 'object'],
    [{ properties: { a: {} } }, 'object'],
    [{ type: 'object' }, 'json'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'json'],
    [{ type: ['string', 'null'] }, 'union'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'union'],
    [{ $ref: '#/$defs/x', $defs: { x: { type: 'boolean' } } }, 'boolean'],
    [{ allOf: [{ properties: { a: {} } }, { properties: { b: {} } }], type: 'object' }, 'object'],
    [{ $ref: 'https://elsewhere.example/schema' }, 'json'],
    [{}, 'json'],
  ])('%j is entered by %s', (schema, kind) => {
    expect(plan(schema).kind).toBe(kind);
  });

  it('gives long texts room', () => {
    expect(plan({ type: 'string' }, 'content')).toEqual({ kind: 'text', isLong: true });
    expect(plan({ type: 'string' }, 'path')).toEqual({ kind: 'text', isLong: false });
    const upTo = (maxLength: number) => plan({ type: 'string', maxLength }, 'query');
    expect(upTo(100_000)).toEqual({ kind: 'text', isLong: true });
    expect([400, 1_000, 4_096].map(upTo)).toEqual(
      Array.from({ length: 3 }, () => ({ kind: 'text', isLong: false })),
    );
  });

  it('names the shapes of a union by title, tag or type', () => {
    const found = plan({
      oneOf: [
        { title: 'Channel', type: 'object' },
        { type: 'object', properties: { kind: { const: 'mail' } } },
        { type: 'string' },
        {},
      ],
    });
    expect(found.kind === 'union' && found.branches.map(({ title }) => title)).toEqual([
      'Channel',
      'kind: mail',
      'string',
      'Option 4',
    ]);
  });

  it('threat: a schema that refers to itself without end', () => {
    const loop = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } };
    expect(plan(loop).kind).toBe('json');
    const deep = { type: 'object', required: ['next'], properties: { next: { $ref: '#' } } };
    expect(JSON.stringify(initialValue(deep, deep)).length).toBeLessThan(500);
    const all = { allOf: [{ $ref: '#' }] };
    expect(resolveSchema(all, all)).toBeDefined();
  });

  it('threat: names of the language are only names', () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
    const found = plan(schema);
    expect(found.kind === 'object' && found.properties.map(({ name }) => name)).toEqual([
      '__proto__',
    ]);
    expect(plan({ $ref: '#/constructor' }).kind).toBe('json');
  });
});

describe('what a form starts with', () => {
  it('has defaults and empty values for what is required, and nothing else', () => {
    const schema = {
      type: 'object',
      required: ['name', 'list', 'ok', 'kind', 'size', 'inner'],
      properties: {
        name: { type: 'string' },
        list: { type: 'array', items: {} },
        ok: { type: 'boolean' },
        kind: { enum: ['a', 'b'] },
        size: { type: 'integer' },
        inner: { type: 'object', required: ['tag'], properties: { tag: { const: 'x' } } },
        note: { type: 'string' },
        limit: { type: 'integer', default: 10 },
      },
    };
    expect(initialValue(schema, schema)).toEqual({
      name: '',
      list: [],
      ok: false,
      inner: { tag: 'x' },
      limit: 10,
    });
  });
});

describe('the first look at a value', () => {
  const schema = {
    type: 'object',
    required: ['path', 'target'],
    additionalProperties: false,
    properties: {
      path: { type: 'string', minLength: 2, maxLength: 4 },
      count: { type: 'integer', minimum: 1, exclusiveMaximum: 5 },
      mode: { enum: ['a', 'b'] },
      tags: { type: 'array', maxItems: 2, items: { type: 'string' } },
      target: { oneOf: [{ type: 'string' }, { $ref: '#/$defs/person' }] },
    },
    $defs: { person: { type: 'object', required: ['email'], properties: { email: {} } } },
  };

  it.each<[unknown]>([
    [{ path: 'abc', target: 'x' }],
    [{ path: 'äöüß', target: { email: 'a@b' }, count: 4, mode: 'b', tags: [] }],
  ])('finds nothing wrong with %j', (value) => {
    expect(wrong(value, schema)).toEqual([]);
  });

  it.each<[unknown, string[]]>([
    ['text', [': Has to be object.']],
    [{}, ['path: Is required.', 'target: Is required.']],
    [{ path: 'a', target: '' }, ['path: Characters needed: 2 or more.']],
    [{ path: 'abcde', target: '' }, ['path: Characters allowed: 4 or fewer.']],
    [{ path: 'abc', target: '', count: 1.5 }, ['count: Has to be integer.']],
    [{ path: 'abc', target: '', count: Number.NaN }, ['count: This is not a number.']],
    [{ path: 'abc', target: '', count: 5 }, ['count: Has to be less than 5.']],
    [{ path: 'abc', target: '', mode: 'c' }, ['mode: Has to be one of "a", "b".']],
    [{ path: 'abc', target: '', tags: ['a', 1] }, ['tags[1]: Has to be string.']],
    [{ path: 'abc', target: '', tags: ['', '', ''] }, ['tags: Entries allowed: 2 or fewer.']],
    [{ path: 'abc', target: {} }, ['target: Has to be string.']],
    [{ path: 'abc', target: '', more: 1 }, ['more: Is not known.']],
    [{ path: 'abc', target: new InvalidJson('{') }, ['target: This is not valid JSON.']],
  ])('says what is wrong with %j', (value, problems) => {
    expect(wrong(value, schema)).toEqual(problems);
  });
});
