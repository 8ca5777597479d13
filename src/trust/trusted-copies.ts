/**
 * Copies of the files by which a trusted project restricts, in the user's folder: what was trusted stays
 * in force when the project's own file is changed, deleted or hidden. A copy is named by its hash.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readBytes } from '../config/load/read-config-file.ts';
import { sha256Hex } from '../kit/data/canonical-json.ts';
import { ownValue } from '../kit/data/own-value.ts';
import { putFile } from '../kit/file/replace-file.ts';
import { hashOfFiles, LOCK, type ProjectFolder } from './project-folder.ts';
import type { TrustedContent } from './trust-file.ts';

const MAX_COPY_BYTES = 8 * 1024 * 1024;
/** What lets something in: code, and tools from outside that were accepted. */
const GIVES = /^(?:(?:tools|flows)\/|(?:tools|packages)\.lock$)/i;

/**
 * Tells whether a file stays in force as it was trusted: settings and rules do; code and accepted
 * tools are off once they have changed.
 */
const isKeptInForce = (path: string): boolean => !GIVES.test(path);

const copyFile = (userDir: string, hash: string): string => join(userDir, 'trusted', hash);

const readCopy = async (userDir: string, hash: string): Promise<Uint8Array | undefined> => {
  const { bytes } = await readBytes(copyFile(userDir, hash), {
    maxBytes: MAX_COPY_BYTES,
    noLink: true,
  });
  return bytes && sha256Hex(bytes) === hash ? bytes : undefined;
};

/** Keeps copies of what the folder holds of these files now. */
export const keepCopies = async (
  userDir: string,
  { files, contents }: Pick<ProjectFolder, 'files' | 'contents'>,
): Promise<void> => {
  for (const [path, hash] of Object.entries(files)) {
    const bytes = contents.get(path);
    if (!bytes || !isKeptInForce(path) || (await readCopy(userDir, hash))) continue;
    await mkdir(join(userDir, 'trusted'), { recursive: true, mode: 0o700 });
    await putFile(copyFile(userDir, hash), bytes);
  }
};

export interface FolderInForce {
  readonly folder: ProjectFolder;
  /** Files that were trusted and of which neither the original nor a copy is there. */
  readonly lost: readonly string[];
}

/**
 * Finds what counts of a changed project: each file that is as it was trusted, and the trusted copy
 * of settings and rules. New files, and code or a lock that changed, are left out.
 */
export const folderInForce = async (
  onDisk: ProjectFolder,
  trusted: TrustedContent,
  userDir: string,
): Promise<FolderInForce> => {
  const files: Record<string, string> = {};
  const contents = new Map<string, Uint8Array>();
  const lost: string[] = [];
  for (const [path, hash] of Object.entries(trusted.files)) {
    const isSame = ownValue(onDisk.files, path) === hash;
    const bytes = isSame ? onDisk.contents.get(path) : undefined;
    const content = bytes ?? (isKeptInForce(path) ? await readCopy(userDir, hash) : undefined);
    if (!content) {
      if (isKeptInForce(path)) lost.push(path);
      continue;
    }
    files[path] = hash;
    contents.set(path, content);
  }
  const hash = hashOfFiles(files);
  return { folder: { ...onDisk, files, contents, hash, problems: [] }, lost };
};

/** Says whether the lock on disk is the one in force: only then does it count, and may be written. */
export const isLockAsTrusted = (
  onDisk: ProjectFolder,
  inForce: ProjectFolder,
  name = LOCK,
): boolean =>
  ownValue(onDisk.files, name) === ownValue(inForce.files, name) &&
  !onDisk.problems.some(({ file }) => file.endsWith(name));
