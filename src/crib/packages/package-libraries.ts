/** The places of installed packages: a trusted project's, and the user's. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FOLDER } from '../../config/load/find-config-files.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { PackageLibrary } from '../../sources/packages/package-library.ts';
import {
  formatPackagesLock,
  type LockedPackage,
  parsePackagesLock,
} from '../../sources/packages/packages-lock.ts';
import {
  assertPackagesWritable,
  PACKAGES_FOLDER,
  type ProjectPackages,
  readUserPackagesLock,
  userPackagesLock,
  writeProjectPackagesLock,
  writeUserPackagesLock,
} from '../../trust/packages-lock-file.ts';
import { warnUntrusted } from '../project/warn-untrusted.ts';

/** Where packages are looked for. */
export interface PackageLocations {
  /** The user's folder, absolute. */
  readonly userDir: string;
  /** The project, and its lock as it was trusted when the configuration was read. */
  readonly project?: ProjectPackages & { readonly lock: string | undefined };
}

type Edit = (packages: readonly LockedPackage[]) => readonly LockedPackage[];

const userLibrary = async (userDir: string): Promise<PackageLibrary> => {
  const file = userPackagesLock(userDir);
  const read = async () => parsePackagesLock(await readUserPackagesLock(userDir), file);
  let packages = await read();
  const root = join(userDir, PACKAGES_FOLDER);
  return {
    target: 'user',
    root,
    packages: () => packages,
    change: async (edit) => {
      const before = await read();
      const after = edit(before);
      if (after !== before) await writeUserPackagesLock(userDir, formatPackagesLock(after));
      packages = after;
    },
    assertWritable: async () => {
      await mkdir(root, { recursive: true, mode: 0o700 }).catch(() => undefined);
    },
  };
};

const projectLibrary = (
  { lock, ...location }: NonNullable<PackageLocations['project']>,
  { log, now }: Runtime,
): PackageLibrary => {
  const path = join(location.projectDir, FOLDER, 'packages.lock');
  let packages = parsePackagesLock(lock, path);
  const edited = (edit: Edit) => (before: string | undefined) => {
    const earlier = parsePackagesLock(before, path);
    const after = edit(earlier);
    return after === earlier ? undefined : formatPackagesLock(after);
  };
  return {
    target: 'project',
    root: join(location.projectDir, FOLDER, PACKAGES_FOLDER),
    packages: () => packages,
    change: async (edit) => {
      const change = { edit: edited(edit), now: now() };
      const { text, isTrusted } = await writeProjectPackagesLock(location, change);
      if (!isTrusted) warnUntrusted(log);
      packages = parsePackagesLock(text, path);
    },
    assertWritable: async () => {
      await assertPackagesWritable(location);
    },
  };
};

/** Reads the lock files. Throws CONFIG_INVALID for one that is not valid. */
export const openLibraries = async (
  { userDir, project }: PackageLocations,
  runtime: Runtime,
): Promise<readonly PackageLibrary[]> => [
  ...(project ? [projectLibrary(project, runtime)] : []),
  await userLibrary(userDir),
];
