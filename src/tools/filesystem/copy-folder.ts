/**
 * Copies and moves whole folders, file by file through the broker: every path is checked, and every
 * change has a snapshot, so that undo restores the whole folder.
 */
import type { FileAccess, FileInfo, ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { conflict } from '../../kit/data/coded-failures.ts';

/** Limited, because undo stores the content of every moved file. */
const MAX_ENTRIES = 2_000;
const MAX_BYTES = 64 * 1024 * 1024;

export interface FolderRequest {
  readonly path: string;
  readonly newPath: string;
}

export interface FolderReceipt {
  readonly newPath: string;
  readonly bytesWritten: number;
  readonly files: number;
}

type FolderContext = Pick<ToolContext, 'fs' | 'signal' | 'warn' | 'progress'>;

interface Plan {
  readonly source: FileInfo;
  readonly target: string;
}

/** Lists everything below a folder, each folder before its content. Secret files are left out. */
const entriesBelow = async (folder: string, fs: FileAccess): Promise<readonly FileInfo[]> => {
  const entries: FileInfo[] = [];
  const folders = [folder];
  let bytes = 0;
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    for (const info of await fs.list(next)) {
      if (info.kind === 'other') {
        throw conflict(
          `The folder holds a link or a special file: ${info.path}.`,
          'Remove it first, or copy the files beside it one by one.',
        );
      }
      entries.push(info);
      if (info.kind === 'directory') folders.push(info.path);
      else bytes += info.size;
    }
    if (entries.length > MAX_ENTRIES || bytes > MAX_BYTES) {
      throw conflict(
        `The folder holds more than ${MAX_ENTRIES} entries or ${MAX_BYTES / 1024 ** 2} MB.`,
        'Copy or move its folders one by one.',
      );
    }
  }
  return entries;
};

/** Checks every path before anything changes. Fails with the reason of the first refused one. */
const planOf = async (
  { path, newPath }: FolderRequest,
  fs: FileAccess,
  isMove: boolean,
): Promise<readonly Plan[]> => {
  const [from, to] = [await fs.resolve(path, 'read'), await fs.resolve(newPath, 'write')];
  if (to === from || to.startsWith(`${from}/`)) {
    throw conflict('The new name lies in the folder itself.', 'Choose a name outside the folder.');
  }
  if (await fs.stat(newPath)) {
    throw conflict('Something of the new name is there already.', 'Choose another name.');
  }
  const source = (await fs.stat(path)) as FileInfo;
  const prefix = source.path === '.' ? 0 : source.path.length + 1;
  const entries = await entriesBelow(source.path, fs);
  const plans = [source, ...entries].map((each) => ({
    source: each,
    target: each === source ? newPath : `${newPath}/${each.path.slice(prefix)}`,
  }));
  for (const plan of plans) {
    await fs.resolve(plan.target, 'write');
    if (isMove) await fs.resolve(plan.source.path, 'write');
  }
  return plans;
};

/** Removes an unfinished copy. What cannot be removed is left to undo. */
const removeTargets = async (targets: readonly string[], fs: FileAccess): Promise<void> => {
  for (const target of targets.toReversed()) await fs.remove(target).catch(() => undefined);
};

const copyAll = async (plans: readonly Plan[], context: FolderContext): Promise<number> => {
  const { fs, signal, progress } = context;
  const made: string[] = [];
  let bytes = 0;
  try {
    for (const { source, target } of plans) {
      if (signal.aborted) throw new ToolFailure('CANCELLED');
      if (source.kind === 'directory') await fs.makeDirectory(target);
      else {
        const options = { overwrite: false, executable: source.executable === true };
        bytes += (await fs.write(target, await fs.read(source.path), options)).bytesWritten;
      }
      made.push(target);
      progress(made.length / plans.length);
    }
  } catch (error) {
    if (!signal.aborted) await removeTargets(made, fs);
    throw error;
  }
  return bytes;
};

/** Removes an entry, but not a folder that still has unlisted files; tells whether it is gone. */
const removeIfEmpty = async ({ path, kind }: FileInfo, fs: FileAccess): Promise<boolean> => {
  try {
    await fs.remove(path);
    return true;
  } catch (error) {
    if (kind === 'directory' && error instanceof ToolFailure && error.code === 'CONFLICT') {
      return false;
    }
    throw error;
  }
};

const filesIn = (plans: readonly Plan[]): number =>
  plans.filter(({ source }) => source.kind === 'file').length;

/** Copies a folder to an unused path. Secret files are left out. */
export const copyFolder = async (
  request: FolderRequest,
  context: FolderContext,
): Promise<FolderReceipt> => {
  const plans = await planOf(request, context.fs, false);
  const bytesWritten = await copyAll(plans, context);
  return { newPath: request.newPath, bytesWritten, files: filesIn(plans) };
};

/** Moves a folder to an unused path. Secret files and their folders stay. */
export const moveFolder = async (
  request: FolderRequest,
  context: FolderContext,
): Promise<FolderReceipt> => {
  const { fs } = context;
  const plans = await planOf(request, fs, true);
  const bytesWritten = await copyAll(plans, context);
  let stayed = 0;
  for (const { source } of plans.toReversed()) {
    const isGone = await removeIfEmpty(source, fs);
    if (!isGone) stayed += 1;
  }
  if (stayed > 0) {
    context.warn('Files that no tool may move stay in the old folder.');
  }
  return { newPath: request.newPath, bytesWritten, files: filesIn(plans) };
};
