import { describe, expect, it } from 'vitest';
import { isRepositoryRule } from './repository-layout.ts';

describe('the files of .git that stay read-only', () => {
  it.each([
    ...['hooks', 'hooks/post-commit', 'config', 'CONFIG', 'config.worktree', 'info/attributes'],
    ...['commondir', 'gitdir', 'modules/m/config', 'worktrees/w', 'rebase-merge/git-rebase-todo'],
    ...['sequencer/todo', 'objects/info/alternates', 'fsmonitor--daemon.ipc', 'remotes/x'],
  ])('threat: include %s', (path) => {
    expect(isRepositoryRule(path.split('/'))).toBe(true);
  });

  it.each([
    ...['index', 'index.lock', 'HEAD', 'HEAD.lock', 'objects/ab/cdef', 'objects/pack/p.pack'],
    ...['refs/heads/config', 'refs/heads/hooks/x', 'logs/HEAD', 'packed-refs', 'COMMIT_EDITMSG'],
  ])('do not include %s', (path) => {
    expect(isRepositoryRule(path.split('/'))).toBe(false);
  });

  it('do not include the folder itself', () => {
    expect(isRepositoryRule([])).toBe(false);
  });
});
