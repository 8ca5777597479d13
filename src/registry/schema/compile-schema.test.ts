import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import type { Schema } from '../../contract/schema.ts';
import { compileSchema } from './compile-schema.ts';

const zod = (source: z.ZodType, side: 'input' | 'output' = 'input'): Schema =>
  compileSchema(source, side) as Schema;

describe('compileSchema', () => {
  it('refuses fields of Zod without an object, which would let every input pass', () => {
    const compile = () => compileSchema({ city: z.string() });
    expect(compile).toThrow('The schema has schemas as its fields; wrap them');
  });
});

describe('compileSchema with Zod', () => {
  it('is ready at once and fills in defaults', () => {
    const schema = zod(z.object({ a: z.number(), b: z.number().default(2) }));
    expect(schema.validate({ a: 1 })).toEqual({ ok: true, value: { a: 1, b: 2 } });
  });

  it('never changes the value given', () => {
    const given = Object.freeze({ a: Object.freeze({}) });
    const schema = zod(z.object({ a: z.object({ b: z.string().default('x') }) }));
    expect(schema.validate(given)).toEqual({ ok: true, value: { a: { b: 'x' } } });
    expect(given).toEqual({ a: {} });
  });

  it('reports all issues at once, with their paths', () => {
    const schema = zod(z.object({ a: z.number(), list: z.array(z.object({ b: z.string() })) }));
    const result = schema.validate({ a: 'x', list: [{ b: 'ok' }, { b: 1 }] });
    expect(result).toMatchObject({
      ok: false,
      issues: [{ path: ['a'] }, { path: ['list', 1, 'b'] }],
    });
  });

  it('keeps the value out of a message that quotes it', () => {
    const schema = zod(
      z.object({ key: z.string().refine(() => false, { error: ({ input }) => `bad: ${input}` }) }),
    );
    const result = schema.validate({ key: 'hunter2-secret' });
    expect(result).toEqual({ ok: false, issues: [{ path: ['key'], message: 'bad: [value]' }] });
  });

  it.each([
    [
      'throws',
      z.string().refine(() => {
        throw new Error('boom');
      }),
    ],
    ['is asynchronous', z.string().refine(() => Promise.resolve(true))],
  ])('refuses, and does not throw, when a check %s', (_name, source) => {
    expect(zod(source).validate('x')).toMatchObject({ ok: false, issues: [{ path: [] }] });
  });

  it('reports a hundred issues at most', () => {
    const result = zod(z.array(z.number())).validate(Array.from({ length: 5_000 }, () => 'x'));
    expect(result.ok ? [] : result.issues).toHaveLength(100);
  });

  it('yields JSON Schema for the side asked for, once', () => {
    const source = z.object({ a: z.number().default(1), when: z.date().optional() });
    expect(zod(source).json).toMatchObject({ type: 'object', properties: { when: {} } });
    expect(zod(source).json).not.toHaveProperty('required');
    expect(zod(source, 'output').json).toMatchObject({ required: ['a'] });
    const schema = zod(source);
    expect(schema.json).toBe(schema.json);
  });

  it('converts schemas of zod/mini too', () => {
    const schema = compileSchema(mini.object({ a: mini.number() })) as Schema;
    expect(schema.json).toMatchObject({ properties: { a: { type: 'number' } }, required: ['a'] });
    expect(schema.validate({ a: 'x' }).ok).toBe(false);
  });

  it('reports that there is no JSON Schema form', () => {
    const twice = z.object({
      a: z.string().meta({ id: 'same' }),
      b: z.number().meta({ id: 'same' }),
    });
    expect(() => zod(twice).json).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});

describe('compileSchema', () => {
  it.each([null, 'x', 3, []])('refuses %j, which is no schema', (source) => {
    expect(() => compileSchema(source as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  it('hands a JSON Schema back as the very same object', async () => {
    const source = { type: 'object', properties: { a: { type: 'string' } } };
    expect((await compileSchema(source)).json).toBe(source);
  });
});
