/**
 * Gives one call its files: those that the guard lets through, narrowed to the paths that the tool
 * declared. Before anything changes, a snapshot of what was there is handed over.
 */
import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileAccess, FileInfo } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Needs } from '../../contract/needs.ts';
import {
  conflict,
  type FileHooks,
  type Files,
  makeDirectory,
  notFound,
  removePath,
  writeFile,
} from './change-files.ts';
import { onFiles, systemCode } from './file-failure.ts';
import { DEFAULT_FILE_LIMITS, type FileLimits, readAll } from './file-slot.ts';
import { assertOrdinary, type LocatedPath, type PathGuard } from './path-guard.ts';
import { type Locate, locateWithin } from './path-needs.ts';
import { TEMPORARY_PREFIX } from './replace-file.ts';
import type { Access } from './workspace-roots.ts';

/** Package managers and compilers link their files to a store of their own. */
const LINKED_FOLDERS: ReadonlySet<string> = new Set([
  ...['node_modules', '.pnpm-store', '.venv', 'venv', 'site-packages', 'target', '.git'],
]);

const MAX_ENTRIES = 50_000;

const refused = () =>
  new ToolFailure('SECURITY_VIOLATION', 'The file has another name that may be a secret.', {
    suggestions: ['Make a copy of it under a name of its own, or ask a person.'],
  });

export interface LinkedFile {
  readonly root: string;
  readonly below: readonly string[];
  readonly stats: Stats;
  isSecret(path: string): boolean;
}

const isSame = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev;

/** Counts the names of the file in the workspace. Throws when one of them is a secret. */
const countNames = async ({ root, stats, isSecret }: LinkedFile): Promise<number> => {
  let names = 0;
  let entryCount = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    entryCount += entries.length;
    if (entryCount > MAX_ENTRIES) throw refused();
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!LINKED_FOLDERS.has(entry.name)) folders.push(path);
        continue;
      }
      const linkStats = entry.isFile() ? await lstat(path).catch(() => undefined) : undefined;
      if (linkStats === undefined || !isSame(linkStats, stats)) continue;
      if (isSecret(path)) throw refused();
      names += 1;
    }
  }
  return names;
};

/** Throws for a file one of whose other names is a secret, or lies where it cannot be judged. */
export const assertNoSecretName = async (file: LinkedFile): Promise<void> => {
  if (file.stats.nlink < 2) return;
  const names = await countNames(file);
  const isPackage = file.below.some((name) => LINKED_FOLDERS.has(name));
  if (names < file.stats.nlink && !isPackage) throw refused();
};

export interface FileAccessOptions {
  readonly guard: PathGuard;
  /** The needs of the tool. */
  readonly needs: Needs | undefined;
  readonly hooks: FileHooks;
  readonly limits?: Partial<FileLimits>;
  /** Throws for a path that the call may not use; called right before each use. */
  assertApproved?(target: LocatedPath, access: Access): void;
}

const kindOf = (stats: Stats): FileInfo['kind'] => {
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'directory' : 'other';
};

const infoOf = (path: string, stats: Stats): FileInfo => ({
  path,
  kind: kindOf(stats),
  size: stats.size,
  modifiedMs: stats.mtimeMs,
  ...(stats.isFile() && (stats.mode & 0o100) !== 0 && { executable: true as const }),
});

/** Locates a file or folder that exists. Throws for anything else. */
const locateExisting = async (
  files: Files,
  path: string,
): Promise<LocatedPath & { stats: Stats }> => {
  const target = await files.locate(path, 'read');
  if (!target.stats) throw notFound();
  assertOrdinary(target.stats, 'read');
  return { ...target, stats: target.stats };
};

const read = async (files: Files, path: string, maxBytes: number): Promise<Uint8Array> => {
  const { absolute, shown, stats, root, below } = await locateExisting(files, path);
  if (stats.isDirectory()) {
    throw conflict('The path is a directory, not a file.', 'List it, or name a file in it.');
  }
  const handle = await files.guard.openFile(absolute);
  try {
    const { isSecret } = files.guard;
    await assertNoSecretName({ root, below, stats: await handle.stat(), isSecret });
    files.hooks.used(shown);
    return await readAll(handle, maxBytes);
  } finally {
    await handle.close();
  }
};

const list = async (files: Files, path: string): Promise<readonly FileInfo[]> => {
  const { absolute, shown, stats } = await locateExisting(files, path);
  if (!stats.isDirectory()) throw conflict('The path is a file, not a directory.', 'Read it.');
  const { guard, hooks } = files;
  const folder = await guard.openFolder(absolute);
  const prefix = shown === '.' ? '' : `${shown}/`;
  const readInfo = async (name: string): Promise<FileInfo | undefined> => {
    try {
      const entry = await lstat(folder.at(name));
      if (!guard.shows(absolute, name, entry.isDirectory())) return undefined;
      return infoOf(`${prefix}${name}`, entry);
    } catch (error) {
      // Removed meanwhile, or a name that is not UTF-8 and cannot be passed back.
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  };
  try {
    hooks.used(shown);
    const names = (await readdir(folder.at('.'))).filter(
      (name) => !name.startsWith(TEMPORARY_PREFIX),
    );
    const infos = await Promise.all(names.sort().map(readInfo));
    return infos.filter((info) => info !== undefined);
  } finally {
    await folder.close();
  }
};

/** Creates the file access for one call of one tool. */
export const createFileAccess = (options: FileAccessOptions): FileAccess => {
  const { guard, needs, hooks } = options;
  const limits = { ...DEFAULT_FILE_LIMITS, ...options.limits };
  const within = locateWithin(guard, needs?.paths ?? []);
  const locate: Locate = async (path, access) => {
    const target = await within(path, access);
    options.assertApproved?.(target, access);
    return target;
  };
  const files: Files = { guard, locate, hooks, limits };
  return {
    resolve: async (path, access) => {
      const { absolute, stats, root, below } = await locate(path, access);
      if (stats) assertOrdinary(stats, access);
      // Whoever asks for a path opens it without us: a database, say.
      if (stats?.isFile()) {
        await assertNoSecretName({ root, below, stats, isSecret: files.guard.isSecret });
      }
      return absolute;
    },
    read: (path, { maxBytes = limits.readBytes } = {}) =>
      onFiles(() => read(files, path, Math.min(maxBytes, limits.readBytes))),
    write: (path, data, { createDirs = false, overwrite = true, executable = false } = {}) => {
      const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
      return onFiles(() => writeFile(files, path, { bytes, createDirs, overwrite, executable }));
    },
    remove: (path) => onFiles(() => removePath(files, path)),
    makeDirectory: (path) => onFiles(() => makeDirectory(files, path)),
    list: (path) => onFiles(() => list(files, path)),
    stat: async (path) => {
      const { shown, stats } = await locate(path, 'read');
      return stats && infoOf(shown, stats);
    },
  };
};
