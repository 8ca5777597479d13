/** The port to a place where packages are installed: the user's folder, or a trusted project. */
import type { InstalledPackage, PackageTarget } from '../../contract/packages.ts';
import type { LockedPackage } from './packages-lock.ts';

export interface PackageLibrary {
  readonly target: PackageTarget;
  /** The folder of packages, absolute. */
  readonly root: string;
  /** Returns what the lock file said when it was last read. */
  packages(): readonly LockedPackage[];
  /** Reads the lock file again, and writes it as `edit` makes it. */
  change(edit: (packages: readonly LockedPackage[]) => readonly LockedPackage[]): Promise<void>;
  /** Rejects with PERMISSION_DENIED where nothing may be written, e.g. in a project without trust. */
  assertWritable(): Promise<void>;
}

export const installedPackage = (
  { folder: _folder, ...locked }: LockedPackage,
  target: PackageTarget,
): InstalledPackage => ({ ...locked, target });

export const withoutPackage = (
  packages: readonly LockedPackage[],
  name: string,
): readonly LockedPackage[] => packages.filter((one) => one.name !== name);
