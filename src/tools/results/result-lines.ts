/** A stored result as lines: a range of them, or those that match with the lines around them. */
import type { LinearPattern } from '../../kit/text/linear-pattern.ts';

export interface LineMatch {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

export interface Grep {
  readonly pattern: LinearPattern;
  readonly around: number;
  readonly most: number;
}

const LONGEST = 500;
const LEAD = 100;

/** Data is kept as JSON on one line; for lines it is laid out. */
export const layOut = (text: string): string => {
  if (!/^\s*[[{]/.test(text) || text.trimEnd().includes('\n')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
};

const short = (line: string, at = 0): string => {
  if (line.length <= LONGEST) return line;
  const from = Math.max(0, at - LEAD);
  return `${from > 0 ? '…' : ''}${line.slice(from, from + LONGEST)}…`;
};

export const linesOf = (text: string): readonly string[] => text.split(/\r?\n/);

/** Every match is counted, the first ones are returned. */
export const grepLines = (
  lines: readonly string[],
  { pattern, around, most }: Grep,
): { readonly matches: readonly LineMatch[]; readonly total: number } => {
  const matches: LineMatch[] = [];
  let total = 0;
  for (const [index, line] of lines.entries()) {
    const match = pattern.find(line);
    if (!match) continue;
    total += 1;
    if (matches.length >= most) continue;
    const before = lines.slice(Math.max(0, index - around), index);
    const after = lines.slice(index + 1, index + 1 + around);
    matches.push({
      line: index + 1,
      text: short(line, match.start),
      ...(before.length > 0 && { before: before.map((each) => short(each)) }),
      ...(after.length > 0 && { after: after.map((each) => short(each)) }),
    });
  }
  return { matches, total };
};
