import {
  chownSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createGitWorkspace, type GitWorkspace } from '../../../test/fixtures/git-workspace.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import {
  enclosingRepository,
  isInRepositoryOf,
  repositoryOf,
  wantsRepository,
} from './find-repository.ts';

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

it('threat: a folder .git that takes its configuration from another one is no repository', () => {
  expect(repositoryOf(realpathSync(main.root))).toBeDefined();
  writeFileSync(join(main.root, '.git/commondir'), '../evil\n');
  expect(repositoryOf(realpathSync(main.root))).toBeUndefined();
  expect(repositoryOf(realpathSync(other.root))).toBeUndefined();
});

it('threat: a file .git that is too large to be a pointer is no worktree', () => {
  const top = join(realpathSync(other.root), 'tree');
  main.git('worktree', 'add', '-q', top);
  const pointer = readFileSync(join(top, '.git'), 'utf8');
  writeFileSync(join(top, '.git'), pointer + '\n'.repeat(4096));
  expect(repositoryOf(top)).toBeUndefined();
});

it('threat: a file .git that points into the workspace is no worktree', () => {
  const root = realpathSync(other.root);
  mkdirSync(join(root, 'sub/.git/worktrees/tree'), { recursive: true });
  writeFileSync(join(root, '.git'), 'gitdir: sub/.git/worktrees/tree\n');
  expect(repositoryOf(root)).toBeUndefined();
});

it('threat: a file .git that points at no folder of worktrees is no worktree', () => {
  const root = realpathSync(other.root);
  writeFileSync(join(root, '.git'), `gitdir: ${join(main.root, '.git')}\n`);
  expect(repositoryOf(root)).toBeUndefined();
});

it.each(['gitdir', 'commondir'])(
  'threat: a worktree whose repository lacks %s is no repository',
  (name) => {
    const top = join(realpathSync(other.root), 'tree');
    main.git('worktree', 'add', '-q', top);
    rmSync(join(main.root, '.git/worktrees/tree', name));
    expect(repositoryOf(top)).toBeUndefined();
  },
);

it('threat: a worktree whose repository takes its configuration from elsewhere is no repository', () => {
  const top = join(realpathSync(other.root), 'tree');
  main.git('worktree', 'add', '-q', top);
  for (const text of [other.root, 'nowhere']) {
    writeFileSync(join(main.root, '.git/worktrees/tree/commondir'), `${text}\n`);
    expect(repositoryOf(top)).toBeUndefined();
  }
});

it('threat: a link .git belongs to no repository', () => {
  symlinkSync(join(main.root, '.git'), join(other.root, '.git'));
  expect(repositoryOf(realpathSync(other.root))).toBeUndefined();
});

it('the repository around a folder is the nearest one of the same owner', () => {
  const top = realpathSync(main.root);
  mkdirSync(join(top, 'packages/a'), { recursive: true });
  expect(enclosingRepository(join(top, 'packages/a'))).toMatchObject({ top });
  expect(enclosingRepository(realpathSync(other.root))).toBeUndefined();
  writeFileSync(join(top, 'packages/.git'), 'gitdir: ../evil\n');
  expect(enclosingRepository(join(top, 'packages/a'))).toBeUndefined();
});

it.skipIf(process.getuid?.() !== 0)(
  'threat: a .git of another user is no repository around',
  () => {
    const top = realpathSync(main.root);
    mkdirSync(join(top, 'a'));
    chownSync(join(top, '.git'), 12_345, 12_345);
    expect(enclosingRepository(join(top, 'a'))).toBeUndefined();
  },
);

it('a folder belongs to the repository unless another one begins above or in it', () => {
  const top = realpathSync(main.root);
  const folder = join(top, 'packages/a');
  mkdirSync(folder, { recursive: true });
  expect(isInRepositoryOf(top, folder)).toBe(true);
  expect(isInRepositoryOf(top, realpathSync(other.root))).toBe(false);
  expect(isInRepositoryOf(realpathSync(other.root), realpathSync(other.root))).toBe(false);
  for (const name of ['objects', 'refs']) mkdirSync(join(top, 'packages', name));
  writeFileSync(join(top, 'packages/HEAD'), 'ref: refs/heads/main\n');
  expect(isInRepositoryOf(top, folder)).toBe(false);
  rmSync(join(top, 'packages/HEAD'));
  mkdirSync(join(folder, '.GIT'));
  expect(isInRepositoryOf(top, folder)).toBe(false);
});

it('a tool wants the repository when its needs name it for writing', () => {
  expect(wantsRepository({})).toBe(false);
  expect(wantsRepository({ paths: [{ path: '.git', access: 'read' }] })).toBe(false);
  expect(wantsRepository({ paths: [{ path: '.git', access: 'write' }] })).toBe(true);
});
