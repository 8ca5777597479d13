/**
 * The lock files of installed packages. A project's counts as long as it is the one that was trusted;
 * our own edit keeps the trust, and only ours. The user's own always counts.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import { FOLDER } from '../config/load/find-config-files.ts';
import { readConfigText, textOf } from '../config/load/read-config-file.ts';
import { ToolFailure } from '../contract/errors.ts';
import { putFile } from '../kit/file/replace-file.ts';
import { isInsideProject } from './inside-project.ts';
import { PACKAGES_LOCK } from './project-folder.ts';
import { type ConfigLocation, type ProjectTrust, readProjectTrust } from './project-trust.ts';
import { trustFileFault } from './trust-file.ts';
import { trustOwnEdit } from './trust-own-edit.ts';
import { isLockAsTrusted } from './trusted-copies.ts';

const MAX_BYTES = 8 * 1024 * 1024;

/** The folder of packages, beside the lock. */
export const PACKAGES_FOLDER = 'packages';

export const userPackagesLock = (userDir: string): string => join(userDir, PACKAGES_LOCK);

/** Throws `ConfigError` for a file that cannot be read, or that others could have written. */
export const readUserPackagesLock = async (userDir: string): Promise<string | undefined> => {
  const file = userPackagesLock(userDir);
  const self = process.getuid?.();
  const { text, fault } = await readConfigText(file, {
    check: (stats) => trustFileFault(stats, self),
    maxBytes: MAX_BYTES,
    noLink: true,
  });
  if (fault !== undefined) throw new ConfigError([{ file, path: '', message: fault }]);
  return text;
};

export const writeUserPackagesLock = async (userDir: string, text: string): Promise<void> => {
  await mkdir(userDir, { recursive: true, mode: 0o700 });
  await putFile(userPackagesLock(userDir), text);
};

/** Gives the lock of a project as it was trusted; `undefined` where there is none, or no trust. */
export const trustedPackagesLock = ({ folder, inForce }: ProjectTrust): string | undefined => {
  if (!folder || !inForce || !isLockAsTrusted(folder, inForce, PACKAGES_LOCK)) return undefined;
  const bytes = inForce.contents.get(PACKAGES_LOCK);
  return bytes && textOf(bytes).text;
};

export interface ProjectPackages extends ConfigLocation {
  readonly userDir: string;
  /** Where a project without `.toolcrib` gets one. */
  readonly projectDir: string;
}

const refused = (message: string): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', message, {
    suggestions: ['Look at what is in .toolcrib and decide: toolcrib trust'],
  });

/** Rejects where the project's packages may not be changed: no trust, or a link on the way. */
export const assertPackagesWritable = async (location: ProjectPackages): Promise<ProjectTrust> => {
  const trust = await readProjectTrust(location);
  const { state, folder, inForce } = trust;
  const isAsTrusted = folder && inForce && isLockAsTrusted(folder, inForce, PACKAGES_LOCK);
  if (state !== 'none' && (!isAsTrusted || folder.problems.length > 0)) {
    throw refused('This project is not trusted as it is now, so nothing was written.');
  }
  const { projectDir } = location;
  const rule = { projectDir, inside: [FOLDER] };
  for (const name of [PACKAGES_LOCK, PACKAGES_FOLDER]) {
    if (await isInsideProject(join(FOLDER, name), rule)) continue;
    throw refused('The packages of this project are behind a link, so nothing was written.');
  }
  return trust;
};

export interface PackagesLockEdit {
  /** Makes the new text of the lock from the trusted one; `undefined` leaves it as it is. */
  edit(before: string | undefined): string | undefined;
  readonly now: number;
}

/** Writes the lock of a project. `isTrusted` is false when something else has changed as well. */
export const writeProjectPackagesLock = async (
  location: ProjectPackages,
  { edit, now }: PackagesLockEdit,
): Promise<{ readonly text: string | undefined; readonly isTrusted: boolean }> => {
  const trust = await assertPackagesWritable(location);
  const before = trustedPackagesLock(trust);
  const after = edit(before);
  if (after === undefined || after === before) return { text: before, isTrusted: true };
  const folder = join(location.projectDir, FOLDER);
  await mkdir(folder, { recursive: true });
  await putFile(join(folder, PACKAGES_LOCK), after, { mode: 0o644 });
  const change = { trust, edit: { name: PACKAGES_LOCK, before, after }, now };
  const isTrusted = trust.insisted || (await trustOwnEdit(location, change));
  return { text: after, isTrusted };
};
