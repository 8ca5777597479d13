/** Finds the end of a token that a terminal, a mail program or a backslash has broken into lines. */
import type { Span } from '../span.ts';

const MAX_TOKEN = 600;
const MAX_BREAKS = 4;
/** Less than this before a line break is a word that happens to stand there. */
const MIN_FIRST_PART = 8;
const PART = /[A-Za-z0-9_.+/=-]+/y;
const BREAK = /\\?\r?\n[ \t]{0,16}/y;
/** The rest of a token in the next line: alone as a word, with digits and letters. */
const REST =
  /\\?\r?\n[ \t]{0,16}(?=[A-Za-z_-]{0,32}\d)(?=[\d_-]{0,32}[A-Za-z])[A-Za-z0-9_+/-]{6,255}={0,2}(?=[\s"'`]|$)/y;

/** Where a sticky pattern that starts at `at` ends; -1 when it does not match there. */
export const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

/** The parts of what may be a token, in order. */
const partsFrom = (text: string, from: number): readonly Span[] => {
  const parts: Span[] = [];
  for (let at = from; parts.length <= MAX_BREAKS && at - from < MAX_TOKEN; ) {
    const to = endOf(PART, text, at);
    if (to < 0) break;
    parts.push({ from: at, to });
    at = endOf(BREAK, text, to);
    if (at < 0) break;
  }
  return parts;
};

/** Where a token ends that fits its pattern only when its lines are joined; -1 when there is none. */
const joinedEnd = (body: RegExp, text: string, from: number): number => {
  const parts = partsFrom(text, from);
  const first = parts[0];
  if (!first || first.to - first.from < MIN_FIRST_PART) return -1;
  let joined = text.slice(first.from, first.to);
  // As few lines as it takes: the next one may be something else.
  for (const part of parts.slice(1)) {
    const before = joined.length;
    joined += text.slice(part.from, part.to);
    const end = endOf(body, joined, 0);
    if (end > before) return part.from + end - before;
  }
  return -1;
};

/** Where a token that starts at `from` ends, given where it ends in its first line (-1: nowhere). */
export const wrappedEnd = (body: RegExp, text: string, { from, to }: Span): number => {
  if (to < 0) return joinedEnd(body, text, from);
  const next = text.charCodeAt(to);
  if (next !== 10 && next !== 13 && next !== 92) return to;
  return Math.max(to, endOf(REST, text, to));
};
