/**
 * Configures other programs to use Toolcrib: copies their file first, then replaces it in one step. A
 * file that cannot be changed does not stop the others.
 */
import { constants } from 'node:fs';
import { copyFile, readdir, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readConfigText } from '../../../config/load/read-config-file.ts';
import { type Launch, rewriteClientText } from '../../../config/mcp-import/rewrite-client-text.ts';
import { ERRORS, ToolFailure } from '../../../contract/errors.ts';
import { errorCodeOf, reasonOf } from '../../../kit/data/reason-of.ts';
import { replaceFile } from '../../../kit/file/replace-file.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { advise, type Environment, type Io, note } from '../../io.ts';
import type { FoundFile } from './find-imports.ts';

interface UnchangedFile {
  readonly file: string;
  readonly reason: string;
}

export interface FileChanges<T> {
  readonly done: readonly T[];
  readonly left: readonly UnchangedFile[];
}

const NOT_WRITABLE = 'it, or its folder, is not writable';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: 'its disk is read-only',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the name of its copy would be too long',
};

const reasonFor = (thrown: unknown): string => {
  if (thrown instanceof ToolFailure) {
    return [thrown.message, ...(thrown.extras.suggestions ?? [])].join(' ');
  }
  const code = errorCodeOf(thrown);
  if (Object.hasOwn(REASONS, code)) return REASONS[code] as string;
  return reasonOf(thrown);
};

/**
 * Changes the files one by one. Never throws. A file for which `change` returns `undefined` is neither
 * changed nor reported.
 */
export const changeEachFile = async <F extends { readonly file: string }, T>(
  files: readonly F[],
  change: (file: F) => Promise<T | undefined>,
): Promise<FileChanges<T>> => {
  const done: T[] = [];
  const left: UnchangedFile[] = [];
  for (const source of files) {
    try {
      const changed = await change(source);
      if (changed !== undefined) done.push(changed);
    } catch (error) {
      left.push({ file: source.file, reason: reasonFor(error) });
    }
  }
  return { done, left };
};

/** Prints which files are unchanged, and why; returns the exit code. */
export const reportUnchanged = (
  io: Io,
  left: readonly UnchangedFile[],
  { verb, again }: { readonly verb: string; readonly again: string },
): number => {
  if (left.length === 0) return 0;
  if (!io.json) {
    for (const { file, reason } of left) {
      note(io, `${io.noteInk.red('✗')} Not ${verb}: ${visibleText(file)}`);
      note(io, `  ${visibleText(reason)}`);
    }
    advise(io, `After you fixed that: ${again}`);
  }
  return ERRORS.EXECUTION_FAILED.exit;
};

const MARK = '.toolcrib-';
const END = '.bak';

const stampOf = (now: number): string => new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');

export interface Rewritten {
  readonly file: string;
  readonly backup: string;
}

interface LaunchOptions {
  /** Only the tools of these servers are offered; all tools when absent. */
  readonly servers?: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
}

/**
 * Finds the full paths of Node and the script: desktop programs seldom have the shell's PATH. They also
 * lack its variables, so TOOLCRIB_HOME is written into the entry.
 */
const launchOf = async (
  client: string | undefined,
  { servers, env, cwd }: LaunchOptions,
): Promise<Launch> => {
  const [node, script = ''] = process.argv;
  const main = await realpath(script).catch(() => script);
  const home = env.TOOLCRIB_HOME;
  return {
    command: node ?? process.execPath,
    args: [
      main,
      'mcp',
      ...(client === undefined ? [] : ['--client', client]),
      ...(servers ? ['--servers', servers.join(',')] : []),
    ],
    ...(home !== undefined && home !== '' && { env: { TOOLCRIB_HOME: resolve(cwd, home) } }),
  };
};

interface RewriteOptions extends LaunchOptions {
  readonly now: number;
  stays(foreignName: string): boolean;
}

/** Rewrites one file. Fails with CONFLICT when it was changed since it was read. */
export const rewriteFile = async (
  foundFile: FoundFile,
  { now, stays, ...launch }: RewriteOptions,
): Promise<Rewritten> => {
  const { file, text, client, reading } = foundFile;
  const { text: current } = await readConfigText(file, { maxBytes: Number.MAX_SAFE_INTEGER });
  if (current !== text || !reading) {
    throw new ToolFailure('CONFLICT', 'The file was changed in the meantime.', {
      suggestions: ['Close the program it belongs to, then try again.'],
    });
  }
  if (reading.lists.length === 0) {
    throw new ToolFailure('PRECONDITION_FAILED', 'A file of this kind is not rewritten.', {
      suggestions: [`Replace its servers with Toolcrib by hand: ${file}`],
    });
  }
  const after = rewriteClientText(text, {
    lists: reading.lists,
    client,
    launch: await launchOf(client, launch),
    stays,
  });
  const backup = `${file}${MARK}${stampOf(now)}${END}`;
  await copyFile(file, backup, constants.COPYFILE_EXCL);
  try {
    await replaceFile(file, after);
  } catch (error) {
    // A copy beside an unchanged file would look like the copy of an earlier rewrite.
    await rm(backup, { force: true }).catch(() => undefined);
    throw error;
  }
  return { file, backup };
};

/** Finds the newest copy that a rewrite left beside the file. */
const backupOf = async (file: string): Promise<string | undefined> => {
  const start = `${basename(file)}${MARK}`;
  const names = await readdir(dirname(file)).catch(() => []);
  const newest = names
    .filter((name) => name.startsWith(start) && name.endsWith(END))
    .toSorted()
    .at(-1);
  return newest === undefined ? undefined : join(dirname(file), newest);
};

/** Restores the newest copy; `undefined` when there is none. */
export const restoreFile = async (file: string): Promise<Rewritten | undefined> => {
  const backup = await backupOf(file);
  if (backup === undefined) return undefined;
  const { text, fault } = await readConfigText(backup, { maxBytes: Number.MAX_SAFE_INTEGER });
  if (text === undefined) {
    throw new ToolFailure('CONFLICT', `The copy ${fault ?? 'is gone'}.`);
  }
  await replaceFile(file, text);
  await rm(backup);
  return { file, backup };
};
