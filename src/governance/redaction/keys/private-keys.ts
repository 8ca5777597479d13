/**
 * Finds private keys that do not stand as one block: with a prefix on every line, in a list of lines,
 * or without their first or last line. A line of base64 as wide as those of key files is taken for
 * a part of a key unless what goes before says that it is something else.
 */
import { NO_SPANS, type Span } from '../span.ts';
import { base64Runs, MIN_RUN } from './base64-runs.ts';
import { type Content, contentOf } from './key-bytes.ts';

/** As OpenSSL and PuTTY, and as OpenSSH write them. Mail has 76, hence not that. */
const KEY_WIDTHS: readonly number[] = [64, 70];
const MIN_UPPER = 6;
const MIN_LOWER = 6;
const MIN_DIGITS = 1;
/** Between capital letters, small letters, digits and marks. Paths and names have half as many. */
const MIN_CHANGES = 28;
/** Between two lines of one key there is a line break, and what the second line starts with. */
const MAX_BETWEEN = 200;
const MAX_LINE = 512;
const MAX_BLOCK = 16_384;
/** So many lines of something else in a row end a block that has no end. */
const MAX_OTHER_LINES = 8;

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
const PUBLIC_BLOCK = /-----BEGIN (?![A-Z0-9 ]{0,30}PRIVATE KEY)[A-Z0-9 ]{1,40}-----/g;
const TOKEN = /[A-Za-z0-9+/]+={0,2}/g;
const LONG_TOKEN = 16;

const classOf = (code: number): number => {
  if (code >= 97) return 0;
  if (code >= 65) return 1;
  return code >= 48 ? 2 : 3;
};

/** Tells whether letters and digits follow each other as by chance. */
const looksMixed = (text: string, { from, to }: Span): boolean => {
  const counts: [number, number, number, number] = [0, 0, 0, 0];
  let changes = 0;
  let before = -1;
  for (let at = from; at < to; at++) {
    const kind = classOf(text.charCodeAt(at)) as 0 | 1 | 2 | 3;
    counts[kind]++;
    if (kind !== before) changes++;
    before = kind;
  }
  const [lower, upper, digits] = counts;
  return lower >= MIN_LOWER && upper >= MIN_UPPER && digits >= MIN_DIGITS && changes >= MIN_CHANGES;
};

/** Recognises a part of something longer, such as `a.b.c` or `a_b`, or a checksum that says so. */
const isPart = (text: string, { from, to }: Span): boolean =>
  /[._~%-]/.test(text.charAt(to)) ||
  /(?:[._~%]|[a-z]-|sha\d{3}[-:=])$/i.test(text.slice(Math.max(0, from - 8), from));

/** Finds where the line of a position starts; lines that are too long start nearer. */
const lineStart = (text: string, at: number): number => {
  const least = Math.max(0, at - MAX_LINE);
  return least + text.slice(least, at).lastIndexOf('\n') + 1;
};

/** Finds where the line of a position ends, or where it has become too long. */
const lineEnd = (text: string, at: number): number => {
  const length = text.slice(at, at + MAX_LINE).indexOf('\n');
  return length < 0 ? Math.min(text.length, at + MAX_LINE) : at + length;
};

/** Leaves out the sign that a diff puts before a line, which is a base64 character. */
const withoutDiffSign = (text: string, { from, to }: Span): Span => {
  const isSigned = text.charCodeAt(from) === 43 && KEY_WIDTHS.includes(to - from - 1);
  return isSigned ? { from: from + 1, to } : { from, to };
};

/** What stands before and after the base64 of a line, numbers and the last comma aside. */
interface Frame {
  readonly before: string;
  readonly after: string;
}

const frameOf = (line: string, { from, to }: Span): Frame => ({
  before: line.slice(0, from).replaceAll(/\d+/g, '0'),
  after: line.slice(to).trimEnd().replace(/,$/, '').replaceAll(/\d+/g, '0'),
});

const sameFrame = (a: Frame, b: Frame): boolean => a.before === b.before && a.after === b.after;

/** Finds the base64 of a line that has the frame of the line before it. */
const framedToken = (line: string, frame: Frame): Span | undefined => {
  for (const { 0: token, index } of line.matchAll(TOKEN)) {
    const signed = frame.before.endsWith('+') && token.startsWith('+') ? 1 : 0;
    const span = { from: index + signed, to: index + token.length };
    if (span.to > span.from && sameFrame(frameOf(line, span), frame)) return span;
  }
  return undefined;
};

/** Tells the rest of a key from a word: by padding, a digit, or a capital inside. */
const looksLikeRest = (token: string): boolean =>
  /=$|\d/.test(token) || /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(token);

