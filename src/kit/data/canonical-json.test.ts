import { describe, expect, it } from 'vitest';
import { canonicalJson, digestOf, sortKeys } from './canonical-json.ts';

describe('canonicalJson and digestOf', () => {
  it('ignore the order of keys, and nothing else', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: 1 })).toBe('{"a":1,"b":[{"c":2,"d":1}]}');
    expect(digestOf({ a: 1, b: 2 })).toBe(digestOf({ b: 2, a: 1 }));
    expect(digestOf({ a: [1, 2] })).not.toBe(digestOf({ a: [2, 1] }));
    expect(digestOf({ a: '1' })).not.toBe(digestOf({ a: 1 }));
  });

  it.each([
    ['nothing', undefined],
    ['texts with odd characters', ['"\\\n\u2028\ud800', { 'é"': 'x' }]],
    ['numbers', [0, -0, 1.5, 1e21, 1e-7, Number.NaN, Number.POSITIVE_INFINITY]],
    ['values without JSON', { a: undefined, b: () => 1, c: Symbol('c'), d: [undefined, () => 1] }],
    ['dates', { at: new Date(0), list: [new Date(1)] }],
    ['boxed values and collections', [Object(1), Object('ab'), new Map([[1, 2]]), new Set([1])]],
    ['keys like numbers', { b: 1, 10: 2, 9: 3, '': 4 }],
    ['prototype keys', JSON.parse('{"b":1,"__proto__":{"y":1,"x":2},"constructor":3}')],
    ['a name toJSON that is data', { toJSON: 'text', a: 1 }],
    ['nested lists', [[], [[{}]], [{ b: [], a: {} }]]],
  ])('canonicalJson writes %s as JSON.stringify does with sorted keys', (_what, value) => {
    expect(canonicalJson(value)).toBe(JSON.stringify(value, sortKeys) ?? 'null');
  });

  it('canonicalJson throws for circular data and for big integers', () => {
    const circle: unknown[] = [];
    circle.push({ circle });
    expect(() => canonicalJson(circle)).toThrow(RangeError);
    expect(() => canonicalJson({ big: 1n })).toThrow(TypeError);
  });
});
