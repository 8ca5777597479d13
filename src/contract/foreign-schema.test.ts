import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';

const define = (input: object, more: object = {}) => {
  const own = { name: 't', description: 'd', tier: 'read_only', run: () => 1, input, ...more };
  return () => defineTool(own as never);
};

const standard = (vendor: string) => ({ version: 1, vendor, validate: () => ({ value: 1 }) });

describe('a schema that would let every input pass', () => {
  it.each([
    ['fields of Zod without an object', { city: z.string() }, 'wrap them: z.strictObject'],
    ['a schema of Zod 3', { _def: {}, parse: () => 1, safeParse: () => 1 }, 'one of Zod 3'],
    ['a schema of Valibot', { type: 'object', '~standard': standard('valibot') }, 'of valibot'],
    [
      'a schema of ArkType',
      Object.assign(() => 1, { '~standard': standard('arktype') }),
      'of arktype',
    ],
    [
      'Zod inside a JSON Schema',
      { type: 'object', properties: { city: z.string() } },
      'mixes JSON Schema',
    ],
    ['fields without an object', { city: { type: 'string' } }, "type: 'object', properties"],
  ])('is refused: %s', (_, schema, message) => {
    expect(define(schema)).toThrow(message);
    expect(define({ type: 'object' }, { output: schema })).toThrow(message);
  });

  it.each([
    ['one that takes anything', {}],
    ['a reference', { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } }],
    ['annotations alone', { 'x-note': 'free', description: 'Anything.' }],
    ['fields called like keywords', { type: 'object', properties: { type: { type: 'string' } } }],
    [
      'a field called like a function of a library',
      { type: 'object', properties: { safeParse: { type: 'string' }, '~standard': {} } },
    ],
    ['a function that makes one', () => ({ type: 'object' })],
    ['a schema of Zod', z.object({ city: z.string() })],
    ['a JSON Schema made by Zod', z.toJSONSchema(z.object({ city: z.string() }))],
  ])('is not mistaken for %s', (_, schema) => {
    expect(define(schema)).not.toThrow();
  });
});

describe('what other libraries call the fields of a tool', () => {
  it.each([
    ['execute', 'run'],
    ['func', 'run'],
    ['handler', 'run'],
    ['inputSchema', 'input'],
    ['parameters', 'input'],
    ['schema', 'input'],
    ['outputSchema', 'output'],
  ])('%s is answered with %s', (name, ours) => {
    expect(define({}, { [name]: () => ({}) })).toThrow(
      `${name} is not known; it is called ${ours}`,
    );
  });

  it('an id is answered with the name', () => {
    expect(define({}, { name: undefined, id: 't' })).toThrow('has a name, not an id');
  });
});
