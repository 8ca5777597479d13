import { describe, expect, it } from 'vitest';
import { canonicalJson, digestOf } from './canonical-json.ts';

describe('canonicalJson and digestOf', () => {
  it('ignore the order of keys, and nothing else', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: 1 })).toBe('{"a":1,"b":[{"c":2,"d":1}]}');
    expect(digestOf({ a: 1, b: 2 })).toBe(digestOf({ b: 2, a: 1 }));
    expect(digestOf({ a: [1, 2] })).not.toBe(digestOf({ a: [2, 1] }));
    expect(digestOf({ a: '1' })).not.toBe(digestOf({ a: 1 }));
  });
});
