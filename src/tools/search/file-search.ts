/** `file_search`: files by name, or lines by text or regular expression. */
import { dirname } from 'node:path/posix';
import { z } from 'zod';
import type { FileInfo, ToolContext } from '../../contract/context.ts';
import { type ErrorCode, ToolFailure } from '../../contract/errors.ts';
import { defineTool, type Tool } from '../../contract/tool.ts';
import { findProgram } from '../../kit/file/find-program.ts';
import { compileLinear, quotePattern } from '../../kit/text/linear-pattern.ts';
import { createFileFilter, type FileFilter } from './file-filter.ts';
import { programFolders, RIPGREP, runRipgrep } from './ripgrep.ts';
import { type FindInLine, linesToSearch, searchText } from './search-text.ts';
import { walkFiles } from './walk-files.ts';

const patterns = () => z.array(z.string().min(1).max(1000)).max(100).default([]);

const input = () =>
  z.strictObject({
    mode: z
      .enum(['grep', 'glob', 'regex'])
      .describe('grep: lines that contain the text. regex: lines that match. glob: files by name.'),
    query: z
      .string()
      .min(1)
      .max(10_000)
      .regex(/^[^\r\n]*$/, 'One line only.')
      .describe(
        'The text, the regular expression (RE2), or the file pattern such as **/*.test.ts.',
      ),
    path: z.string().min(1).default('.').describe('The directory or file to search in.'),
    include: patterns().describe(
      'Only files that fit one of these patterns, such as *.ts or src/**.',
    ),
    exclude: patterns().describe('No files or directories that fit one of these patterns.'),
    maxResults: z.int().min(1).max(10_000).default(100).describe('How many results at most.'),
    contextLines: z.int().min(0).max(20).default(0).describe('Lines to show around each match.'),
    caseSensitive: z.boolean().default(true).describe('Whether capital letters count.'),
  });

const match = () =>
  z.strictObject({
    path: z.string().describe('The file, relative to the workspace root.'),
    line: z.int().describe('The line, counted from 1.'),
    column: z.int().describe('Where in the line the match starts, counted from 1.'),
    text: z.string().describe('The line; of a very long one the part around the match.'),
    before: z.array(z.string()).optional().describe('Lines before it.'),
    after: z.array(z.string()).optional().describe('Lines after it.'),
  });

const output = () =>
  z.strictObject({
    matches: z.array(match()).describe('The lines found; empty in glob mode.'),
    files: z.array(z.string()).describe('The files found, or those that hold a match.'),
    truncated: z.boolean().describe('True when there is more than maxResults.'),
    engine: z.enum(['ripgrep', 'builtin']).describe('Who chose the files to read.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;
type Match = z.infer<ReturnType<typeof match>>;

interface Candidates {
  readonly engine: Output['engine'];
  /** Relative to the folder searched. */
  readonly files: AsyncIterable<string> | Iterable<string>;
  readonly cut: boolean;
}

interface Search {
  readonly request: Input;
  readonly context: ToolContext;
  readonly filter: FileFilter;
  readonly folder: string;
}

/** Files that cannot be read are no result: secrets, links, what is gone or too large. */
const PASSED_OVER: ReadonlySet<ErrorCode> = new Set([
  'PERMISSION_DENIED',
  'SECURITY_VIOLATION',
  'NOT_FOUND',
  'CONFLICT',
  'OUTPUT_TOO_LARGE',
]);

const orNothing = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ToolFailure && PASSED_OVER.has(error.code)) return undefined;
    throw error;
  }
};

const byRipgrep = async (search: Search, folders: readonly string[]) => {
  const { request, context, filter, folder } = search;
  const workspace = await context.fs.resolve('.', 'read');
  const program = await findProgram({ names: [RIPGREP], folders, outside: workspace });
  if (program === undefined) return undefined;
  const { query, caseSensitive, mode } = request;
  return runRipgrep({
    program,
    folder: await context.fs.resolve(folder, 'read'),
    globs: filter.globs,
    ignoreGlobCase: mode === 'glob' && !caseSensitive,
    ...(mode !== 'glob' && { content: { query, literal: mode === 'grep', caseSensitive } }),
    signal: context.signal,
  });
};

const chooseFiles = async (search: Search, folders: readonly string[]): Promise<Candidates> => {
  const { filter, folder, context } = search;
  const answer = await byRipgrep(search, folders);
  if (answer) {
    const files = answer.files.filter((path) => filter.wantsFile(path));
    return { engine: 'ripgrep', files, cut: answer.cut };
  }
  const walk = { fs: context.fs, filter, signal: context.signal, folder };
  return { engine: 'builtin', files: walkFiles(walk), cut: false };
};

const createFind = async ({ mode, query, caseSensitive }: Input): Promise<FindInLine> => {
  if (mode === 'grep' && caseSensitive) return (line) => line.indexOf(query);
  const source = mode === 'grep' ? quotePattern(query) : query;
  const pattern = await compileLinear(source, { ignoreCase: !caseSensitive });
  return (line) => pattern.find(line)?.start ?? -1;
};

