import { describe, expect, it } from 'vitest';
import { errorCodeOf, reasonOf, thrownText, thrownTrace } from './reason-of.ts';

const hostile = (): unknown[] => [
  new Proxy(new Error('x'), {
    getPrototypeOf() {
      throw new Error('trap');
    },
    get() {
      throw new Error('trap');
    },
  }),
  Object.defineProperty(new Error('x'), 'message', {
    get() {
      throw new Error('getter');
    },
  }),
  {
    toString() {
      throw new Error('toString');
    },
  },
  Object.create(null),
];

describe('reading what was thrown', () => {
  it('gives the message of an error and the text of anything else', () => {
    expect(reasonOf(new Error('The disk is full.'))).toBe('The disk is full.');
    expect(reasonOf('stopped')).toBe('stopped');
    expect(reasonOf(7)).toBe('7');
    expect(errorCodeOf(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe('ENOENT');
    expect(errorCodeOf(undefined)).toBe('');
    expect(errorCodeOf({ code: 7 })).toBe('');
  });

  it('says that a failure gave no reason instead of showing an empty text', () => {
    expect(thrownText(new Error(''))).toBe('');
    expect(reasonOf(new Error(''))).toBe('It failed without saying why.');
  });

  it('does not throw for a value whose getters, traps or toString throw', () => {
    for (const thrown of hostile()) {
      expect(typeof reasonOf(thrown)).toBe('string');
      expect(typeof thrownTrace(thrown)).toBe('string');
      expect(typeof errorCodeOf(thrown)).toBe('string');
    }
  });
});
