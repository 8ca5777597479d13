/**
 * One name in one open folder and what it holds at the moment. A file is read and then changed
 * there without a second look-up of its path.
 */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { fileFailure, systemCode } from './file-failure.ts';
import { type Folder, OPEN_SAFELY } from './open-verified.ts';
import { assertOrdinary, type LocatedPath, type PathGuard } from './path-guard.ts';
import { type Replacement, replaceFile } from './replace-file.ts';

export interface FileLimits {
  readonly readBytes: number;
  /** The largest file that can be changed, since what was there is kept. */
  readonly snapshotBytes: number;
}

export const DEFAULT_FILE_LIMITS: FileLimits = {
  readBytes: 16 * 1024 * 1024,
  snapshotBytes: 64 * 1024 * 1024,
};

export type Present =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'folder'; readonly stats: Stats }
  | { readonly kind: 'file'; readonly stats: Stats; readonly bytes: Uint8Array };

export interface Slot {
  readonly folder: Folder;
  readonly name: string;
  /** Folders between `folder` and the name that do not exist yet. */
  readonly absent: readonly string[];
  readonly present: Present;
}

/** Bytes read at a time from a file that grew meanwhile. */
const GROWN_CHUNK = 65_536;

const tooLarge = (maxBytes: number) =>
  new ToolFailure('OUTPUT_TOO_LARGE', `The file is larger than ${maxBytes} bytes.`, {
    suggestions: ['Use a smaller file, or a command that works on parts of it.'],
  });

const changedMeanwhile = () =>
  new ToolFailure('CONFLICT', 'Another program changed the file meanwhile.', {
    suggestions: ['Read the file again before you change it.'],
  });

/** Reads all of an open file. Throws when it exceeds the limit, whatever its size claims. */
export const readAll = async (handle: FileHandle, maxBytes: number): Promise<Uint8Array> => {
  const { size } = await handle.stat();
  if (size > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const length = total > size ? GROWN_CHUNK : size - total + 1;
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, total);
    if (bytesRead === 0)
      return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
    total += bytesRead;
    if (total > maxBytes) throw tooLarge(maxBytes);
    chunks.push(buffer.subarray(0, bytesRead));
  }
};

const readPresent = async (folder: Folder, name: string, maxBytes: number): Promise<Present> => {
  let handle: FileHandle;
  try {
    handle = await open(folder.at(name), constants.O_RDONLY | OPEN_SAFELY);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { kind: 'nothing' };
    throw error;
  }
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) return { kind: 'folder', stats };
    assertOrdinary(stats, 'write');
    return { kind: 'file', stats, bytes: await readAll(handle, maxBytes) };
  } finally {
    await handle.close();
  }
};

export interface SlotRequest {
  readonly guard: PathGuard;
  readonly target: LocatedPath;
  readonly maxBytes: number;
}

/** Opens the slot of a path for a change and closes it afterwards. */
export const withSlot = async <T>(
  { guard, target, maxBytes }: SlotRequest,
  work: (slot: Slot) => Promise<T>,
): Promise<T> => {
  if (target.stats) assertOrdinary(target.stats, 'write');
  const parent = target.stats ? dirname(target.absolute) : target.existing;
  const absent = target.missing.slice(0, -1);
  const name = basename(target.absolute);
  const folder = await guard.openFolder(parent);
  try {
    const present: Present =
      absent.length > 0 ? { kind: 'nothing' } : await readPresent(folder, name, maxBytes);
    await folder.verify();
    return await work({ folder, name, absent, present });
  } catch (error) {
    throw fileFailure(error);
  } finally {
    await folder.close();
  }
};

/** Throws unless the file is still the one that was read. */
const assertUntouched = async ({ folder, name, present }: Slot): Promise<void> => {
  const now = await lstat(folder.at(name)).catch(() => undefined);
  if (present.kind === 'nothing') {
    if (now) throw changedMeanwhile();
    return;
  }
  const { stats } = present;
  const same = now?.ino === stats.ino && now.dev === stats.dev && now.mtimeMs === stats.mtimeMs;
  if (!same || now?.size !== stats.size) throw changedMeanwhile();
};

const inParent = async <T>(
  { folder, absent }: Slot,
  work: (parent: Folder) => Promise<T>,
): Promise<T> => {
  const opened: Folder[] = [];
  try {
    let parent = folder;
    for (const name of absent) {
      parent = await parent.enter(name);
      opened.push(parent);
    }
    return await work(parent);
  } finally {
    for (const each of opened.reverse()) await each.close();
  }
};

/** Writes the file in one step and creates missing folders first. */
export const putFile = (
  slot: Slot,
  bytes: Uint8Array,
  { mode, unchanged }: Pick<Replacement, 'mode' | 'unchanged'> = {},
): Promise<void> =>
  inParent(slot, (parent) => {
    const stats = slot.present.kind === 'file' ? slot.present.stats : undefined;
    return replaceFile(parent, slot.name, {
      bytes,
      mode: mode ?? stats?.mode,
      owner: stats,
      replaces: stats !== undefined,
      confirm: () => (parent === slot.folder ? assertUntouched(slot) : Promise.resolve()),
      unchanged,
    });
  });

export const dropFile = async (slot: Slot): Promise<void> => {
  await assertUntouched(slot);
  await unlink(slot.folder.at(slot.name));
  await slot.folder.sync();
};

export const makeFolder = (slot: Slot, mode: number): Promise<void> =>
  inParent(slot, async (parent) => {
    await mkdir(parent.at(slot.name), { mode: mode & 0o777 });
    await parent.sync();
  });

export const isEmptyFolder = async ({ folder, name }: Slot): Promise<boolean> =>
  (await readdir(folder.at(name))).length === 0;

export const dropFolder = async ({ folder, name }: Slot): Promise<void> => {
  await rmdir(folder.at(name));
  await folder.sync();
};
