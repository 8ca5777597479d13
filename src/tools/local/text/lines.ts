/** Splits a text into lines so that they can be joined with the same line ends. */

interface Lines {
  readonly lines: readonly string[];
  /**
   * The first line end of the text; `
   * ` when it has none.
   */
  readonly lineEnd: string;
  /** True when the last line has a line end too. */
  readonly ended: boolean;
}

const LINE_END = /\r\n|\n|\r/u;

export const linesOf = (text: string): Lines => {
  const lineEnd = LINE_END.exec(text)?.[0] ?? '\n';
  const lines = text.split(LINE_END);
  const ended = lines.at(-1) === '';
  return { lines: ended ? lines.slice(0, -1) : lines, lineEnd, ended: ended && text !== '' };
};

const joined = (lines: readonly string[], { lineEnd, ended }: Lines): string =>
  `${lines.join(lineEnd)}${ended ? lineEnd : ''}`;

const byKey = (a: { key: string; line: string }, b: { key: string; line: string }): number => {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  if (a.line === b.line) return 0;
  return a.line < b.line ? -1 : 1;
};

/** Sorts alphabetically, ignoring case; accented letters come next to plain ones. */
export const sortLines = (text: string): string => {
  const parts = linesOf(text);
  const sorted = parts.lines
    .map((line) => ({ key: line.normalize('NFKD').toLowerCase(), line }))
    .sort(byKey)
    .map(({ line }) => line);
  return joined(sorted, parts);
};

/** Keeps the first of equal lines. */
export const dedupeLines = (text: string): string => {
  const parts = linesOf(text);
  return joined([...new Set(parts.lines)], parts);
};
