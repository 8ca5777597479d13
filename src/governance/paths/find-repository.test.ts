import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createGitWorkspace, type GitWorkspace } from '../../../test/fixtures/git-workspace.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import { repositoryOf } from './find-repository.ts';

let main: GitWorkspace;
let other: Workspace;
beforeEach(() => {
  main = createGitWorkspace();
  other = createWorkspace({});
});
afterEach(() => {
  main.remove();
  other.remove();
});

it('a worktree belongs to the repository that points back at it', () => {
  const top = join(realpathSync(other.root), 'tree');
  main.git('worktree', 'add', '-q', top);
  expect(repositoryOf(top)).toMatchObject({
    commonDir: join(realpathSync(main.root), '.git'),
    top,
  });
});

it('threat: a file .git that its repository does not know of is no worktree', () => {
  main.git('worktree', 'add', '-q', join(other.root, 'tree'));
  const root = realpathSync(other.root);
  for (const text of [`gitdir: ${main.root}/.git/worktrees/tree`, 'gitdir: nowhere', 'x']) {
    writeFileSync(join(root, '.git'), `${text}\n`);
    expect(repositoryOf(root)).toBeUndefined();
  }
});

it('threat: a folder .git that takes its configuration from another one is none', () => {
  expect(repositoryOf(realpathSync(main.root))).toBeDefined();
  writeFileSync(join(main.root, '.git/commondir'), '../evil\n');
  expect(repositoryOf(realpathSync(main.root))).toBeUndefined();
  expect(repositoryOf(realpathSync(other.root))).toBeUndefined();
});
