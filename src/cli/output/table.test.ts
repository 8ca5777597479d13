import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { table } from './table.ts';

describe('table', () => {
  it('aligns columns and leaves no blanks at the end', () => {
    expect(
      table([
        ['a', 'long name', 'x'],
        ['bcd', 'n', ''],
      ]),
    ).toEqual(['a    long name  x', 'bcd  n']);
  });

  it('cuts the last column to the width', () => {
    expect(table([['name', 'a rather long description']], 20)).toEqual(['name  a rather long…']);
  });

  it('pads before it colours', () => {
    const ink = pc.createColors(true);
    const [first] = table([
      [{ text: 'a', paint: ink.red }, 'x'],
      ['bcd', 'y'],
    ]);
    expect(first).toBe(`${ink.red('a  ')}  x`);
  });

  it('aligns numbers on the right', () => {
    expect(table([[{ text: '5', align: 'right' }], [{ text: '500', align: 'right' }]])).toEqual([
      '  5',
      '500',
    ]);
  });

  it('keeps every cell on its line', () => {
    expect(table([['a\nb\u001b[2J', 'c']])).toEqual(['a␊b␛[2J  c']);
  });

  it('is empty for no rows', () => {
    expect(table([])).toEqual([]);
  });
});
