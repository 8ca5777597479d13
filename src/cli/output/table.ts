/** Prints rows in aligned columns. Padding counts the plain text; colour is added after. */
import type { Colors, Formatter } from 'picocolors/types.js';
import type { RuleEffect } from '../../contract/policy.ts';
import { cutToWidth, padToWidth, textWidth } from '../../kit/text/text-width.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { hint, type Io, print, widthOf } from '../io.ts';
import { formatSpan } from './format-units.ts';

/** Shows the effect of a rule in its colour. */
export const ruleEffectCell = (effect: RuleEffect, ink: Colors): Cell => {
  if (effect === 'allow') return { text: effect, paint: ink.green };
  return { text: effect, paint: effect === 'deny' ? ink.red : ink.yellow };
};

export interface Cell {
  readonly text: string;
  readonly paint?: Formatter;
  readonly align?: 'right';
  /** True for what has to be copied, such as an id: it is never cut. */
  readonly whole?: boolean;
}

/** Shows how long ago a moment was: `12 min ago`, or `never` for no moment. */
export const agoCell = (
  moment: number | undefined,
  { runtime, ink }: Io,
): Required<Pick<Cell, 'text' | 'paint'>> => ({
  text: moment === undefined ? 'never' : `${formatSpan(runtime.now() - moment)} ago`,
  paint: ink.dim,
});

/** Names, each with its fact. */
export type Facts = readonly (readonly [name: string, fact: string | Cell])[];

/** Makes rows of facts, each below the other with its name in front. */
export const factRows = (facts: Facts, ink: Colors): readonly (readonly [Cell, string | Cell])[] =>
  facts.map(([name, fact]) => [{ text: name, paint: ink.dim }, fact]);

const GAP = '  ';

/** Makes the first row of a table from the names of the columns. */
export const headRow = (names: readonly string[], ink: Colors): readonly Cell[] =>
  names.map((text) => ({ text, paint: ink.dim }));

const pad = ({ text, align }: Cell, width: number): string =>
  padToWidth(text, width, align === 'right' ? 'start' : 'end');

/** The narrowest that a column is cut to. */
const MIN_WIDTH = 12;
/** The same for the last column. */
const MIN_LAST = 10;

interface Column {
  readonly width: number;
  /** The narrowest that it may be. */
  readonly least: number;
}

const plainRows = (cells: readonly (readonly (string | Cell)[])[]): readonly (readonly Cell[])[] =>
  cells.map((row) =>
    row.map((cell): Cell => {
      const { text, ...rest } = typeof cell === 'string' ? { text: cell } : cell;
      return { ...rest, text: visibleText(text) };
    }),
  );

/** Measures the columns. The first one names the row, so it is not cut either, unless it is the only one. */
const columnsOf = (rows: readonly (readonly Cell[])[]): readonly Column[] => {
  const count = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: count }, (_, at) => {
    const width = Math.max(...rows.map((row) => textWidth(row[at]?.text ?? '')));
    const isLast = at === count - 1;
    const isWhole = (at === 0 && !isLast) || rows.some((row) => row[at]?.whole === true);
    return { width, least: isWhole ? width : Math.min(width, isLast ? MIN_LAST : MIN_WIDTH) };
  });
};

const sumOf = (columns: readonly Column[], size: keyof Column): number =>
  columns.reduce((sum, column) => sum + column[size] + GAP.length, -GAP.length);

/** Cuts the last column, then the widest ones, until a row fits. */
const fittedWidths = (columns: readonly Column[], width: number): readonly number[] => {
  const sizes = columns.map((column) => column.width);
  const last = sizes.length - 1;
  let over = sumOf(columns, 'width') - width;
  const cut = (at: number, by: number): void => {
    const { least = 0 } = columns[at] ?? {};
    const taken = Math.min(by, (sizes[at] ?? 0) - least);
    sizes[at] = (sizes[at] ?? 0) - taken;
    over -= taken;
  };
  if (over > 0) cut(last, over);
  while (over > 0) {
    const spare = sizes.map((size, at) => size - (columns[at]?.least ?? 0));
    const widest = spare.indexOf(Math.max(...spare));
    if ((spare[widest] ?? 0) <= 0) break;
    cut(widest, Math.ceil(over / sizes.length));
  }
  return sizes;
};

/**
 * Leaves out columns of a table that does not fit, in the order of `spare`, by their place in the first
 * row. Nothing is left out where the width has no limit.
 */
export const withoutSpare = (
  cells: readonly (readonly (string | Cell)[])[],
  width: number,
  spare: readonly number[],
): readonly (readonly (string | Cell)[])[] => {
  const out = new Set<number>();
  const left = () => cells.map((row) => row.filter((_, at) => !out.has(at)));
  for (const at of spare) {
    if (sumOf(columnsOf(plainRows(left())), 'least') <= width) break;
    out.add(at);
  }
  return left();
};

/** Makes one line for each row; columns are cut to the width, the last one first. */
export const table = (
  cells: readonly (readonly (string | Cell)[])[],
  width = Number.POSITIVE_INFINITY,
): readonly string[] => {
  const rows = plainRows(cells);
  const widths = fittedWidths(columnsOf(rows), width);
  return rows.map((row) =>
    row
      .map((cell, at) => {
        const size = widths[at] ?? 0;
        const text = cutToWidth(cell.text, size);
        const padded = at === row.length - 1 && !cell.align ? text : pad({ ...cell, text }, size);
        return cell.paint ? cell.paint(padded) : padded;
      })
      .join(GAP)
      .trimEnd(),
  );
};

export interface TableHead {
  readonly names: readonly string[];
  /** The places of columns that a narrow terminal does without, in that order. */
  readonly spare: readonly number[];
  /** Columns are left out until the others have so much more than the least they need. */
  readonly room?: number;
}

/** Prints a table below the names of its columns, no wider than the terminal, and says what is left out. */
export const printTable = (
  io: Io,
  head: TableHead | readonly string[],
  rows: readonly (readonly (string | Cell)[])[],
): void => {
  const { names, spare, room = 0 }: TableHead = 'names' in head ? head : { names: head, spare: [] };
  const width = widthOf(io);
  const shown = withoutSpare([headRow(names, io.ink), ...rows], width - room, spare);
  print(io, ...table(shown, width));
  const left = new Set(shown[0]?.map((cell) => (typeof cell === 'string' ? cell : cell.text)));
  const hidden = names.filter((name) => !left.has(name));
  if (hidden.length > 0) hint(io, `Not shown here: ${hidden.join(', ')}. --json has all.`);
};
