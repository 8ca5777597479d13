/**
 * `read_result`: reads part of a result that was too long to be returned, by its handle: a page, lines,
 * matches of a pattern, or the answer of a query. It reads results of the calling user only.
 */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import { runDataWork } from '../../kit/work/data-work.ts';
import type { SearchAnswer, SearchJob } from './search-result-work.ts';

export type ResultReader = Pick<ToolContext, 'userId' | 'agentId' | 'sessionId' | 'authenticated'>;

export interface ReadResultOptions {
  /** Reads a range of characters; `undefined` for a handle that is unknown or belongs to another user. */
  read(
    handle: string,
    range: { readonly offset: number; readonly limit: number },
    reader: ResultReader,
  ): Promise<{ readonly text: string; readonly total: number } | undefined>;
}

const DEFAULT_PAGE = 8_000;
const MAX_PAGE_LENGTH = 1_000_000;
/** Longer results can be paged, but not searched. */
const MAX_SEARCHED = 20_000_000;

const input = () =>
  z.strictObject({
    handle: z.string().min(1).max(200).describe('The handle that the long result came with.'),
    offset: z.int().min(0).default(0).describe('Where the page starts, in characters.'),
    limit: z
      .int()
      .min(1)
      .max(MAX_PAGE_LENGTH)
      .default(DEFAULT_PAGE)
      .describe('How long the page is, in characters.'),
    query: z
      .string()
      .min(1)
      .max(2_000)
      .optional()
      .describe(
        'A JMESPath expression over the data, e.g. "items[?price > `10`].name". With grep or lines, those work on what it selects.',
      ),
    grep: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe('A regular expression (RE2); the lines that match are returned.'),
    ignoreCase: z.boolean().default(false).describe('For grep: upper and lower case are the same.'),
    context: z.int().min(0).max(20).default(0).describe('For grep: lines around each match.'),
    maxMatches: z.int().min(1).max(1_000).default(50).describe('For grep: how many to return.'),
    lines: z
      .strictObject({
        from: z.int().min(1).describe('The first line, counted from 1.'),
        count: z.int().min(1).max(10_000).default(200).describe('How many lines.'),
      })
      .optional()
      .describe('A range of lines instead of a page. Data is laid out as JSON, one value a line.'),
  });

const match = () =>
  z.strictObject({
    line: z.int().describe('The number of the line, counted from 1.'),
    text: z.string().describe('The line; a long one is cut around the match.'),
    before: z.array(z.string()).optional().describe('The lines before it.'),
    after: z.array(z.string()).optional().describe('The lines after it.'),
  });

const output = () =>
  z.strictObject({
    text: z.string().optional().describe('The page or the lines.'),
    offset: z.int().optional().describe('Where the page starts.'),
    nextOffset: z.int().optional().describe('Where the next page starts, if there is one.'),
    total: z.int().describe('Characters in all; lines for lines, matches for grep.'),
    matches: z.array(match()).optional().describe('The lines that match.'),
    value: z.unknown().optional().describe('What the query selects.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const notFound = (): ToolFailure =>
  new ToolFailure('NOT_FOUND', 'There is no result of this handle for this user.', {
    suggestions: ['Copy the handle as it was given, or make the call again.'],
  });

const tooLarge = (): ToolFailure =>
  new ToolFailure('OUTPUT_TOO_LARGE', 'The result is too large to be searched.', {
    suggestions: ['Read it page by page with offset and limit.'],
  });

const MAX_INLINE_CHARS = 20_000;

const WORK = {
  what: 'result',
  file: 'search-result-work',
  from: import.meta.url,
  load: () => import('./search-result-work.ts'),
  isSmall: ({ text }: SearchJob) => text.length <= MAX_INLINE_CHARS,
};

const pageOf = (
  page: { readonly text: string; readonly total: number },
  offset: number,
): Output => {
  const end = offset + page.text.length;
  return { ...page, offset, ...(end < page.total && { nextOffset: end }) };
};

const readPart = async (
  request: Input,
  { userId, agentId, sessionId, authenticated, signal }: ToolContext,
  read: ReadResultOptions['read'],
): Promise<Output> => {
  const { handle, offset, limit, query, grep, lines } = request;
  // The caller gets the labels of the result, whatever name it gives.
  const reader = { userId, agentId, sessionId, authenticated };
  const isPage = query === undefined && grep === undefined && lines === undefined;
  const range = isPage ? { offset, limit } : { offset: 0, limit: MAX_SEARCHED };
  const part = await read(handle, range, reader);
  if (!part) throw notFound();
  if (isPage) return pageOf(part, offset);
  if (part.total > MAX_SEARCHED) throw tooLarge();
  const { ignoreCase, context, maxMatches } = request;
  const job = { text: part.text, query, grep, ignoreCase, context, maxMatches, lines };
  return (await runDataWork<SearchJob, SearchAnswer>(WORK, job, signal)) as Output;
};

export const defineReadResult = ({ read }: ReadResultOptions): Tool<Input, Output> =>
  defineTool({
    name: 'read_result',
    description:
      'Reads part of a result that was too long to be returned whole, by its handle: a page, a range of lines, the lines that match a regular expression, or what a JMESPath query selects.',
    source: 'builtin',
    category: 'search',
    tier: 'read_only',
    idempotent: true,
    capabilities: [{ action: 'read', description: 'Read a stored result.', tier: 'read_only' }],
    permissions: ['tool:read_result'],
    cost: { model: 'free' },
    timeoutMs: 30_000,
    // The session gets the labels of what is read; the tool itself adds none.
    labels: { trust: 'trusted', sensitivity: 'public' },
    tags: ['result', 'handle', 'page', 'grep', 'query', 'jmespath'],
    input,
    output,
    run: (request, context) => readPart(request, context, read),
  });
