/** Changes files for one call: write, remove and create, each after a snapshot was handed over. */
import type { WriteReceipt } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/store.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import {
  dropFile,
  dropFolder,
  type FileLimits,
  isEmptyFolder,
  makeFolder,
  putFile,
  type Slot,
  withSlot,
} from './file-slot.ts';
import type { LocatedPath, PathGuard } from './path-guard.ts';
import type { Locate } from './path-needs.ts';
import { assertNoRepository, isRepositoryPart } from './repository-layout.ts';

export type NewSnapshot = Omit<Snapshot, 'executionId' | 'order' | 'keptAt'>;

/** Paths given to `changed` and `used` are written as `FileInfo.path` is. */
export interface FileHooks {
  /** Runs before the first byte changes; when it fails, nothing changes. */
  beforeChange(snapshot: NewSnapshot): Promise<void>;
  changed(path: string): void;
  /** Runs when a write that `beforeChange` was asked about failed and left the file as it was. */
  unchanged?(): void;
  used(path: string): void;
}

export interface Files {
  readonly guard: PathGuard;
  readonly locate: Locate;
  readonly hooks: FileHooks;
  readonly limits: FileLimits;
}

export const conflict = (message: string, suggestion: string) =>
  new ToolFailure('CONFLICT', message, { suggestions: [suggestion] });

export const notFound = () =>
  new ToolFailure('NOT_FOUND', 'There is no such file or directory.', {
    suggestions: ['List the directory first.'],
  });

export interface Writing {
  readonly bytes: Uint8Array;
  readonly createDirs: boolean;
  readonly overwrite: boolean;
  readonly executable: boolean;
}

/** The mode of a new executable file. */
const RUNNABLE = 0o755;

const assertWritable = ({ present, absent }: Slot, { createDirs, overwrite }: Writing): void => {
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

/** Runs a change of a path when no other change of it is under way in this process. */
const change = async <T>(
  files: Files,
  path: string,
  work: (slot: Slot, target: LocatedPath) => Promise<T>,
): Promise<T> => {
  const { guard, locate, limits, hooks } = files;
  const first = await locate(path, 'write');
  const key = isRepositoryPart(first.below) ? LAYOUT : first.absolute;
  return guard.oneAtATime(key, async () => {
    const target = await locate(path, 'write');
    assertNoRepository(target.root, target.below);
    if (target.isRoot) throw conflict('The path is the workspace itself.', 'Name a file in it.');
    const result = await withSlot({ guard, target, maxBytes: limits.snapshotBytes }, (slot) =>
      work(slot, target),
    );
    hooks.used(target.shown);
    hooks.changed(target.shown);
    return result;
  });
};

export const writeFile = async (
  files: Files,
  path: string,
  writing: Writing,
): Promise<WriteReceipt> => {
  const { bytes } = writing;
  if (bytes.length > files.limits.snapshotBytes) {
    throw new ToolFailure('OUTPUT_TOO_LARGE', 'The content is larger than a file may be.', {
      suggestions: ['Write it in parts, to several files.'],
    });
  }
  return change(files, path, async (slot, target) => {
    assertWritable(slot, writing);
    const old = slot.present.kind === 'file' ? slot.present : undefined;
    await files.hooks.beforeChange({
      path: target.absolute,
      before: old?.bytes,
      beforeMode: old && old.stats.mode & 0o7777,
      afterHash: sha256Hex(bytes),
    });
    await putFile(slot, bytes, {
      mode: writing.executable && !old ? RUNNABLE : undefined,
      unchanged: files.hooks.unchanged,
    });
    return { bytesWritten: bytes.length, created: old === undefined };
  });
};

/** Removes an empty folder. The type bits of the mode in the snapshot tell undo that it was one. */
const removeFolder = async (files: Files, slot: Slot, snapshot: NewSnapshot): Promise<void> => {
  if (!(await isEmptyFolder(slot))) {
    throw conflict('The directory is not empty.', 'Remove what it holds first.');
  }
  await files.hooks.beforeChange(snapshot);
  await dropFolder(slot);
};

export const removePath = (files: Files, path: string): Promise<void> =>
  change(files, path, async (slot, target) => {
    if (target.isLink) throw conflict('The path is a link.', 'Name the file it leads to.');
    const { present } = slot;
    if (present.kind === 'nothing') throw notFound();
    const isFile = present.kind === 'file';
    const { mode } = present.stats;
    const snapshot: NewSnapshot = {
      path: target.absolute,
      before: isFile ? present.bytes : undefined,
      beforeMode: isFile ? mode & 0o7777 : mode,
      afterHash: undefined,
    };
    if (!isFile) return removeFolder(files, slot, snapshot);
    await files.hooks.beforeChange(snapshot);
    await dropFile(slot);
  });

/** Stands for the hash of a created directory, which has no content of its own. */
const MADE_FOLDER = 'folder';

export const makeDirectory = (files: Files, path: string): Promise<void> =>
  change(files, path, async (slot, target) => {
    if (slot.present.kind !== 'nothing') {
      throw conflict('Something of that name is there already.', 'Choose another name.');
    }
    await files.hooks.beforeChange({
      path: target.absolute,
      before: undefined,
      beforeMode: undefined,
      afterHash: MADE_FOLDER,
    });
    await makeFolder(slot, 0o777);
  });
