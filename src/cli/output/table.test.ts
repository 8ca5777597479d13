import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import { textWidth } from '../../kit/text/text-width.ts';
import { printTable, table, withoutSpare } from './table.ts';

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

  const long = 'delete, path: notes.md, regex: false, backup: true, and so on';
  const rows = [
    ['approval_59b6fe4f', 'file_operations', long, 'write', 'free', `user ${'a'.repeat(40)}`],
    ['approval_d596a482', 'read', 'short', 'read_only', '$0.0035', 'user b'],
  ];

  it('a table with a long column in its middle is cut to the width of the terminal', () => {
    for (const width of [60, 80, 120]) {
      const lines = table(withoutSpare(rows, width, [4, 3]), width);
      expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(width);
      expect(lines.map((line) => line.slice(0, 17))).toEqual(rows.map(([id]) => id));
    }
  });

  it('columns that can be spared go before others are cut to nothing', () => {
    const lines = table(withoutSpare(rows, 60, [4, 3]), 60).join();
    expect([lines.includes('free'), lines.includes('delete')]).toEqual([false, true]);
    expect(table(withoutSpare(rows, 80, [4, 3]), 80).join()).toContain('write');
  });

  it('what is to be copied is never cut', () => {
    const lines = table([['a', { text: 'x0mwmofov90000c5fbf1a26852f31e', whole: true }, long]], 40);
    expect(lines[0]).toContain('x0mwmofov90000c5fbf1a26852f31e');
  });

  it('what is to be copied is not cut in the last column either, nor behind a mark', () => {
    const name = 'server_with_a_long_name__tool_with_a_long_name';
    const last = table([['well', long, { text: name, whole: true }]], 80);
    expect(last[0]).toMatch(new RegExp(`${name}$`));
    const marked = table([['✓', { text: name, whole: true }, 'builtin', long]], 80);
    expect(marked[0]).toContain(`${name} `);
    expect(textWidth(marked[0] ?? '')).toBeLessThanOrEqual(80);
  });

  it('nothing is cut or spared where the width has no limit', () => {
    const wide = Number.POSITIVE_INFINITY;
    expect(withoutSpare(rows, wide, [4, 3])).toEqual(rows);
    expect(table(rows)[0]).toContain(long);
  });
});

describe('printTable', () => {
  const head = { names: ['id', 'what', 'by'], spare: [2] };
  const row = ['x', 'w'.repeat(30), 'somebody with a long name'];
  const printed = (columns: number) => {
    const { io, out, err } = fakeIo();
    Object.assign(io.stdout, { isTTY: true, columns });
    printTable(io, head, [[{ text: 'x'.repeat(20), whole: true }, ...row.slice(1)]]);
    return [out(), err()] as const;
  };

  it('says which columns a narrow terminal does without, and where they are', () => {
    const [narrow, hints] = printed(40);
    expect(narrow).not.toContain('somebody');
    expect(hints).toBe('Not shown here: by. --json has all.\n');
    const [wide, none] = printed(120);
    expect(wide).toContain('somebody');
    expect(none).toBe('');
  });
});
