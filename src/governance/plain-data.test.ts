/** Large objects and proxies of a tool are read, never written to. */
import { describe, expect, it } from 'vitest';
import { plainData } from './plain-data.ts';
import { Redactor } from './redaction/redaction.ts';

/** More fields than are copied at once. */
const MANY = 1_001;
const many = (make: (n: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`k${n}`, make(n)]));

const clean = (value: unknown): unknown => plainData(value, new Redactor()).data;

class Point {
  readonly x: number;

  constructor(x: number) {
    this.x = x;
  }
}

describe('a large object with objects inside', () => {
  it('is returned whole when the tool has frozen it', () => {
    expect(clean(Object.freeze(many((n) => ({ n }))))).toEqual(many((n) => ({ n })));
  });

  it('is returned whole when a getter answers with an object', () => {
    const large = many((n) => n);
    Object.defineProperty(large, 'k7', { enumerable: true, get: () => ({ made: 'now' }) });
    expect(clean(large)).toEqual({ ...many((n) => n), k7: { made: 'now' } });
  });

  it('stays as it is when the tool keeps it for later calls', () => {
    const point = new Point(1);
    const list = [1];
    const cached = many((n) => (n === 0 ? point : n === 1 ? list : n));
    expect(clean(cached)).toMatchObject({ k0: { x: 1 }, k1: [1] });
    expect(cached.k0).toBe(point);
    expect(cached.k1).toBe(list);
  });
});

describe('a proxy with objects inside', () => {
  it('is returned whole when it refuses to be written to', () => {
    const closed = new Proxy({ inner: { a: 1 }, list: [{ b: 2 }] }, { set: () => false });
    expect(clean(closed)).toEqual({ inner: { a: 1 }, list: [{ b: 2 }] });
  });

  it('is not written to', () => {
    const written: (string | symbol)[] = [];
    const watched = new Proxy(
      { inner: { a: 1 } },
      {
        set: (target, key, value) => {
          written.push(key);
          return Reflect.set(target, key, value);
        },
      },
    );
    expect(clean({ watched })).toEqual({ watched: { inner: { a: 1 } } });
    expect(written).toEqual([]);
  });
});
