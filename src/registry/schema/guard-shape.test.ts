import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ShapeLimits, takeShape } from './guard-shape.ts';

const guardShape = (value: unknown, within: ShapeLimits) => takeShape(value, within).fault;

const limits = { maxBytes: 1_000_000, maxDepth: 64 };

/** The same rules said recursively, without a thought for speed. */
const naive = (value: unknown, depth = 1): boolean => {
  if (value === null) return true;
  if (typeof value !== 'object') {
    return ['string', 'number', 'boolean', 'undefined'].includes(typeof value);
  }
  if (depth > limits.maxDepth) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) return value.every((item) => naive(item, depth + 1));
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.entries(value).every(
    ([key, member]) =>
      !['__proto__', 'constructor', 'prototype'].includes(key) && naive(member, depth + 1),
  );
};

describe('takeShape', () => {
  it.each([
    [{ a: 1, b: 'x', c: [true, null, { d: undefined }] }],
    [Object.assign(Object.create(null), { a: 1 })],
    [[Number.NaN, Number.POSITIVE_INFINITY]],
    ['text'],
    [null],
    [{ proto: 1, Constructor: 2, __proto: 3 }],
  ])('lets data pass: %j', (value) => {
    expect(guardShape(value, limits)).toBeUndefined();
  });

  it.each([
    ['__proto__', '{"a":{"__proto__":{"x":1}}}'],
    ['constructor', '{"a":{"constructor":1}}'],
    ['prototype', '{"a":{"prototype":[]}}'],
  ])('refuses the key %s wherever it is', (key, json) => {
    expect(guardShape(JSON.parse(json), limits)).toEqual({
      path: ['a', key],
      message: 'is a name that may not be used',
    });
  });

  it.each([
    ['function', () => 1],
    ['symbol', Symbol('x')],
    ['bigint', 1n],
  ])('refuses a %s, at the top and inside', (kind, value) => {
    expect(guardShape(value, limits)?.message).toBe(`is a ${kind}, which is not data`);
    expect(guardShape({ list: [value] }, limits)).toEqual({
      path: ['list', 0],
      message: `is a ${kind}, which is not data`,
    });
  });

  it.each([
    ['Date', new Date(0)],
    ['Map', new Map()],
    ['Uint8Array', new Uint8Array(2)],
    ['Error', new Error('x')],
    ['class instance', new (class Thing {})()],
    ['array subclass', new (class List extends Array {})()],
    ['boxed string', new String('x')],
    ['promise', Promise.resolve()],
  ])('refuses a %s', (_name, value) => {
    expect(guardShape({ at: value }, limits)).toEqual({
      path: ['at'],
      message: 'is not a plain object or array',
    });
  });

  it('survives nesting of 200,000 levels', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level += 1) deep = level % 2 ? [deep] : { a: deep };
    expect(guardShape(deep, limits)?.message).toBe('is nested deeper than 64 levels');
    expect(
      guardShape(deep, { maxBytes: 100_000_000, maxDepth: Number.POSITIVE_INFINITY }),
    ).toBeUndefined();
  });

  it('ends on loops, also those that branch', () => {
    const loop: Record<string, unknown> = {};
    loop.left = loop;
    loop.right = loop;
    expect(guardShape(loop, limits)).toBeDefined();
    expect(
      guardShape(loop, { maxBytes: 10_000, maxDepth: Number.POSITIVE_INFINITY })?.message,
    ).toBe('is larger than 10000 bytes');
  });

  it('refuses what is too large, without walking a sparse array', () => {
    expect(guardShape('x'.repeat(200), { maxBytes: 100, maxDepth: 5 })?.message).toContain(
      'larger',
    );
    expect(guardShape({ a: 'x'.repeat(200) }, { maxBytes: 100, maxDepth: 5 })).toBeDefined();
    expect(guardShape(new Array(4_000_000_000), limits)?.message).toContain('larger');
  });

  it('refuses what throws when it is read', () => {
    const trap = new Proxy({}, { getPrototypeOf: () => expect.fail('read') });
    expect(guardShape(trap, limits)).toEqual({ path: [], message: 'cannot be read' });
  });

  it('agrees with the recursive rules on anything', () => {
    const odd = fc.oneof(
      fc.bigInt(),
      fc.constant(Symbol('s')),
      fc.date(),
      fc.constant(() => 1),
      fc.uint8Array(),
    );
    const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'prototype'));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6, withCrossShrink: true },
        { weight: 6, arbitrary: fc.jsonValue() },
        { weight: 1, arbitrary: odd },
        { weight: 3, arbitrary: fc.array(tie('value')) },
        { weight: 3, arbitrary: fc.dictionary(key, tie('value'), { maxKeys: 6 }) },
      ),
    }));
    fc.assert(
      fc.property(value, (sample) => {
        expect(guardShape(sample, limits) === undefined).toBe(naive(sample));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the copy that takeShape makes', () => {
  const within: ShapeLimits = { maxBytes: 10_000, maxDepth: 10 };

  it('has the same data, and shares no container with the original', () => {
    const given = { a: 1, list: [1, { b: null }, []], deep: { er: { x: 'y', u: undefined } } };
    const { value, fault } = takeShape(given, within);
    expect([fault, value]).toEqual([undefined, given]);
    given.list.push(2);
    given.deep.er.x = 'z';
    expect(value).toEqual({
      a: 1,
      list: [1, { b: null }, []],
      deep: { er: { x: 'y', u: undefined } },
    });
  });

  it('reads each member once: a getter cannot show one value and hand over another', () => {
    let reads = 0;
    const given = {
      get path() {
        reads += 1;
        return reads === 1 ? 'a' : 'b';
      },
    };
    expect(takeShape(given, within).value).toEqual({ path: 'a' });
    expect(reads).toBe(1);
  });

  it('keeps scalars unchanged', () => {
    expect(takeShape('text', within).value).toBe('text');
    expect(takeShape(null, within).value).toBeNull();
  });
});