/** Finds the last line of a key, which is shorter than the others. */
const restAfter = (text: string, run: Span): Span | undefined => {
  const start = lineStart(text, run.from);
  const end = lineEnd(text, run.to);
  if (text.charCodeAt(end) !== 10) return undefined;
  let to = run.to;
  while (text.charCodeAt(to) === 61) to++;
  const frame = frameOf(text.slice(start, end), { from: run.from - start, to: to - start });
  const next = end + 1;
  const line = text.slice(next, lineEnd(text, next));
  const token = framedToken(line, frame);
  if (!token || !looksLikeRest(line.slice(token.from, token.to))) return undefined;
  return { from: next + token.from, to: next + token.to };
};

const isNextLine = (text: string, before: Span | undefined, { from }: Span): boolean => {
  if (!before || from - before.to > MAX_BETWEEN) return false;
  const between = text.slice(before.to, from);
  const first = between.indexOf('\n');
  return first >= 0 && between.lastIndexOf('\n') === first;
};

/** Finds the blocks that say that they are no private key. */
const publicBlocks = (text: string): readonly Span[] =>
  text.includes('-----BEGIN ')
    ? Array.from(text.matchAll(PUBLIC_BLOCK), ({ 0: head, index }) => {
        const from = index + head.length;
        const end = text.indexOf('-----', from);
        return { from, to: end < 0 ? text.length : end };
      })
    : NO_SPANS;

/** Judges stretches of base64 one after the other: the first of several lines speaks for all. */
const bareLines = (text: string, runs: readonly Span[]): readonly Span[] => {
  const spans: Span[] = [];
  const blocks = publicBlocks(text);
  let block = 0;
  let before: Span | undefined;
  let content: Content = 'unknown';
  let width = 0;
  for (const whole of runs) {
    const run = withoutDiffSign(text, whole);
    while ((blocks[block]?.to ?? run.from) < run.from) block++;
    if (!isNextLine(text, before, run)) {
      content = contentOf(text, run.from);
      width = run.to - run.from;
    }
    before = run;
    const isPublic = content === 'public' || (blocks[block]?.from ?? run.to) < run.from;
    // Lines of a key are equally long: one of another length is the end of something else.
    const isWide = width === run.to - run.from && KEY_WIDTHS.includes(width);
    const isKey =
      content === 'private' || (!isPublic && isWide && looksMixed(text, run) && !isPart(text, run));
    if (!isKey) continue;
    const rest = restAfter(text, run);
    spans.push(run);
    if (rest) spans.push(rest);
  }
  return spans;
};

/** Finds the lines of a block from its first line on, whatever stands before each. */
const blockLines = (text: string, begin: Span): readonly Span[] => {
  const spans: Span[] = [];
  const start = lineStart(text, begin.from);
  const first = text.slice(start, lineEnd(text, begin.to));
  const frame = frameOf(first, { from: begin.from - start, to: begin.to - start });
  const room = text.slice(begin.to, begin.to + MAX_BLOCK);
  const marker = room.indexOf('-----');
  const limit = begin.to + (marker < 0 ? room.length : marker);
  let others = 0;
  for (let at = begin.to; at < limit && others < MAX_OTHER_LINES; ) {
    const to = Math.min(lineEnd(text, at), limit);
    const line = text.slice(at, to);
    const framed = at > begin.to && line.length <= MAX_LINE ? framedToken(line, frame) : undefined;
    const tokens = framed ? [framed] : longTokens(line);
    others = tokens.length > 0 ? 0 : others + 1;
    for (const token of tokens) spans.push({ from: at + token.from, to: at + token.to });
    at = to + 1;
  }
  return spans;
};

const longTokens = (line: string): readonly Span[] =>
  Array.from(line.matchAll(TOKEN), ({ 0: token, index }) => ({
    from: index,
    to: index + token.length,
  })).filter(
    ({ from, to }) =>
      (to - from >= LONG_TOKEN && /\d/.test(line.slice(from, to))) ||
      line.charCodeAt(to - 1) === 61,
  );

const blocks = (text: string): readonly Span[] => {
  const spans: Span[] = [];
  let done = 0;
  for (const { 0: head, index } of text.matchAll(BEGIN)) {
    if (index < done) continue;
    const lines = blockLines(text, { from: index, to: index + head.length });
    for (const line of lines) spans.push(line);
    done = lines.at(-1)?.to ?? index;
  }
  return spans;
};

/** Finds what belongs to a private key; in no order. */
export const findPrivateKeys = (text: string): readonly Span[] => {
  if (text.length < MIN_RUN) return NO_SPANS;
  const runs = base64Runs(text);
  const lines = runs ? bareLines(text, runs) : NO_SPANS;
  if (!text.includes('PRIVATE KEY')) return lines;
  return [...lines, ...blocks(text)];
};
