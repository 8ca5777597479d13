import { describe, expect, it } from 'vitest';
import { boundedCopy, boundedText } from './bounded-copy.ts';

const nested = (depth: number): object => (depth === 0 ? {} : { inner: nested(depth - 1) });

describe('boundedCopy', () => {
  it('copies plain data, and writes what JSON has no word for as text', () => {
    const copy = boundedCopy({
      text: 'a',
      flag: true,
      none: null,
      missing: undefined,
      big: 12n,
      odd: Number.NaN,
      sign: Symbol('s'),
      work: () => 1,
      list: [1, undefined],
      set: new Set([1]),
      map: new Map([['k', 'v']]),
      at: new Date(0),
      never: new Date(Number.NaN),
      bytes: new Uint8Array(3),
      url: new URL('https://a.example/'),
    });
    expect(copy).toEqual({
      text: 'a',
      flag: true,
      none: null,
      big: '12',
      odd: 'NaN',
      sign: 'Symbol(s)',
      work: '[function]',
      list: [1, null],
      set: [1],
      map: [['k', 'v']],
      at: '1970-01-01T00:00:00.000Z',
      never: 'Invalid Date',
      bytes: '[3 bytes]',
      url: 'https://a.example/',
    });
  });

  it('copies errors with their causes', () => {
    const error = Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'E' });
    expect(boundedCopy({ error })).toMatchObject({
      error: { name: 'Error', message: 'outer', code: 'E', cause: { message: 'inner' } },
    });
  });

  it('threat: a getter that throws and a proxy that throws take nobody down', () => {
    const throwing = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no');
        },
      },
    );
    expect(() => boundedCopy({ throwing, proxy })).not.toThrow();
    expect(boundedCopy({ proxy })).toEqual({ proxy: '[unreadable]' });
    expect(boundedCopy(proxy)).toEqual({ fields: '[unreadable]' });
  });

  it('threat: cycles, depth, width and long texts are cut and marked', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(boundedCopy({ cycle })).toEqual({ cycle: { self: '[circular]' } });
    expect(JSON.stringify(boundedCopy(nested(100)))).toContain('[deeper]');
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${at}`, at]));
    expect(Object.keys(boundedCopy(wide)).length).toBeLessThanOrEqual(202);
    expect(boundedCopy(wide)).toHaveProperty(['[more]']);
    expect((boundedCopy({ list: new Array(5000).fill(1) }).list as unknown[]).at(-1)).toBe(
      '[more]',
    );
    expect(String(boundedCopy({ text: 'x'.repeat(100_000) }).text).length).toBe(16_384);
  });

  it('threat: a field named __proto__ changes no prototype', () => {
    const copy = boundedCopy(JSON.parse('{"__proto__":{"polluted":true},"a":1}') as object);
    expect(copy).toEqual({ a: 1 });
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });
});

describe('boundedText', () => {
  it('makes a text of bounded length of whatever is logged as a message', () => {
    expect(boundedText('x'.repeat(100_000))).toHaveLength(16_384);
    expect([boundedText(7), boundedText(null), boundedText(undefined)]).toEqual([
      '7',
      'null',
      'undefined',
    ]);
  });
});
