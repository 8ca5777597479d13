/**
 * Finds the repository that a workspace belongs to, as its owner set it up: the folder .git in it, or
 * the repository whose worktree it is. A folder that only looks like a repository, or a file .git
 * that its repository does not know of, is none.
 */
import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Needs } from '../../contract/needs.ts';
import { segmentsBelow } from '../../kit/file/segments-below.ts';
import { isRepositoryLayout } from './repository-layout.ts';

export interface Repository {
  readonly gitDir: string;
  /** Where configuration and objects lie; another folder than `gitDir` for a worktree. */
  readonly commonDir: string;
  /** The top of its working tree: the workspace, or a folder above it. */
  readonly top: string;
}

const MAX_POINTER_BYTES = 4096;

const statsOf = (path: string) => lstatSync(path, { throwIfNoEntry: false });

/** Reads the one line of a small file; `undefined` for anything else. */
const lineOf = (path: string): string | undefined => {
  const stats = statsOf(path);
  if (!stats?.isFile() || stats.size > MAX_POINTER_BYTES) return undefined;
  return readFileSync(path, 'utf8').trim();
};

const realOf = (path: string): string | undefined => {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
};

/** Finds the repository of a worktree: outside the workspace, and pointing back at it. */
const worktreeAt = (top: string): Repository | undefined => {
  const file = join(top, '.git');
  const [, pointer] = /^gitdir: (.+)$/.exec(lineOf(file) ?? '') ?? [];
  const gitDir = pointer === undefined ? undefined : realOf(resolve(top, pointer));
  if (gitDir === undefined || segmentsBelow(top, gitDir) !== undefined) return undefined;
  const commonDir = dirname(dirname(gitDir));
  const isWorktree = basename(dirname(gitDir)) === 'worktrees' && basename(commonDir) === '.git';
  const back = lineOf(join(gitDir, 'gitdir'));
  const common = lineOf(join(gitDir, 'commondir'));
  if (!isWorktree || back === undefined || common === undefined) return undefined;
  const pointsBack = realOf(resolve(gitDir, back)) === file;
  const sharesIt = realOf(resolve(gitDir, common)) === commonDir;
  return pointsBack && sharesIt ? { gitDir, commonDir, top } : undefined;
};

/** Finds the repository in .git, unless `commondir` takes its configuration from elsewhere. */
const folderAt = (top: string): Repository | undefined => {
  const gitDir = join(top, '.git');
  return statsOf(join(gitDir, 'commondir')) === undefined
    ? { gitDir, commonDir: gitDir, top }
    : undefined;
};

/** Finds the repository whose top is the workspace. `root` is absolute, links resolved. */
export const repositoryOf = (root: string): Repository | undefined => {
  const stats = statsOf(join(root, '.git'));
  if (stats?.isDirectory()) return folderAt(root);
  return stats?.isFile() ? worktreeAt(root) : undefined;
};

/** Tells whether a tool names the repository in its needs: all its programs get it. */
export const wantsRepository = ({ paths = [] }: Needs): boolean =>
  paths.some(({ path, access }) => path === '.git' && access === 'write');

/**
 * Finds the repository around a workspace that is none itself, as in a monorepo: the nearest folder
 * above with a .git that belongs to the owner of the workspace, because its configuration decides
 * what git runs.
 */
export const enclosingRepository = (root: string): Repository | undefined => {
  const owner = statsOf(root)?.uid;
  for (let folder = dirname(root); folder !== dirname(folder); folder = dirname(folder)) {
    const stats = statsOf(join(folder, '.git'));
    if (stats === undefined) continue;
    return stats.uid === owner ? repositoryOf(folder) : undefined;
  }
  return undefined;
};

/**
 * Tells whether a folder below the root belongs to its repository: no other one, real or made up,
 * lies above it or in it.
 */
export const isInRepositoryOf = (root: string, folder: string): boolean => {
  const below = segmentsBelow(root, folder);
  if (below === undefined || repositoryOf(root) === undefined) return false;
  return below.every((_name, at) => {
    const each = join(root, ...below.slice(0, at + 1));
    const names = readdirSync(each);
    return !names.some((name) => name.toLowerCase() === '.git') && !isRepositoryLayout(names);
  });
};
