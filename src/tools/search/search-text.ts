/** Finds the lines of one text that match, with the lines around them. */

export interface LineMatch {
  /** Both counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** Where in a line the match starts, or -1. */
export type FindInLine = (line: string) => number;

const LONGEST = 1000;
const LEAD = 200;

/** Long lines are cut to the part around the match. */
const shortened = (line: string, at: number): string => {
  if (line.length <= LONGEST) return line;
  const from = Math.max(0, at - LEAD);
  return line.slice(from, from + LONGEST);
};

/** The content as lines without their ends; `undefined` for a binary file. */
export const linesToSearch = (bytes: Uint8Array): readonly string[] | undefined => {
  if (bytes.includes(0)) return undefined;
  const lines = new TextDecoder().decode(bytes).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
};

export const searchText = function* (
  lines: readonly string[],
  find: FindInLine,
  contextLines: number,
): Generator<LineMatch> {
  for (const [index, line] of lines.entries()) {
    const at = find(line);
    if (at < 0) continue;
    const around = (from: number, to: number) =>
      lines.slice(Math.max(0, from), to).map((each) => shortened(each, 0));
    yield {
      line: index + 1,
      column: at + 1,
      text: shortened(line, at),
      ...(contextLines > 0 && {
        before: around(index - contextLines, index),
        after: around(index + 1, index + 1 + contextLines),
      }),
    };
  }
};
