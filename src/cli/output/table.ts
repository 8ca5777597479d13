/** Prints rows in aligned columns. Padding counts the plain text; colour is added after. */
import type { Colors, Formatter } from 'picocolors/types.js';
import type { RuleEffect } from '../../contract/policy.ts';
import { cutToWidth, padToWidth, textWidth } from '../../kit/text/text-width.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { type Io, print, widthOf } from '../io.ts';
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
}

/** Shows how long ago a moment was: `12 min ago`, or `never` for no moment. */
export const agoCell = (
  moment: number | undefined,
  { runtime, ink }: Io,
): Required<Omit<Cell, 'align'>> => ({
  text: moment === undefined ? 'never' : `${formatSpan(runtime.now() - moment)} ago`,
  paint: ink.dim,
});

/** Makes rows of facts, each below the other with its name in front. */
export const factRows = (
  facts: readonly (readonly [name: string, fact: string | Cell])[],
  ink: Colors,
): readonly (readonly [Cell, string | Cell])[] =>
  facts.map(([name, fact]) => [{ text: name, paint: ink.dim }, fact]);

const GAP = '  ';

/** Makes the first row of a table from the names of the columns. */
export const headRow = (names: readonly string[], ink: Colors): readonly Cell[] =>
  names.map((text) => ({ text, paint: ink.dim }));

const pad = ({ text, align }: Cell, width: number): string =>
  padToWidth(text, width, align === 'right' ? 'start' : 'end');

/** Makes one line for each row; the last column is cut to what is left of `width`. */
export const table = (
  cells: readonly (readonly (string | Cell)[])[],
  width = Number.POSITIVE_INFINITY,
): readonly string[] => {
  const rows = cells.map((row) =>
    row.map((cell): Cell => {
      const { text, ...rest } = typeof cell === 'string' ? { text: cell } : cell;
      return { ...rest, text: visibleText(text) };
    }),
  );
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(...rows.map((row) => textWidth(row[at]?.text ?? ''))),
  );
  const before = widths.slice(0, -1).reduce((sum, size) => sum + size + GAP.length, 0);
  widths[count - 1] = Math.min(widths[count - 1] ?? 0, Math.max(10, width - before));
  return rows.map((row) =>
    row
      .map((cell, at) => {
        const size = widths[at] ?? 0;
        const text = at === count - 1 ? cutToWidth(cell.text, size) : cell.text;
        const padded = at === row.length - 1 && !cell.align ? text : pad({ ...cell, text }, size);
        return cell.paint ? cell.paint(padded) : padded;
      })
      .join(GAP)
      .trimEnd(),
  );
};

/** Prints a table below the names of its columns, no wider than the terminal. */
export const printTable = (
  io: Io,
  names: readonly string[],
  rows: readonly (readonly (string | Cell)[])[],
): void => print(io, ...table([headRow(names, io.ink), ...rows], widthOf(io)));
