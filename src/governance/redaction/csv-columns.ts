/**
 * Finds secrets in a text whose first line names its columns. The names are read once: later parts of
 * a long text do not hold them.
 */
import { isMixed } from './mixed-value.ts';
import type { NameKind } from './secret-names.ts';
import { isFolder, isPlaceholder } from './secret-values.ts';
import { NO_SPANS, type Span } from './span.ts';

interface Column {
  readonly name: string;
  readonly kind: NameKind;
}

export interface Columns {
  readonly separator: string;
  /** Drawn for people, with words in every column: only what is written like a secret is one. */
  readonly isDrawn: boolean;
  readonly columns: readonly Column[];
  /** Where the rows begin, in the text that holds the names. */
  readonly rowsFrom: number;
}

const MAX_HEAD = 2_000;
const MAX_NAME = 64;
/** A quoted cell may go on in the next lines, but a stray quote must not take in the rows after it. */
const MAX_LINES = 8;
const HEAD = /^[\w "'.,;|\t\u00c0-\uffff-]+$/;
/** Blank lines, comments and borders before the names. */
const BEFORE_HEAD = /(?:[ \t]*(?:[#+][^\n]{0,200})?\r?\n){0,5}/y;
/** The line that psql draws between the names and the rows. */
const DATA_RULE = /-+(?:\+-+)+\s*(?:\n|$)/y;
const RULE = /^[-:=+]+$/;
const CELL = /"(?:[^"]|"")*"|[^,;\t"]*/y;

/** Splits a row at one separator; the cells keep their quotes. */
const cellsOf = (row: string, separator: string): readonly Span[] => {
  const cells: Span[] = [];
  for (let at = 0; at <= row.length; ) {
    CELL.lastIndex = at;
    const isQuoted = row.charAt(at) === '"' && CELL.test(row);
    const next = row.indexOf(separator, isQuoted ? CELL.lastIndex : at);
    const to = next < 0 ? row.length : next;
    cells.push({ from: at, to });
    if (next < 0) break;
    at = to + 1;
  }
  return cells;
};

const plainCell = (row: string, { from, to }: Span): string =>
  row.slice(from, to).trim().replace(/^"|"$/g, '');

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
};

/** Reads the names of the columns from the first line of a text, if it has any that are secret. */
export const columnsOf = (
  text: string,
  kindOf: (name: string) => NameKind,
): Columns | undefined => {
  BEFORE_HEAD.lastIndex = 0;
  BEFORE_HEAD.test(text);
  const start = BEFORE_HEAD.lastIndex;
  const end = text.indexOf('\n', start);
  const head = end < 0 || end - start > MAX_HEAD ? '' : text.slice(start, end).trimEnd();
  const separator = [',', ';', '\t', '|'].find((mark) => head.includes(mark));
  if (separator === undefined || !HEAD.test(head)) return undefined;
  const columns = cellsOf(head, separator).map((cell): Column => {
    const name = plainCell(head, cell);
    return { name, kind: name.length <= MAX_NAME ? kindOf(name) : 'plain' };
  });
  if (columns.length < 2 || columns.every(({ kind }) => kind === 'plain')) return undefined;
  DATA_RULE.lastIndex = end + 1;
  const isDrawn = separator === '|' && head.startsWith('|') && !DATA_RULE.test(text);
  return { separator, isDrawn, columns, rowsFrom: end + 1 };
};

const isSecretCell = ({ name, kind }: Column, value: string, isDrawn: boolean): boolean => {
  if (kind === 'plain' || value === '' || RULE.test(value) || isPlaceholder(value)) return false;
  // A column of tokens may list the words of a text: only what looks random is a secret.
  return kind === 'password' && !isDrawn ? !isFolder(name, value) : isMixed(value);
};

const hasEvenQuotes = (text: string): boolean => text.split('"').length % 2 === 1;

interface Row {
  readonly end: number;
  readonly cells: readonly Span[];
}

/** Reads the row that starts at a position: a line, or several when a quoted cell holds line breaks. */
const rowAt = (text: string, from: number, { separator, columns }: Columns): Row | undefined => {
  let end = lineEnd(text, from);
  for (let lines = 1; lines <= MAX_LINES; lines += 1) {
    const row = text.slice(from, end);
    if (lines === 1 || hasEvenQuotes(row)) {
      const cells = cellsOf(row.trimEnd(), separator);
      if (cells.length === columns.length) return { end, cells };
    }
    if (end === text.length || (lines === 1 && hasEvenQuotes(row))) return undefined;
    end = lineEnd(text, end + 1);
  }
  return undefined;
};

/** Finds the secrets in the rows from a position on. Lines with other numbers of cells are skipped. */
export const inColumns = (text: string, columns: Columns, rowsFrom: number): readonly Span[] => {
  const spans: Span[] = [];
  for (let start = rowsFrom; start < text.length; ) {
    const row = rowAt(text, start, columns);
    const end = row?.end ?? lineEnd(text, start);
    for (const [at, cell] of (row?.cells ?? NO_SPANS).entries()) {
      const from = start + cell.from;
      const to = start + cell.to;
      const value = plainCell(text, { from, to });
      const column = columns.columns[at];
      if (column !== undefined && isSecretCell(column, value, columns.isDrawn))
        spans.push({ from, to });
    }
    start = end + 1;
  }
  return spans;
};
