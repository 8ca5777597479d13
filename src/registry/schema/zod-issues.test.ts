import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Schema } from '../../contract/schema.ts';
import { compileSchema } from './compile-schema.ts';

const issuesOf = (source: z.ZodType, value: unknown) => {
  const result = (compileSchema(source) as Schema).validate(value);
  return result.ok ? [] : result.issues.map(({ path, message }) => [path.join('.'), message]);
};

describe('issues of Zod', () => {
  it('call a missing field required, whatever its kind, also below others', () => {
    const schema = z.object({
      text: z.string(),
      way: z.enum(['a', 'b']),
      either: z.union([z.string(), z.number()]),
      list: z.array(z.object({ id: z.number() })),
    });
    expect(issuesOf(schema, { list: [{}] })).toEqual([
      ['text', 'is required'],
      ['way', 'is required; expected one of "a"|"b"'],
      ['either', 'is required'],
      ['list.0.id', 'is required'],
    ]);
  });

  it('name each unknown field at its own path', () => {
    const schema = z.strictObject({ a: z.strictObject({}) });
    expect(issuesOf(schema, { a: { x: 1 }, y: 1, z: 2 })).toEqual([
      ['a.x', 'is not a known field'],
      ['y', 'is not a known field'],
      ['z', 'is not a known field'],
    ]);
  });

  it('are limited in number, however many fields are unknown', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, 1]));
    expect(issuesOf(z.strictObject({}), many)).toHaveLength(100);
  });

  it('keep the words of the author of a schema, and those for a value of the wrong kind', () => {
    const schema = z.strictObject({ a: z.string({ error: 'Say who.' }), b: z.number() });
    expect(issuesOf(schema, { b: 'x' })).toEqual([
      ['a', 'Say who.'],
      ['b', 'Invalid input: expected number, received string'],
    ]);
    const own = z.strictObject({}, { error: 'Nothing else, please.' });
    expect(issuesOf(own, { y: 1 })).toEqual([['', 'Nothing else, please.']]);
    expect(issuesOf(z.strictObject({}), undefined)).toEqual([
      ['', 'Invalid input: expected object, received undefined'],
    ]);
  });
});