type Found = Pick<Output, 'matches' | 'files' | 'truncated'>;

const findNames = async (search: Search, candidates: Candidates): Promise<Found> => {
  const { request, context, folder } = search;
  const files: string[] = [];
  for await (const name of candidates.files) {
    const path = folder === '.' ? name : `${folder}/${name}`;
    if ((await orNothing(context.fs.resolve(path, 'read'))) === undefined) continue;
    if (files.length === request.maxResults) return { matches: [], files, truncated: true };
    files.push(path);
  }
  return { matches: [], files, truncated: candidates.cut };
};

/** Reads what may be read; says once when a file was too large for that. */
const createReader = ({ fs, warn }: ToolContext) => {
  let warned = false;
  const passOver = (error: unknown): never => {
    const isTooLarge = error instanceof ToolFailure && error.code === 'OUTPUT_TOO_LARGE';
    if (isTooLarge && !warned) warn('Some files were too large to be searched.');
    warned ||= isTooLarge;
    throw error;
  };
  return (path: string) => orNothing(fs.read(path).catch(passOver));
};

const findLines = async (search: Search, candidates: Candidates): Promise<Found> => {
  const { request, context, folder } = search;
  const find = await createFind(request);
  const matches: Match[] = [];
  const files = () => [...new Set(matches.map(({ path }) => path))];
  const read = createReader(context);
  for await (const name of candidates.files) {
    if (context.signal.aborted) throw new ToolFailure('CANCELLED');
    const path = folder === '.' ? name : `${folder}/${name}`;
    const bytes = await read(path);
    const lines = bytes && linesToSearch(bytes);
    for (const found of lines ? searchText(lines, find, request.contextLines) : []) {
      if (matches.length === request.maxResults)
        return { matches, files: files(), truncated: true };
      const { before, after, ...place } = found;
      matches.push({
        path,
        ...place,
        ...(before && after && { before: [...before], after: [...after] }),
      });
    }
  }
  return { matches, files: files(), truncated: candidates.cut };
};

const baseOf = async ({ path }: Input, { fs }: ToolContext): Promise<FileInfo> => {
  const info = await fs.stat(path);
  if (info) return info;
  throw new ToolFailure('NOT_FOUND', 'There is no such file or directory to search in.', {
    suggestions: ['List the workspace first.'],
  });
};

const search = async (
  request: Input,
  context: ToolContext,
  folders: readonly string[],
): Promise<Output> => {
  const { mode, query, caseSensitive, include, exclude } = request;
  const base = await baseOf(request, context);
  const filter = await createFileFilter({
    include: mode === 'glob' ? [[query], include] : [include],
    exclude,
    ignoreCase: mode === 'glob' && !caseSensitive,
  });
  // Both engines take the same expressions: one that only ripgrep knows is refused here.
  if (mode === 'regex') await createFind(request);
  const isFile = base.kind === 'file';
  const folder = isFile ? dirname(base.path) : base.path;
  const looking = { request, context, filter, folder };
  const candidates: Candidates = isFile
    ? { engine: 'builtin', files: [base.path.slice(base.path.lastIndexOf('/') + 1)], cut: false }
    : await chooseFiles(looking, folders);
  const found = await (mode === 'glob' ? findNames : findLines)(looking, candidates);
  return { ...found, engine: candidates.engine };
};

export interface FileSearchOptions {
  /** Where ripgrep is looked for; the usual folders by default, none for the built-in engine. */
  readonly folders?: readonly string[];
}

export const defineFileSearch = (options: FileSearchOptions = {}): Tool<Input, Output> =>
  defineTool({
    name: 'file_search',
    description:
      'Searches the files of the workspace: lines that contain a text (grep) or match a regular expression (regex), or files by name pattern (glob).',
    source: 'builtin',
    category: 'search',
    tier: 'read_only',
    idempotent: true,
    capabilities: [{ action: 'search', description: 'Search file names and contents.' }],
    permissions: ['tool:file_search'],
    needs: { paths: [{ path: '.', access: 'read' }] },
    aliases: ['file:search'],
    tags: ['file', 'search', 'grep', 'glob', 'regex', 'find'],
    examples: [
      {
        title: 'Find a word',
        input: { mode: 'grep', query: 'two' },
        output: { matches: [{ path: 'notes.txt', line: 2, column: 1, text: 'two' }] },
      },
      {
        title: 'Find files by name',
        input: { mode: 'glob', query: '*.txt' },
        output: { files: ['notes.txt'] },
      },
      {
        title: 'Find by regular expression',
        input: { mode: 'regex', query: '^t\\w+e$' },
        output: { matches: [{ line: 3, text: 'three' }] },
      },
    ],
    input,
    output,
    run: (request, context) => search(request, context, options.folders ?? programFolders()),
  });

export const fileSearch = defineFileSearch();
