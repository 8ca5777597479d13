/** `file_search`: finds files by name, or lines by text or regular expression. */
import { dirname } from 'node:path/posix';
import { z } from 'zod';
import type { FileInfo, ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import { findProgram } from '../../kit/file/find-program.ts';
import { createFileFilter, type FileFilter } from './file-filter.ts';
import { programFolders, RIPGREP, runRipgrep } from './ripgrep.ts';
import {
  type CandidateFiles,
  createFind,
  type FileSearch,
  findLines,
  findNames,
} from './search-files.ts';
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

interface Candidates extends CandidateFiles {
  readonly engine: Output['engine'];
}

interface FilteredSearch extends FileSearch {
  readonly request: Input;
  readonly filter: FileFilter;
}

const byRipgrep = async (search: FilteredSearch, folders: readonly string[]) => {
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

const chooseFiles = async (
  search: FilteredSearch,
  folders: readonly string[],
): Promise<Candidates> => {
  const { filter, folder, context } = search;
  const answer = await byRipgrep(search, folders);
  if (answer) {
    const files = answer.files.filter((path) => filter.wantsFile(path));
    return { engine: 'ripgrep', files, cut: answer.cut };
  }
  const walk = { fs: context.fs, filter, signal: context.signal, folder };
  return { engine: 'builtin', files: walkFiles(walk), cut: false };
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
  // Both engines accept the same expressions: one that only ripgrep accepts is refused here.
  if (mode === 'regex') await createFind(request);
  const isFile = base.kind === 'file';
  const folder = isFile ? dirname(base.path) : base.path;
  const filtered = { request, context, filter, folder };
  const candidates: Candidates = isFile
    ? { engine: 'builtin', files: [base.path.slice(base.path.lastIndexOf('/') + 1)], cut: false }
    : await chooseFiles(filtered, folders);
  const result = await (mode === 'glob' ? findNames : findLines)(filtered, candidates);
  return { ...result, engine: candidates.engine };
};

export interface FileSearchOptions {
  /** Folders to search for ripgrep; the usual ones when absent, empty for the built-in engine. */
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
