/**
 * Recognizes folders that git takes for a repository by itself: those with HEAD, objects and refs,
 * or with HEAD and the name of another repository. Git runs what their configuration says, so no
 * tool completes one or writes into one. Also lists what stays read-only in .git.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';

const PARTS = ['head', 'objects', 'refs', 'commondir'] as const;

const isComplete = (has: (part: string) => boolean): boolean =>
  has('head') && (has('commondir') || (has('objects') && has('refs')));

/** Judges a folder by the names of its entries. Case does not count, as on some file systems. */
export const isRepositoryLayout = (names: readonly string[]): boolean => {
  // Most folders have no HEAD, so that no set is made for them.
  if (!names.some((name) => name.length === 4 && name.toLowerCase() === 'head')) return false;
  const all = new Set(names.map((name) => name.toLowerCase()));
  return isComplete((part) => all.has(part));
};

const SPELLINGS: Readonly<Record<string, string>> = { head: 'HEAD' };

const isThere = (folder: string, part: string): boolean =>
  [part, SPELLINGS[part] ?? part].some(
    (name) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined,
  );

/** Tells whether a path could complete a layout, so that its writing has to wait for others. */
export const isRepositoryPart = (below: readonly string[]): boolean =>
  below.some((name) => (PARTS as readonly string[]).includes(name.toLowerCase()));

/** Throws when the folder, or one above it up to the root, is a repository or would become one. */
export const assertNoRepository = (root: string, below: readonly string[]): void => {
  for (let at = 0; at < below.length; at += 1) {
    const folder = join(root, ...below.slice(0, at));
    const added = (below[at] as string).toLowerCase();
    if (!isComplete((part) => part === added || isThere(folder, part))) continue;
    throw new ToolFailure(
      'SECURITY_VIOLATION',
      'The folder is, or would become, one that git takes for a repository and runs programs for.',
      { suggestions: ['Use other names than HEAD, objects, refs and commondir in one folder.'] },
    );
  }
};

const RULE_NAMES: ReadonlySet<string> = new Set([
  ...['hooks', 'config', 'config.worktree', 'info', 'branches', 'remotes'],
  // They name another folder whose configuration counts.
  ...['commondir', 'gitdir', 'worktrees', 'modules'],
  // A rebase that is under way holds lines to execute.
  ...['rebase-merge', 'rebase-apply', 'sequencer'],
]);

/**
 * Tells whether a path in .git, given by its segments, makes git run programs or take configuration
 * from elsewhere. Case does not count, as on some file systems.
 */
export const isRepositoryRule = (below: readonly string[]): boolean => {
  const [first = '', second = ''] = below.map((name) => name.toLowerCase());
  return (
    RULE_NAMES.has(first) ||
    first.startsWith('fsmonitor') ||
    (first === 'objects' && second === 'info')
  );
};
