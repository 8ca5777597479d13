/**
 * The files one call may touch: what the guard lets through, narrowed to the paths the tool asked
 * for. Before anything changes, what was there is handed over for safe keeping.
 */
import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import type { FileAccess, FileInfo, WriteReceipt } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/store.ts';
import type { Needs } from '../../contract/tool.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { onFiles, systemCode } from './file-failure.ts';
import {
  atSpot,
  DEFAULT_FILE_LIMITS,
  dropFile,
  dropFolder,
  type FileLimits,
  isEmptyFolder,
  makeFolder,
  putFile,
  readAll,
  type Spot,
} from './file-slot.ts';
import { assertNoSecretName } from './hard-links.ts';
import { assertOrdinary, type PathGuard, type Place } from './path-guard.ts';
import { type Locate, locateWithin } from './path-needs.ts';
import { TEMPORARY_PREFIX } from './replace-file.ts';
import { assertNoRepository, isRepositoryPart } from './repository-layout.ts';
import type { Access } from './workspace-roots.ts';

export type NewSnapshot = Omit<Snapshot, 'executionId' | 'order' | 'keptAt'>;

/** Paths given to `changed` and `used` are written as `FileInfo.path` is. */
export interface FileHooks {
  /** Awaited before the first byte changes; when it fails, nothing changes. */
  beforeChange(snapshot: NewSnapshot): Promise<void>;
  changed(path: string): void;
  used(path: string): void;
}

export interface FileAccessOptions {
  readonly guard: PathGuard;
  /** The needs of the tool. */
  readonly needs: Needs | undefined;
  readonly hooks: FileHooks;
  readonly limits?: Partial<FileLimits>;
  /** Throws for a place that the call may not use; asked right before each use. */
  assertApproved?(place: Place, access: Access): void;
}

interface Files {
  readonly guard: PathGuard;
  readonly locate: Locate;
  readonly hooks: FileHooks;
  readonly limits: FileLimits;
}

const conflict = (message: string, suggestion: string) =>
  new ToolFailure('CONFLICT', message, { suggestions: [suggestion] });

const notFound = () =>
  new ToolFailure('NOT_FOUND', 'There is no such file or directory.', {
    suggestions: ['List the directory first.'],
  });

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

