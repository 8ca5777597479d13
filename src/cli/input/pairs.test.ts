import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../contract/schema.ts';
import { applyPairs, readPair } from './pairs.ts';

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    force: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'integer' } },
    mode: { enum: ['fast', 'slow'] },
    level: { enum: [1, 2] },
    maybe: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    either: { type: ['string', 'number'] },
    options: { $ref: '#/$defs/Options' },
    steps: { type: 'array', items: { $ref: '#/$defs/Options' } },
    extra: {},
    'dotted.name': { type: 'integer' },
    map: { type: 'object', additionalProperties: { type: 'number' } },
  },
  $defs: {
    Options: {
      type: 'object',
      properties: { depth: { type: 'integer' }, label: { type: 'string' } },
    },
  },
};

const build = (...args: readonly string[]) =>
  applyPairs(
    undefined,
    args.map((arg) => readPair(arg) ?? expect.fail(`${arg} is no pair`)),
    SCHEMA,
  );

describe('readPair', () => {
  it('splits at the first mark', () => {
    expect(readPair('a=b=c')).toEqual({ key: 'a', json: false, text: 'b=c' });
    expect(readPair('a:={"x":1}')).toEqual({ key: 'a', json: true, text: '{"x":1}' });
    expect(readPair('url=http://x?y=1')).toEqual({ key: 'url', json: false, text: 'http://x?y=1' });
    expect(readPair('a=two\nlines')).toEqual({ key: 'a', json: false, text: 'two\nlines' });
    expect(readPair('a=')).toEqual({ key: 'a', json: false, text: '' });
  });

  it.each(['{"a": "b=c"}', '["x=y"]', 'word', '=x', 'a b=c', '"x=1"'])('%s is no pair', (arg) => {
    expect(readPair(arg)).toBeUndefined();
  });
});

describe('applyPairs', () => {
  it.each([
    ['path=12', { path: '12' }],
    ['path=true', { path: 'true' }],
    ['count=12', { count: 12 }],
    ['count=-3', { count: -3 }],
    ['ratio=1e3', { ratio: 1000 }],
    ['ratio=.5', { ratio: 0.5 }],
    ['force=true', { force: true }],
    ['force=false', { force: false }],
    ['tags=a,b', { tags: ['a', 'b'] }],
    ['tags=', { tags: [] }],
    ['tags=["a,b"]', { tags: ['a,b'] }],
    ['sizes=1,2', { sizes: [1, 2] }],
    ['mode=slow', { mode: 'slow' }],
    ['level=2', { level: 2 }],
    ['maybe=null', { maybe: null }],
    ['maybe=4', { maybe: 4 }],
    ['either=4', { either: 4 }],
    ['either=007', { either: '007' }],
    ['options.depth=2', { options: { depth: 2 } }],
    ['options={"depth":2}', { options: { depth: 2 } }],
    ['steps.0.depth=2', { steps: [{ depth: 2 }] }],
    ['extra=5', { extra: '5' }],
    ['extra:=5', { extra: 5 }],
    ['dotted.name=5', { 'dotted.name': 5 }],
    ['map.x=5', { map: { x: 5 } }],
    ['unknown=5', { unknown: '5' }],
  ])('applies %s', (arg, expected) => {
    expect(build(arg)).toEqual(expected);
  });

  it('leaves what does not fit as text, so that validation names it', () => {
    expect(build('count=abc', 'force=yes')).toEqual({ count: 'abc', force: 'yes' });
  });

  it('collects repeated keys into a list, commas and all', () => {
    expect(build('tags=a,b', 'tags=c')).toEqual({ tags: ['a,b', 'c'] });
    expect(build('sizes=1', 'sizes:=2')).toEqual({ sizes: [1, 2] });
  });

  it('refuses a single value given twice', () => {
    expect(() => build('path=a', 'path=b')).toThrow('more than once');
  });

  it('builds nested objects from several pairs', () => {
    expect(build('options.depth=1', 'options.label=x')).toEqual({
      options: { depth: 1, label: 'x' },
    });
  });

  it('adds pairs to a base', () => {
    const pair = readPair('count=2') ?? expect.fail();
    expect(applyPairs({ count: 1, path: 'a' }, [pair], SCHEMA)).toEqual({ count: 2, path: 'a' });
    expect(() => applyPairs([1], [pair], SCHEMA)).toThrow('can only be added to an object');
  });

  it('names the key and the position of bad raw JSON', () => {
    expect(() => build('extra:={oops}')).toThrow(
      'The value of extra is not valid JSON: at line 1, column 2',
    );
  });

  it('never touches a prototype', () => {
    const built = build('__proto__.polluted=yes', 'constructor.prototype.x=1') as object;
    expect(Object.getPrototypeOf(built)).toBe(Object.prototype);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.hasOwn(built, '__proto__')).toBe(true);
  });

  it('treats every value as text without a schema', () => {
    const pair = readPair('count=2') ?? expect.fail();
    expect(applyPairs(undefined, [pair], undefined)).toEqual({ count: '2' });
  });

  it('survives a schema that refers to itself', () => {
    const schema: JsonSchema = { $ref: '#', properties: { a: { $ref: '#' } } };
    const pair = readPair('a.a.a=1') ?? expect.fail();
    expect(applyPairs(undefined, [pair], schema)).toEqual({ a: { a: { a: '1' } } });
  });
});
