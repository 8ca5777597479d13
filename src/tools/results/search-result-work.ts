/** The work of `read_result`: lines, matches of a pattern, and what a query selects. */
import { compileLinear, type LinearPattern } from '../../kit/text/linear-pattern.ts';
import { queryResult, type SearchData } from './query-result.ts';
import { grepLines, type LineMatch, layOut, linesOf } from './result-lines.ts';

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

interface SearchDeps {
  readonly search: SearchData;
  readonly pattern: LinearPattern | undefined;
}

/** The text that lines and patterns work on. */
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
  if (pattern) return grepLines(lines, { pattern, around: job.context, most: job.maxMatches });
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