/** Where something ordinary lies that exists. */
const locateExisting = async (files: Files, path: string): Promise<Place & { stats: Stats }> => {
  const place = await files.locate(path, 'read');
  if (!place.stats) throw notFound();
  assertOrdinary(place.stats, 'read');
  return { ...place, stats: place.stats };
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

interface Writing {
  readonly bytes: Uint8Array;
  readonly createDirs: boolean;
  readonly overwrite: boolean;
  readonly executable: boolean;
}

/** The rights of a new file that may be run. */
const RUNNABLE = 0o755;

const assertWritable = ({ present, absent }: Spot, { createDirs, overwrite }: Writing): void => {
  if (present.kind === 'folder') {
    throw conflict('The path is a directory, not a file.', 'Name a file in it.');
  }
  if (present.kind === 'file' && !overwrite) {
    throw conflict('The file exists already.', 'Set overwrite, or choose another name.');
  }
  if (absent.length > 0 && !createDirs) {
    throw new ToolFailure('NOT_FOUND', 'The directory of the file does not exist.', {
      suggestions: ['Set createDirs, or create the directory first.'],
    });
  }
};

/** The parts of a folder that git would take for a repository are written one after the other. */
const LAYOUT = 'repository layout';

/** Goes to the place of a change when no other change of this process is under way there. */
const change = async <T>(
  files: Files,
  path: string,
  work: (spot: Spot, place: Place) => Promise<T>,
): Promise<T> => {
  const { guard, locate, limits, hooks } = files;
  const first = await locate(path, 'write');
  const key = isRepositoryPart(first.below) ? LAYOUT : first.absolute;
  return guard.oneAtATime(key, async () => {
    const place = await locate(path, 'write');
    assertNoRepository(place.root, place.below);
    if (place.isRoot) throw conflict('The path is the workspace itself.', 'Name a file in it.');
    const result = await atSpot({ guard, place, maxBytes: limits.snapshotBytes }, (spot) =>
      work(spot, place),
    );
    hooks.used(place.shown);
    hooks.changed(place.shown);
    return result;
  });
};

const write = async (files: Files, path: string, writing: Writing): Promise<WriteReceipt> => {
  const { bytes } = writing;
  if (bytes.length > files.limits.snapshotBytes) {
    throw new ToolFailure('OUTPUT_TOO_LARGE', 'The content is larger than a file may be.', {
      suggestions: ['Write it in parts, to several files.'],
    });
  }
  return change(files, path, async (spot, place) => {
    assertWritable(spot, writing);
    const old = spot.present.kind === 'file' ? spot.present : undefined;
    await files.hooks.beforeChange({
      path: place.absolute,
      before: old?.bytes,
      beforeMode: old && old.stats.mode & 0o7777,
      afterHash: sha256Hex(bytes),
    });
    await putFile(spot, bytes, writing.executable && !old ? RUNNABLE : undefined);
    return { bytesWritten: bytes.length, created: old === undefined };
  });
};

/** The mode is kept with its type bits: that is how undo knows that there was a folder. */
const removeFolder = async (files: Files, spot: Spot, kept: NewSnapshot): Promise<void> => {
  if (!(await isEmptyFolder(spot))) {
    throw conflict('The directory is not empty.', 'Remove what it holds first.');
  }
  await files.hooks.beforeChange(kept);
  await dropFolder(spot);
};

const remove = (files: Files, path: string): Promise<void> =>
  change(files, path, async (spot, place) => {
    if (place.isLink) throw conflict('The path is a link.', 'Name the file it leads to.');
    const { present } = spot;
    if (present.kind === 'nothing') throw notFound();
    const isFile = present.kind === 'file';
    const { mode } = present.stats;
    const kept: NewSnapshot = {
      path: place.absolute,
      before: isFile ? present.bytes : undefined,
      beforeMode: isFile ? mode & 0o7777 : mode,
      afterHash: undefined,
    };
    if (!isFile) return removeFolder(files, spot, kept);
    await files.hooks.beforeChange(kept);
    await dropFile(spot);
  });

/** What undo compares a directory with that was made: it has no content of its own. */
const MADE_FOLDER = 'folder';

const makeDirectory = (files: Files, path: string): Promise<void> =>
  change(files, path, async (spot, place) => {
    if (spot.present.kind !== 'nothing') {
      throw conflict('Something of that name is there already.', 'Choose another name.');
    }
    await files.hooks.beforeChange({
      path: place.absolute,
      before: undefined,
      beforeMode: undefined,
      afterHash: MADE_FOLDER,
    });
    await makeFolder(spot, 0o777);
  });

const list = async (files: Files, path: string): Promise<readonly FileInfo[]> => {
  const { absolute, shown, stats } = await locateExisting(files, path);
  if (!stats.isDirectory()) throw conflict('The path is a file, not a directory.', 'Read it.');
  const { guard, hooks } = files;
  const folder = await guard.openFolder(absolute);
  const prefix = shown === '.' ? '' : `${shown}/`;
  const look = async (name: string): Promise<FileInfo | undefined> => {
    try {
      const found = await lstat(folder.at(name));
      if (!guard.shows(absolute, name, found.isDirectory())) return undefined;
      return infoOf(`${prefix}${name}`, found);
    } catch (error) {
      // Gone meanwhile, or a name that is not UTF-8 and cannot be asked for.
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  };
  try {
    hooks.used(shown);
    const names = (await readdir(folder.at('.'))).filter(
      (name) => !name.startsWith(TEMPORARY_PREFIX),
    );
    const infos = await Promise.all(names.sort().map(look));
    return infos.filter((info) => info !== undefined);
  } finally {
    await folder.close();
  }
};

/** File access for one call of one tool. */
export const createFileAccess = (options: FileAccessOptions): FileAccess => {
  const { guard, needs, hooks } = options;
  const limits = { ...DEFAULT_FILE_LIMITS, ...options.limits };
  const within = locateWithin(guard, needs?.paths ?? []);
  const locate: Locate = async (path, access) => {
    const place = await within(path, access);
    options.assertApproved?.(place, access);
    return place;
  };
  const files: Files = { guard, locate, hooks, limits };
  return {
    resolve: async (path, access) => {
      const { absolute, stats } = await locate(path, access);
      if (stats) assertOrdinary(stats, access);
      return absolute;
    },
    read: (path, { maxBytes = limits.readBytes } = {}) =>
      onFiles(() => read(files, path, Math.min(maxBytes, limits.readBytes))),
    write: (path, data, { createDirs = false, overwrite = true, executable = false } = {}) => {
      const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
      return onFiles(() => write(files, path, { bytes, createDirs, overwrite, executable }));
    },
    remove: (path) => onFiles(() => remove(files, path)),
    makeDirectory: (path) => onFiles(() => makeDirectory(files, path)),
    list: (path) => onFiles(() => list(files, path)),
    stat: async (path) => {
      const { shown, stats } = await locate(path, 'read');
      return stats && infoOf(shown, stats);
    },
  };
};
