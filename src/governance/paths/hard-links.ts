/**
 * Prevents that a file with several names is read under a harmless one: its other names are
 * searched in the workspace, and a name that is not there may be a secret.
 */
import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';

/** Package managers and compilers link their files to a store of their own. */
const LINKED_FOLDERS: ReadonlySet<string> = new Set([
  ...['node_modules', '.pnpm-store', '.venv', 'venv', 'site-packages', 'target', '.git'],
]);

const MAX_ENTRIES = 50_000;

const refused = () =>
  new ToolFailure('SECURITY_VIOLATION', 'The file has another name that may be a secret.', {
    suggestions: ['Make a copy of it under a name of its own, or ask a person.'],
  });

export interface LinkedFile {
  readonly root: string;
  readonly below: readonly string[];
  readonly stats: Stats;
  isSecret(path: string): boolean;
}

const isSame = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev;

/** Counts the names of the file in the workspace. Throws when one of them is a secret. */
const countNames = async ({ root, stats, isSecret }: LinkedFile): Promise<number> => {
  let names = 0;
  let seen = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    seen += entries.length;
    if (seen > MAX_ENTRIES) throw refused();
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!LINKED_FOLDERS.has(entry.name)) folders.push(path);
        continue;
      }
      const linkStats = entry.isFile() ? await lstat(path).catch(() => undefined) : undefined;
      if (linkStats === undefined || !isSame(linkStats, stats)) continue;
      if (isSecret(path)) throw refused();
      names += 1;
    }
  }
  return names;
};

/** Throws for a file one of whose other names is a secret, or lies where it cannot be judged. */
export const assertNoSecretName = async (file: LinkedFile): Promise<void> => {
  if (file.stats.nlink < 2) return;
  const names = await countNames(file);
  const isPackage = file.below.some((name) => LINKED_FOLDERS.has(name));
  if (names < file.stats.nlink && !isPackage) throw refused();
};
