import { describe, expect, it } from 'vitest';
import { jsonValue } from './json-value.ts';

const nested = (depth: number): unknown => {
  let value: unknown = { n: 1 };
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { value };
  return value;
};

const SAMPLES: Readonly<Record<string, unknown>> = {
  'scalars and lists': ['text', 1, -1.5, true, null, [], {}],
  'fields that JSON leaves out': { a: undefined, b: () => 1, c: Symbol('c'), d: 1 },
  'items that JSON writes as null': [undefined, () => 1, Number.NaN, Number.POSITIVE_INFINITY],
  'minus zero': { n: -0 },
  'a list with holes': new Array(3),
  'a date': { at: new Date(0) },
  'an object with toJSON': {
    toJSON() {
      return { other: 1 };
    },
  },
  'a map and a class': [
    new Map([[1, 2]]),
    new (class {
      x = 1;
    })(),
  ],
  'boxed values': [Object('text'), Object(1), Object(false)],
  'no prototype': Object.assign(Object.create(null) as object, { a: 1 }),
  'a key __proto__': JSON.parse('{"__proto__":{"a":1},"b":2}') as unknown,
  'number-like keys': { b: 1, 2: 'two', 1: 'one', a: 2 },
  'hidden and symbol keys': Object.defineProperty({ a: 1, [Symbol('s')]: 2 }, 'b', { value: 3 }),
  'deeply nested': nested(300),
};

describe('jsonValue', () => {
  it.each(Object.entries(SAMPLES))('copies %s exactly as JSON does', (_name, sample) => {
    const expected = JSON.stringify(sample);
    expect(JSON.stringify(jsonValue(sample))).toBe(expected);
    expect(jsonValue(sample)).toEqual(JSON.parse(expected));
  });

  it('shares no object with its source', () => {
    const source = { list: [{ n: 1 }] };
    const copy = jsonValue(source) as typeof source;
    source.list.push({ n: 2 });
    Object.assign(source.list[0] ?? {}, { n: 3 });
    expect(copy).toEqual({ list: [{ n: 1 }] });
  });

  it('returns undefined for values without a text, and throws for those JSON cannot hold', () => {
    expect(jsonValue(undefined)).toBeUndefined();
    expect(jsonValue(() => 1)).toBeUndefined();
    const circle: Record<string, unknown> = {};
    Object.assign(circle, { one: circle, two: circle });
    expect(() => jsonValue(circle)).toThrow(TypeError);
    expect(() => jsonValue({ n: 1n })).toThrow(TypeError);
  });
});
