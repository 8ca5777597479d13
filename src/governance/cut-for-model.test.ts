import { describe, expect, it } from 'vitest';
import { cutForModel } from './cut-for-model.ts';

describe('cutting for a model', () => {
  it('says what was cut, and keeps what fits', () => {
    const cuts: string[] = [];
    const cut = cutForModel(
      { text: 'abcdef', list: [1, 2, 3], ok: 'abc' },
      { maxStringChars: 3, maxArrayItems: 2 },
      (what) => cuts.push(what),
    );
    expect(cut).toEqual({ text: 'abc… [3 more characters]', list: [1, 2], ok: 'abc' });
    expect(cuts).toHaveLength(2);
  });
});
