/**
 * One name in one open folder, with what is there at the moment: the place where a file is read
 * before a change and then changed, without a path being looked up again in between.
 */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { fileFailure, systemCode } from './file-failure.ts';
import { type Folder, OPEN_SAFELY } from './open-verified.ts';
import { assertOrdinary, type PathGuard, type Place } from './path-guard.ts';
import { replaceFile } from './replace-file.ts';

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

export interface Spot {
  readonly folder: Folder;
  readonly name: string;
  /** Folders between `folder` and the name that do not exist yet. */
  readonly absent: readonly string[];
  readonly present: Present;
}

/** How much at a time is read of a file that grew while it was read. */
const GROWN_CHUNK = 65_536;

const tooLarge = (maxBytes: number) =>
  new ToolFailure('OUTPUT_TOO_LARGE', `The file is larger than ${maxBytes} bytes.`, {
    suggestions: ['Use a smaller file, or a command that works on parts of it.'],
  });

const changedMeanwhile = () =>
  new ToolFailure('CONFLICT', 'Another program changed the file meanwhile.', {
    suggestions: ['Read the file again before you change it.'],
  });

/** All of an open file. Throws when there is more than the limit, whatever its size claims. */
export const readAll = async (handle: FileHandle, maxBytes: number): Promise<Uint8Array> => {
  const { size } = await handle.stat();
  if (size > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const wanted = total > size ? GROWN_CHUNK : size - total + 1;
    const buffer = Buffer.allocUnsafe(wanted);
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

export interface SpotRequest {
  readonly guard: PathGuard;
  readonly place: Place;
  readonly maxBytes: number;
}

/** Opens the spot of a place for a change and closes it afterwards. */
export const atSpot = async <T>(
  { guard, place, maxBytes }: SpotRequest,
  work: (spot: Spot) => Promise<T>,
): Promise<T> => {
  if (place.stats) assertOrdinary(place.stats, 'write');
  const parent = place.stats ? dirname(place.absolute) : place.existing;
  const absent = place.missing.slice(0, -1);
  const name = basename(place.absolute);
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
const assertUntouched = async ({ folder, name, present }: Spot): Promise<void> => {
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
  { folder, absent }: Spot,
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

/** Writes the file in one step, folders that are missing made first. */
export const putFile = (spot: Spot, bytes: Uint8Array, mode?: number): Promise<void> =>
  inParent(spot, (parent) => {
    const stats = spot.present.kind === 'file' ? spot.present.stats : undefined;
    return replaceFile(parent, spot.name, {
      bytes,
      mode: mode ?? stats?.mode,
      owner: stats,
      replaces: stats !== undefined,
      confirm: () => (parent === spot.folder ? assertUntouched(spot) : Promise.resolve()),
    });
  });

export const dropFile = async (spot: Spot): Promise<void> => {
  await assertUntouched(spot);
  await unlink(spot.folder.at(spot.name));
  await spot.folder.sync();
};

export const makeFolder = (spot: Spot, mode: number): Promise<void> =>
  inParent(spot, async (parent) => {
    await mkdir(parent.at(spot.name), { mode: mode & 0o777 });
    await parent.sync();
  });

export const isEmptyFolder = async ({ folder, name }: Spot): Promise<boolean> =>
  (await readdir(folder.at(name))).length === 0;

export const dropFolder = async ({ folder, name }: Spot): Promise<void> => {
  await rmdir(folder.at(name));
  await folder.sync();
};
