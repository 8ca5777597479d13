/**
 * Lets ripgrep select the files to read. It only narrows the search: matches are read through the broker,
 * so ripgrep cannot reveal what the caller may not see.
 */
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';

/** The name of ripgrep's file on this system. */
export const RIPGREP = process.platform === 'win32' ? 'rg.exe' : 'rg';

/** Lists the folders where package managers put programs, for all users and for one. Never the workspace. */
export const programFolders = (): readonly string[] => [
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/opt/homebrew/bin',
  '/snap/bin',
  '/run/current-system/sw/bin',
  join(homedir(), '.cargo', 'bin'),
  join(homedir(), '.local', 'bin'),
  'C:\\ProgramData\\chocolatey\\bin',
  join(homedir(), 'scoop', 'shims'),
  dirname(process.execPath),
];

export interface RipgrepRequest {
  readonly program: string;
  readonly folder: string;
  readonly globs: readonly string[];
  readonly ignoreGlobCase: boolean;
  /** What the files must contain; when absent, only names are compared. */
  readonly content?: {
    readonly query: string;
    readonly literal: boolean;
    readonly caseSensitive: boolean;
  };
  readonly signal: AbortSignal;
}

export interface RipgrepAnswer {
  /** Relative to the folder, in walking order. */
  readonly files: readonly string[];
  /** True when there were more files than fit. */
  readonly cut: boolean;
}

const MAX_OUTPUT = 16 * 1024 * 1024;

/** No configuration, no links, no ignore files, and a fixed order. */
const FIXED: readonly string[] = [
  '--no-config',
  '--no-follow',
  '--no-ignore',
  '--hidden',
  '--no-messages',
  '--sort=path',
  '--null',
];

const contentFlags = (content: NonNullable<RipgrepRequest['content']>): readonly string[] => [
  '--files-with-matches',
  '--no-mmap',
  '--crlf',
  content.caseSensitive ? '--case-sensitive' : '--ignore-case',
  ...(content.literal ? ['--fixed-strings'] : []),
  '-e',
  content.query,
];

const ripgrepArguments = (request: RipgrepRequest): readonly string[] => [
  ...FIXED,
  ...(request.ignoreGlobCase ? ['--glob-case-insensitive'] : []),
  ...request.globs.flatMap((glob) => ['--glob', glob]),
  ...(request.content ? contentFlags(request.content) : ['--files']),
  '--',
  '.',
];

const namesIn = (output: string): readonly string[] =>
  output
    .split('\0')
    .slice(0, -1)
    .map((name) => name.replaceAll('\\', process.platform === 'win32' ? '/' : '\\'))
    .map((name) => name.replace(/^\.\//, ''));

/**
 * Runs ripgrep. Returns `undefined` when it does not accept the pattern: then the built-in engine
 * searches.
 */
export const runRipgrep = (request: RipgrepRequest): Promise<RipgrepAnswer | undefined> =>
  new Promise((resolve, reject) => {
    const options = {
      cwd: request.folder,
      env: {},
      maxBuffer: MAX_OUTPUT,
      signal: request.signal,
      windowsHide: true,
    };
    const done = (error: Error | null, stdout: string, stderr: string): void => {
      const code = error && 'code' in error ? error.code : 0;
      if (request.signal.aborted) reject(new ToolFailure('CANCELLED'));
      else if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
        resolve({ files: namesIn(stdout), cut: true });
      } else if (code === 0 || code === 1 || (code === 2 && stderr === '')) {
        // 1: no match. 2 without a message: some files could not be read, the others were.
        resolve({ files: namesIn(stdout), cut: false });
      } else resolve(undefined);
    };
    process
      .getBuiltinModule('node:child_process')
      .execFile(request.program, ripgrepArguments(request), options, done);
  });
