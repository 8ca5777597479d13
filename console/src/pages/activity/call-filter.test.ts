import { describe, expect, it } from 'vitest';
import { chipsOf, figureFilter } from './call-filter.tsx';

describe('the filters that a figure leads to', () => {
  it('are taken from the address, and left out where they make no sense', () => {
    const query = { tool: 'a b', user: 'ada', code: 'NETWORK', from: '1000', to: '2000' };
    expect(figureFilter({ ...query, overMs: '1.024', upToMs: '2.048' })).toEqual({
      ...query,
      overMs: '1.024',
      upToMs: '2.048',
    });
    const nonsense = { code: '<b>', from: '-1', to: 'now', overMs: '1e9', upToMs: 'x' };
    expect(Object.values(figureFilter(nonsense)).filter((value) => value !== '')).toEqual([]);
  });

  it('are named one by one, a range as one', () => {
    const chips = chipsOf({ tool: 'a', code: 'NETWORK', from: '0', to: '60000', overMs: '1.024' });
    expect(chips.map(({ names }) => names)).toEqual([
      ['tool'],
      ['code'],
      ['from', 'to'],
      ['overMs', 'upToMs'],
    ]);
    expect(chips.map(({ text }) => text).slice(0, 2)).toEqual(['tool a', 'code NETWORK']);
    expect(chips.at(-1)?.text).toBe('took over 1.0 ms');
    expect(chipsOf({ tool: '', q: 'x' })).toEqual([]);
  });
});
