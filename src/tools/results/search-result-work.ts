/**
 * The work of `read_result`: lines, matches of a pattern, and JMESPath queries. A query sees own
 * properties only, and the size of its answer is limited.
 */
import { ToolFailure } from '../../contract/errors.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { compileLinear, type LinearPattern } from '../../kit/text/linear-pattern.ts';

interface LineMatch {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

export interface SearchJob {
  readonly text: string;
  readonly query?: string | undefined;
  readonly grep?: string | undefined;
  readonly ignoreCase: boolean;
  readonly context: number;
  readonly maxMatches: number;
  readonly lines?: { readonly from: number; readonly count: number } | undefined;
}

export interface SearchAnswer {
  readonly value?: unknown;
  readonly text?: string;
  readonly matches?: readonly LineMatch[];
  readonly total: number;
}

const MAX_LINE_LENGTH = 500;
/** Characters shown before a match in a line that is cut. */
const LEAD = 100;

/** Formats data, which is stored as JSON on one line, over several lines. */
const layOut = (text: string): string => {
  if (!/^\s*[[{]/.test(text) || text.trimEnd().includes('\n')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
};

const short = (line: string, at = 0): string => {
  if (line.length <= MAX_LINE_LENGTH) return line;
  const from = Math.max(0, at - LEAD);
  return `${from > 0 ? '…' : ''}${line.slice(from, from + MAX_LINE_LENGTH)}…`;
};

const linesOf = (text: string): readonly string[] => text.split(/\r?\n/);

/** Counts every match and returns the first ones. */
const grepLines = (
  lines: readonly string[],
  pattern: LinearPattern,
  { context, maxMatches }: SearchJob,
): { readonly matches: readonly LineMatch[]; readonly total: number } => {
  const matches: LineMatch[] = [];
  let total = 0;
  for (const [index, line] of lines.entries()) {
    const match = pattern.find(line);
    if (!match) continue;
    total += 1;
    if (matches.length >= maxMatches) continue;
    const before = lines.slice(Math.max(0, index - context), index);
    const after = lines.slice(index + 1, index + 1 + context);
    matches.push({
      line: index + 1,
      text: short(line, match.start),
      ...(before.length > 0 && { before: before.map((each) => short(each)) }),
      ...(after.length > 0 && { after: after.map((each) => short(each)) }),
    });
  }
  return { matches, total };
};

/** Limits of a query's answer: an expression can repeat the same part without end. */
const MAX_NODES = 1_000_000;
const MAX_CHARACTERS = 20_000_000;
const MAX_DEPTH = 150;

/** Removes prototypes, so that `constructor` and `__proto__` are names like any other. */
const bare = (_key: string, value: unknown): unknown =>
  isRecord(value) ? Object.setPrototypeOf(value, null) : value;

const noJson = (): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', 'The result is plain text, so it cannot be queried.', {
    suggestions: ['Use grep, lines or offset instead of query.'],
  });

const tooMuch = (): ToolFailure =>
  new ToolFailure('OUTPUT_TOO_LARGE', 'The query makes more than it may.', {
    suggestions: ['Select less, e.g. with a filter or a slice.'],
  });

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text, bare);
  } catch {
    throw noJson();
  }
};

const assertSmall = (value: unknown): void => {
  const left = { nodes: MAX_NODES, characters: MAX_CHARACTERS };
  const visit = (each: unknown, depth: number): void => {
    left.nodes -= 1;
    if (typeof each === 'string') left.characters -= each.length;
    if (left.nodes < 0 || left.characters < 0 || depth > MAX_DEPTH) throw tooMuch();
    if (typeof each !== 'object' || each === null) return;
    for (const item of Object.values(each)) visit(item, depth + 1);
  };
  visit(value, 0);
};

const isLibraryError = (error: unknown): error is Error =>
  error instanceof Error && !(error instanceof ToolFailure) && error.name !== 'RangeError';

const badQuery = (error: Error): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `The query is no JMESPath that fits: ${error.name}.`, {
    suggestions: ['Write it like: items[?price > `10`].{name: name, price: price} | [:20]'],
  });

/** The part of the library that is used. */
type SearchData = (data: unknown, expression: string) => unknown;

/** Runs a query on a stored result. Fails with VALIDATION_ERROR or OUTPUT_TOO_LARGE. */
const queryResult = (search: SearchData, text: string, expression: string): unknown => {
  const data = parse(text);
  try {
    const selected = search(data, expression);
    assertSmall(selected);
    return selected;
  } catch (error) {
    throw isLibraryError(error) ? badQuery(error) : error;
  }
};

interface SearchDeps {
  readonly search: SearchData;
  readonly pattern: LinearPattern | undefined;
}

/** Returns the text that lines and patterns are taken from. */
const sourceOf = ({ query, text }: SearchJob, search: SearchData): string => {
  if (query === undefined) return layOut(text);
  const value = queryResult(search, text, query) ?? null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
};

const answerTo = (job: SearchJob, { search, pattern }: SearchDeps): SearchAnswer => {
  if (!pattern && job.lines === undefined) {
    return { value: queryResult(search, job.text, job.query ?? '@'), total: job.text.length };
  }
  const lines = linesOf(sourceOf(job, search));
  if (pattern) return grepLines(lines, pattern, job);
  const { from = 1, count = lines.length } = job.lines ?? {};
  return { text: lines.slice(from - 1, from - 1 + count).join('\n'), total: lines.length };
};

export const prepare = async (job: SearchJob) => {
  const { default: jmespath } = await import('jmespath');
  const { grep, ignoreCase } = job;
  const pattern = grep === undefined ? undefined : await compileLinear(grep, { ignoreCase });
  const search: SearchData = (data, expression) => jmespath.search(data, expression);
  return () => answerTo(job, { search, pattern });
};
