/** Removes what killed processes of this user left behind: temporary files and folders, by their names. */
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ownUid } from './private-file.ts';

export interface StaleOptions {
  /** Prefixes that only this program gives to names. */
  readonly prefixes: readonly string[];
  /** Younger ones may belong to a process that lives. */
  readonly minAgeMs: number;
  readonly now: number;
}

const isStale = async (path: string, { minAgeMs, now }: StaleOptions): Promise<boolean> => {
  const stats = await lstat(path);
  const isOurs = ownUid() === undefined || stats.uid === ownUid();
  // This program makes no links.
  return isOurs && !stats.isSymbolicLink() && now - stats.mtimeMs >= minAgeMs;
};

/** Lists stale entries. Never fails. */
export const staleEntries = async (
  folder: string,
  options: StaleOptions,
): Promise<readonly string[]> => {
  const names = await readdir(folder).catch(() => []);
  const paths: string[] = [];
  for (const name of names) {
    if (!options.prefixes.some((prefix) => name.startsWith(prefix))) continue;
    const path = join(folder, name);
    // Another process may have been faster.
    if (await isStale(path, options).catch(() => false)) paths.push(path);
  }
  return paths;
};

/** Removes stale entries and returns their number. Never fails: what cannot be removed stays. */
export const removeStale = async (folder: string, options: StaleOptions): Promise<number> => {
  let removed = 0;
  for (const path of await staleEntries(folder, options)) {
    try {
      await rm(path, { recursive: true, force: true });
      removed += 1;
    } catch {
      // It may not be removed.
    }
  }
  return removed;
};
