import { describe, expect, it } from 'vitest';
import { ownCopy } from './own-copy.ts';

describe('ownCopy', () => {
  it('shares nothing with the original that can be changed', () => {
    const given = {
      list: [{ a: 1 }],
      at: new Date(5),
      set: new Set([1]),
      bare: Object.create(null),
    };
    const copy = ownCopy(given);
    expect(copy).toEqual({ ...given, bare: {} });
    given.list[0] = { a: 2 };
    given.at.setTime(9);
    given.set.add(2);
    expect([copy.list, copy.at.getTime(), copy.set.size]).toEqual([[{ a: 1 }], 5, 1]);
  });

  it('copies a `__proto__` key as data', () => {
    const copy = ownCopy(JSON.parse('{"__proto__":{"x":1}}'));
    expect(Object.keys(copy)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it('hands on what cannot be cloned without losing its class', () => {
    class Money {
      readonly cents = 1;
    }
    const money = new Money();
    const call = () => 1;
    const holder = Object.assign(new Map(), { call });
    holder.set('f', call);
    expect(ownCopy(money)).toBe(money);
    expect(ownCopy(holder)).toBe(holder);
    expect(ownCopy(call)).toBe(call);
  });
});
