/**
 * Keeps a file with several names from being read under a harmless one: the others are looked for in
 * the workspace, and a name that cannot be found there may be anything.
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

/** How many names of the file lie in the workspace. Throws when one of them is a secret. */
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
      const found = entry.isFile() ? await lstat(path).catch(() => undefined) : undefined;
      if (found === undefined || !isSame(found, stats)) continue;
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
