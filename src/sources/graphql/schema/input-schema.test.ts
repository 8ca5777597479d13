import { describe, expect, it } from 'vitest';
import { compileJsonSchema } from '../../../registry/schema/json-schema.ts';
import type { ArgumentEntry, TypeEntry } from './definition.ts';
import { inputFault, inputSchema } from './input-schema.ts';

const argument = (name: string, type: string, more: object = {}): ArgumentEntry => ({
  name,
  type,
  ...more,
});
const input = (...fields: readonly ArgumentEntry[]): TypeEntry => ({ kind: 'input', fields });

describe('threat: a default of a service hides text in a description', () => {
  it('hostile: hidden and reordering characters are marked, and no character is cut in half', () => {
    const hidden = `a\u202eb\u200bc\u0085d\u{e0041}${'x'.repeat(40)}${'\u{1f600}'.repeat(40)}`;
    const schema = inputSchema([argument('a', 'String', { default: hidden })], new Map());
    const { description } = (schema.properties as Record<string, { description: string }>).a ?? {};
    expect(description).toContain('a\\u202eb\\u200bc\\u0085d\\u{e0041}');
    expect(description).not.toMatch(/\p{C}|ud83d/u);
  });
});

describe('threat: a schema whose arguments do not compile', () => {
  const wide = Array.from({ length: 60 }, (_, at) => at);
  const names = new Map<string, TypeEntry>(
    wide.map((at) => [`I${at}`, input(...wide.map((to) => argument(`f${to}`, `I${to}`)))]),
  );
  const values = Array.from({ length: 50_000 }, (_, at) => `VALUE_${at}`);

  it.each([
    ['sixty inputs that each lead to all', 'I0', names],
    ['an enum of 50,000 values', 'E', new Map([['E', { kind: 'enum', values } as TypeEntry]])],
    ['lists in a hundred lists', `${'['.repeat(100)}Int${']'.repeat(100)}`, new Map()],
  ])('hostile: %s is left to the service where it is too much', (_what, type, types) => {
    const { validate } = compileJsonSchema(inputSchema([argument('a', type)], types));
    expect(validate({}).ok).toBe(true);
  });
});

describe('arguments as JSON Schema', () => {
  it('are required, nullable and listed as in GraphQL; defaults are told and not filled in', () => {
    const types = new Map<string, TypeEntry>([
      ['Size', { kind: 'enum', values: ['S', 'L'] }],
      ['Day', { kind: 'scalar', about: 'A day.' }],
    ]);
    const schema = inputSchema(
      [
        argument('id', 'ID!'),
        argument('sizes', '[Size!]'),
        argument('size', 'Size'),
        argument('day', 'Day!'),
        argument('count', 'Int!', { default: 3 }),
        argument('constructor', 'Int'),
      ],
      types,
    );
    expect(schema).toMatchObject({ required: ['id', 'day'], additionalProperties: false });
    const { validate } = compileJsonSchema(schema);
    expect(validate({ id: 'a', day: 5 })).toMatchObject({ ok: true, value: { id: 'a', day: 5 } });
    expect(validate({ id: 'a', day: 5 })).not.toHaveProperty('value.count');
    expect(schema).toMatchObject({ properties: { count: { description: 'Default: 3.' } } });
    expect(validate({ id: 'a', day: 5, sizes: null, size: null }).ok).toBe(true);
    expect(validate({ id: 'a', day: 5, sizes: [null] }).ok).toBe(false);
    expect(validate({ id: 'a', day: 5, size: 'M' }).ok).toBe(false);
    expect(validate({ id: 'a', day: 5, count: null }).ok).toBe(false);
    expect(validate({ id: null, day: 5 }).ok).toBe(false);
  });

  it('have definitions where an input contains itself, and only there', () => {
    const types = new Map<string, TypeEntry>([
      ['Filter', input(argument('not', 'Filter'), argument('n', 'Int!'))],
      ['Plain', input(argument('n', 'Int'))],
    ]);
    expect(inputSchema([argument('plain', 'Plain!')], types)).not.toHaveProperty('$defs');
    const schema = inputSchema([argument('filter', 'Filter')], types);
    expect(schema).toHaveProperty('$defs.Filter');
    const { validate } = compileJsonSchema(schema);
    expect(validate({ filter: { n: 1, not: { n: 2, not: null } } }).ok).toBe(true);
    expect(validate({ filter: { n: 1, not: { not: null } } }).ok).toBe(false);
  });

  it('stay small for inputs that reach very many others, or multiply', () => {
    const wide = new Map<string, TypeEntry>();
    for (let at = 0; at < 500; at += 1) {
      const next = [`T${(at + 1) % 500}`, `T${(at * 7) % 500}`];
      wide.set(`T${at}`, input(...next.map((type, n) => argument(`f${n}`, type))));
    }
    const text = JSON.stringify(inputSchema([argument('a', 'T0')], wide));
    expect(text.length).toBeLessThan(30_000);
    const doubling = new Map<string, TypeEntry>();
    for (let at = 0; at < 60; at += 1) {
      const next = at === 59 ? 'Int' : `D${at + 1}`;
      doubling.set(`D${at}`, input(argument('a', next), argument('b', next)));
    }
    expect(JSON.stringify(inputSchema([argument('a', 'D0')], doubling)).length).toBeLessThan(
      30_000,
    );
  });

  it('refuse an operation whose required argument cannot be given', () => {
    expect(inputFault([argument('__proto__', 'Int!')], new Map())).toContain('safely');
    expect(inputFault([argument('a', 'Gone!')], new Map())).toContain('cannot be used');
    expect(inputFault([argument('constructor', 'Int')], new Map())).toBeUndefined();
  });
});
