/**
 * What stays read-only in the folder .git when a tool may write the rest of it: what makes git run
 * programs, or look for its configuration elsewhere, the next time somebody uses the repository.
 */

const NAMES: ReadonlySet<string> = new Set([
  ...['hooks', 'config', 'config.worktree', 'info', 'branches', 'remotes'],
  // They name another folder whose configuration counts.
  ...['commondir', 'gitdir', 'worktrees', 'modules'],
  // A rebase that is under way holds lines to execute.
  ...['rebase-merge', 'rebase-apply', 'sequencer'],
]);

/** Given by the segments below the folder .git. Case does not count, as on some file systems. */
export const isRepositoryRule = (below: readonly string[]): boolean => {
  const [first = '', second = ''] = below.map((name) => name.toLowerCase());
  return (
    NAMES.has(first) || first.startsWith('fsmonitor') || (first === 'objects' && second === 'info')
  );
};
