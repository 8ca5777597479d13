/** Points other programs at this one: their file is copied first, then changed in one step. */
import { constants } from 'node:fs';
import { copyFile, readdir, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readConfigText } from '../../../config/load/read-config-file.ts';
import { type Launch, rewriteClientText } from '../../../config/mcp-import/rewrite-client-text.ts';
import { ERRORS, ToolFailure } from '../../../contract/errors.ts';
import { errorCodeOf, reasonOf } from '../../../kit/data/reason-of.ts';
import { replaceFile } from '../../../kit/file/replace-file.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type Environment, type Io, note } from '../../io.ts';
import type { FoundFile } from './find-imports.ts';

interface LeftFile {
  readonly file: string;
  readonly reason: string;
}

export interface FileChanges<T> {
  readonly done: readonly T[];
  readonly left: readonly LeftFile[];
}

const MAY_NOT = 'it, or the folder it lies in, may not be written to';

const WORDS: Readonly<Record<string, string>> = {
  EACCES: MAY_NOT,
  EPERM: MAY_NOT,
  EROFS: 'it lies on a disk that is read-only',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the name of its copy would be too long',
};

const adviceFor = (thrown: unknown): string => {
  if (thrown instanceof ToolFailure) {
    return [thrown.message, ...(thrown.extras.suggestions ?? [])].join(' ');
  }
  const code = errorCodeOf(thrown);
  if (Object.hasOwn(WORDS, code)) return WORDS[code] as string;
  return reasonOf(thrown);
};

/** Never throws. What `change` answers with `undefined` is neither done nor left. */
export const changeEachFile = async <F extends { readonly file: string }, T>(
  files: readonly F[],
  change: (found: F) => Promise<T | undefined>,
): Promise<FileChanges<T>> => {
  const done: T[] = [];
  const left: LeftFile[] = [];
  for (const found of files) {
    try {
      const changed = await change(found);
      if (changed !== undefined) done.push(changed);
    } catch (error) {
      left.push({ file: found.file, reason: adviceFor(error) });
    }
  }
  return { done, left };
};

/** Says which files are as they were, and why; the answer is the exit code. */
export const tellLeft = (
  io: Io,
  left: readonly LeftFile[],
  { verb, again }: { readonly verb: string; readonly again: string },
): number => {
  if (left.length === 0) return 0;
  if (!io.json) {
    for (const { file, reason } of left) {
      note(io, `${io.noteInk.red('✗')} Not ${verb}: ${visibleText(file)}`);
      note(io, `  ${visibleText(reason)}`);
    }
    note(io, `${io.noteInk.cyan('→')} Once that is mended: ${again}`);
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
 * Node and the script by their full paths: programs with windows seldom have the shell's PATH. Nor do
 * they have its variables, so that another folder than the usual one is written into the entry.
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

interface Rewriting extends LaunchOptions {
  readonly now: number;
  stays(foreignName: string): boolean;
}

/** Fails with CONFLICT when the file was changed since it was read. */
export const rewriteFile = async (
  found: FoundFile,
  { now, stays, ...launch }: Rewriting,
): Promise<Rewritten> => {
  const { file, text, client, reading } = found;
  const { text: current } = await readConfigText(file, { mostBytes: Number.MAX_SAFE_INTEGER });
  if (current !== text || !reading) {
    throw new ToolFailure('CONFLICT', 'The file was changed while it was looked at.', {
      suggestions: ['Close the program it belongs to, then try again.'],
    });
  }
  if (reading.lists.length === 0) {
    throw new ToolFailure('PRECONDITION_FAILED', 'A file of this kind is not rewritten.', {
      suggestions: [`Put Toolcrib in the place of its servers by hand: ${file}`],
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
    // A copy beside a file that is as it was would pass for that of an earlier rewriting.
    await rm(backup, { force: true }).catch(() => undefined);
    throw error;
  }
  return { file, backup };
};

/** The newest copy that a rewriting left beside the file. */
const backupOf = async (file: string): Promise<string | undefined> => {
  const start = `${basename(file)}${MARK}`;
  const names = await readdir(dirname(file)).catch(() => []);
  const newest = names
    .filter((name) => name.startsWith(start) && name.endsWith(END))
    .toSorted()
    .at(-1);
  return newest === undefined ? undefined : join(dirname(file), newest);
};

/** `undefined` when there is no copy. */
export const restoreFile = async (file: string): Promise<Rewritten | undefined> => {
  const backup = await backupOf(file);
  if (backup === undefined) return undefined;
  const { text, fault } = await readConfigText(backup, { mostBytes: Number.MAX_SAFE_INTEGER });
  if (text === undefined) {
    throw new ToolFailure('CONFLICT', `The copy ${fault ?? 'is gone'}.`);
  }
  await replaceFile(file, text);
  await rm(backup);
  return { file, backup };
};
