/** Points other programs at this one: their file is copied first, then changed in one step. */
import { constants } from 'node:fs';
import { copyFile, readdir, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readConfigText } from '../../../config/load/read-config-file.ts';
import { type Launch, rewriteClientText } from '../../../config/mcp-import/rewrite-client-text.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { replaceFile } from '../../../kit/file/replace-file.ts';
import type { Environment } from '../../io.ts';
import type { FoundFile } from './find-imports.ts';

const MARK = '.toolcrib-';
const END = '.bak';

const stampOf = (now: number): string => new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');

export interface Rewritten {
  readonly file: string;
  readonly backup: string;
}

export interface LaunchOptions {
  /** Only the tools of these servers are offered; all tools when absent. */
  readonly servers?: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
}

/**
 * Node and the script by their full paths: programs with windows seldom have the shell's PATH. Nor do
 * they have its variables, so that another folder than the usual one is written into the entry.
 */
export const launchOf = async (
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

export interface Rewriting extends LaunchOptions {
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
export const backupOf = async (file: string): Promise<string | undefined> => {
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
