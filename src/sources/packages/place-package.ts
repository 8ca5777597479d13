/** Puts the files of a package into its folder in one step: they are there as a whole or not at all. */
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PackageFiles } from './package-manifest.ts';
import { treeDigest } from './package-tree.ts';

const STAGING = '.staging-';
const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const DIGEST_CHARS = 12;

export interface PackageFolder {
  /** The folder of packages, absolute. */
  readonly root: string;
  readonly name: string;
  readonly version: string;
}

/** Makes an empty folder beside the packages, on the same disk. */
export const makeStaging = async (root: string): Promise<string> => {
  await mkdir(root, { recursive: true, mode: FOLDER_MODE });
  return mkdtemp(join(root, STAGING));
};

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Gives a folder after the name that nothing is in: the version, then with the digest, then counted. */
const freeFolder = async ({ root, name, version }: PackageFolder, files: PackageFiles) => {
  const digest = treeDigest(files).slice('sha256-'.length, 'sha256-'.length + DIGEST_CHARS);
  const taken = (folder: string): Promise<boolean> => isThere(join(root, name, folder));
  if (!(await taken(version))) return version;
  let folder = `${version}-${digest}`;
  for (let count = 2; await taken(folder); count += 1) folder = `${version}-${digest}-${count}`;
  return folder;
};

/** Writes the files and moves them into place; gives the folder after the name of the package. */
export const placePackage = async (
  place: PackageFolder,
  files: PackageFiles,
  staging: string,
): Promise<string> => {
  const draft = join(staging, 'package');
  await mkdir(draft, { mode: FOLDER_MODE });
  for (const [path, bytes] of files) {
    const file = join(draft, path);
    await mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE });
    await writeFile(file, bytes, { flag: 'wx', mode: FILE_MODE });
  }
  const folder = await freeFolder(place, files);
  const target = join(place.root, place.name, folder);
  await mkdir(dirname(target), { recursive: true, mode: FOLDER_MODE });
  // One that is in use is never touched: a killed installation leaves it as it was.
  await rename(draft, target);
  return folder;
};

/** Removes the folders of a package but the one in use, and those above that are empty then. */
export const removeOthers = async (
  { root, name }: Pick<PackageFolder, 'root' | 'name'>,
  inUse: string | undefined,
): Promise<void> => {
  const own = join(root, name);
  const names = await readdir(own).catch(() => []);
  const old = names.filter((each) => each !== inUse);
  await Promise.all(old.map((each) => rm(join(own, each), { recursive: true, force: true })));
  if (inUse === undefined) await rm(own, { recursive: true, force: true });
};
