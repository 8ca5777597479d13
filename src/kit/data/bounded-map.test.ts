import { describe, expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

describe('a bounded map', () => {
  it('forgets the entry that was set the longest time ago', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2);
    map.get('a');
    map.set('c', 3);
    expect([...map]).toEqual([
      ['b', 2],
      ['c', 3],
    ]);
  });

  it('keeps all entries when one of them is set again, and takes that one for the newest', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2).set('a', 3);
    expect([...map]).toEqual([
      ['b', 2],
      ['a', 3],
    ]);
    map.set('c', 4);
    expect([...map.keys()]).toEqual(['a', 'c']);
  });
});
