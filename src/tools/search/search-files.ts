/** Searches candidate files through the broker: by name, or for lines with their context. */
import type { ToolContext } from '../../contract/context.ts';
import { type ErrorCode, ToolFailure } from '../../contract/errors.ts';
import { compileLinear, quotePattern } from '../../kit/text/linear-pattern.ts';

export interface SearchRequest {
  readonly mode: 'grep' | 'glob' | 'regex';
  readonly query: string;
  readonly caseSensitive: boolean;
  readonly maxResults: number;
  readonly contextLines: number;
}

export interface FileSearch {
  readonly request: SearchRequest;
  readonly context: ToolContext;
  readonly folder: string;
}

export interface CandidateFiles {
  /** Relative to the searched folder. */
  readonly files: AsyncIterable<string> | Iterable<string>;
  /** True when there were more files than fit. */
  readonly cut: boolean;
}

interface LineMatch {
  /** Both counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly before?: string[];
  readonly after?: string[];
}

interface SearchResult {
  readonly matches: (LineMatch & { readonly path: string })[];
  readonly files: string[];
  readonly truncated: boolean;
}

/** Returns the position of the match in a line, or -1. */
type FindInLine = (line: string) => number;

const MAX_LINE_LENGTH = 1000;
/** Characters shown before a match in a line that is cut. */
const LEAD = 200;

/** Cuts a long line to the part around the match. */
const shortened = (line: string, at: number): string => {
  if (line.length <= MAX_LINE_LENGTH) return line;
  const from = Math.max(0, at - LEAD);
  return line.slice(from, from + MAX_LINE_LENGTH);
};

/** Splits the content into lines without their ends; `undefined` for a binary file. */
const linesToSearch = (bytes: Uint8Array): readonly string[] | undefined => {
  if (bytes.includes(0)) return undefined;
  const lines = new TextDecoder().decode(bytes).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
};

const searchText = function* (
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

/**
 * Makes the function that searches one line. Throws VALIDATION_ERROR for an expression that the engine
 * does not accept.
 */
export const createFind = async ({
  mode,
  query,
  caseSensitive,
}: SearchRequest): Promise<FindInLine> => {
  if (mode === 'grep' && caseSensitive) return (line) => line.indexOf(query);
  const source = mode === 'grep' ? quotePattern(query) : query;
  const pattern = await compileLinear(source, { ignoreCase: !caseSensitive });
  return (line) => pattern.find(line)?.start ?? -1;
};

/** Codes of files that are skipped: secret files, links, files that are gone or too large. */
const SKIPPED: ReadonlySet<ErrorCode> = new Set([
  'PERMISSION_DENIED',
  'SECURITY_VIOLATION',
  'NOT_FOUND',
  'CONFLICT',
  'OUTPUT_TOO_LARGE',
]);

const unlessSkipped = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ToolFailure && SKIPPED.has(error.code)) return undefined;
    throw error;
  }
};

/** Lists the candidates that may be read. */
export const findNames = async (
  search: FileSearch,
  candidates: CandidateFiles,
): Promise<SearchResult> => {
  const { request, context, folder } = search;
  const files: string[] = [];
  for await (const name of candidates.files) {
    const path = folder === '.' ? name : `${folder}/${name}`;
    if ((await unlessSkipped(context.fs.resolve(path, 'read'))) === undefined) continue;
    if (files.length === request.maxResults) return { matches: [], files, truncated: true };
    files.push(path);
  }
  return { matches: [], files, truncated: candidates.cut };
};

/** Creates a reader of permitted files, which warns once when a file was too large. */
const createReader = ({ fs, warn }: ToolContext) => {
  let warned = false;
  const passOver = (error: unknown): never => {
    const isTooLarge = error instanceof ToolFailure && error.code === 'OUTPUT_TOO_LARGE';
    if (isTooLarge && !warned) warn('Some files were too large to be searched.');
    warned ||= isTooLarge;
    throw error;
  };
  return (path: string) => unlessSkipped(fs.read(path).catch(passOver));
};

/** Finds the matching lines of the candidates. */
export const findLines = async (
  search: FileSearch,
  candidates: CandidateFiles,
): Promise<SearchResult> => {
  const { request, context, folder } = search;
  const find = await createFind(request);
  const matches: SearchResult['matches'] = [];
  const files = () => [...new Set(matches.map(({ path }) => path))];
  const read = createReader(context);
  for await (const name of candidates.files) {
    if (context.signal.aborted) throw new ToolFailure('CANCELLED');
    const path = folder === '.' ? name : `${folder}/${name}`;
    const bytes = await read(path);
    const lines = bytes && linesToSearch(bytes);
    for (const match of lines ? searchText(lines, find, request.contextLines) : []) {
      if (matches.length === request.maxResults)
        return { matches, files: files(), truncated: true };
      matches.push({ path, ...match });
    }
  }
  return { matches, files: files(), truncated: candidates.cut };
};
