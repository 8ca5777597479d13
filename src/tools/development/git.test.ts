/** git and git_commit on a real repository: every operation, and inputs that mean something else. */
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGitWorkspace, type GitWorkspace } from '../../../test/fixtures/git-workspace.ts';
import { runExample, runTool, titlesOf } from '../../../test/fixtures/run-tool.ts';
import { type SpawnSettings, spawnedExec } from '../../../test/fixtures/spawned-exec.ts';
import { createWorkspace } from '../../../test/fixtures/workspace.ts';
import type { Tool } from '../../contract/tool.ts';
import { undoCheckout } from './checkout-undo.ts';
import { git } from './git.ts';
import { gitCommit } from './git-commit.ts';

let workspace: GitWorkspace;

const contextOf = (tool: Pick<Tool, 'needs'>, more: Partial<SpawnSettings> = {}) => {
  const { exec } = spawnedExec({ root: workspace.root, tool, ...more });
  return workspace.contextFor(tool, { exec, ...(more.signal && { signal: more.signal }) });
};
const run = (operation: string, more: object = {}) =>
  runTool(git, { operation, ...more }, contextOf(git));
const commit = (input: object, more: Partial<SpawnSettings> = {}) =>
  runTool(gitCommit, input, contextOf(gitCommit, more));

beforeEach(() => {
  workspace = createGitWorkspace();
});
afterEach(() => workspace.remove());

describe('git examples', () => {
  it.each(titlesOf(git))('git: %s', (title) => runExample(git, title, contextOf(git)));
  it.each(titlesOf(gitCommit))('git_commit: %s', (title) =>
    runExample(gitCommit, title, contextOf(gitCommit)),
  );
});

describe('git', () => {
  it('tells every state of a file, odd names included', async () => {
    workspace.put('name with\nnewline.txt', 'x');
    workspace.git('mv', 'notes.txt', 'moved notes.txt');
    workspace.put('staged.txt', 's');
    workspace.git('add', 'staged.txt');
    const { entries = [], branch, commit: head } = await run('status');
    expect(branch).toBe('main');
    expect(head).toMatch(/^[0-9a-f]{40}$/);
    expect(entries).toContainEqual({
      path: 'moved notes.txt',
      state: 'renamed',
      index: 'R',
      worktree: 'M',
      from: 'notes.txt',
    });
    expect(entries).toContainEqual({
      path: 'name with\nnewline.txt',
      state: 'untracked',
      index: '?',
      worktree: '?',
    });
    expect(entries).toContainEqual({
      path: 'staged.txt',
      state: 'changed',
      index: 'A',
      worktree: '.',
    });
  });

  it('tells a merge conflict, and how far a branch is from its upstream', async () => {
    workspace.git('commit', '-qam', 'Two');
    workspace.git('checkout', '-q', '-b', 'other', 'HEAD~1');
    workspace.put('notes.txt', 'three\n');
    workspace.git('commit', '-qam', 'Three');
    workspace.git('branch', '-q', '--set-upstream-to=main');
    expect(await run('status')).toMatchObject({ upstream: 'main', ahead: 1, behind: 1 });
    expect(() => workspace.git('merge', '-q', 'main')).toThrow();
    expect((await run('status')).entries).toMatchObject([{ state: 'unmerged', index: 'U' }]);
  });

  it('diffs the tree, the index and ranges; counts nothing for binary files', async () => {
    const plain = await run('diff');
    expect(plain.patch).toContain('+two');
    expect((await run('diff', { staged: true })).changes).toEqual([]);
    workspace.put('image.bin', new Uint8Array([0, 1, 2, 0]));
    workspace.git('add', '-A');
    workspace.git('commit', '-qm', 'Second');
    const range = await run('diff', { ref: 'HEAD~1..HEAD' });
    expect(range.changes).toEqual([
      { path: 'image.bin' },
      { path: 'notes.txt', insertions: 1, deletions: 0 },
    ]);
  });

  it('reads commits whose authors try to forge fields', async () => {
    workspace.git('commit', '-qam', 'Second\n\nBody \x1f with \x1e separators\n\nand more');
    const { commits = [] } = await run('log', { maxCount: 2, author: 'Ada' });
    expect(commits.map(({ subject }) => subject)).toEqual(['Second', 'First notes']);
    expect(commits[0]?.body).toBe('Body \x1f with \x1e separators\n\nand more');
    expect(commits[0]?.parents).toEqual([commits[1]?.hash]);
    expect((await run('log', { author: 'Nobody', since: '1 year ago' })).commits).toEqual([]);
    expect((await run('log', { paths: ['other.txt'] })).commits).toEqual([]);
  });

  it('shows a commit, also the first, and renames', async () => {
    expect(await run('show', { ref: 'main' })).toMatchObject({
      commits: [{ subject: 'First notes', author: 'Ada', email: 'ada@example.org', parents: [] }],
      changes: [{ path: 'notes.txt', insertions: 1 }],
    });
    workspace.git('checkout', '-q', '--', 'notes.txt');
    workspace.git('mv', 'notes.txt', 'moved.txt');
    workspace.git('commit', '-qm', 'Move');
    expect((await run('show')).changes).toMatchObject([{ path: 'moved.txt', from: 'notes.txt' }]);
  });

  it('lists branches, switches, and brings files back', async () => {
    workspace.git('branch', 'other');
    const { branches } = await run('branch');
    expect(branches).toMatchObject([
      { name: 'main', current: true },
      { name: 'other', current: false },
    ]);
    expect(await run('checkout', { ref: 'other' })).toMatchObject({ branch: 'other' });
    await run('checkout', { paths: ['notes.txt'] });
    expect(workspace.text('notes.txt')).toBe('one\n');
  });

  it('takes a branch for a branch though a file has the same name', async () => {
    workspace.put('twin', 'file');
    workspace.git('add', '-A');
    workspace.git('commit', '-qm', 'Twin');
    workspace.git('branch', 'twin');
    workspace.put('twin', 'changed');
    expect(await run('checkout', { ref: 'twin' })).toMatchObject({ branch: 'twin' });
    expect(workspace.text('twin')).toBe('changed');
  });

  it('commits only the files named, deletions too, and says what changed', async () => {
    workspace.put('a.txt', 'a\n');
    workspace.put('b.txt', 'b\n');
    workspace.git('add', 'b.txt');
    const receipt = await commit({ message: 'Add a\n\nWith a reason.', files: ['a.txt'] });
    expect(receipt).toMatchObject({ filesChanged: 1, insertions: 1, deletions: 0 });
    expect(workspace.git('log', '-1', '--format=%B').trim()).toBe('Add a\n\nWith a reason.');
    expect(workspace.git('status', '--porcelain')).toContain('A  b.txt');
    workspace.git('rm', '-q', '--cached', 'a.txt');
    expect(await run('commit', { message: 'Staged' })).toMatchObject({ filesChanged: 2 });
  });

  it('keeps the lines of a longer message', async () => {
    const message = 'List\n\n- one\n- two\n\ttabbed';
    await commit({ message, files: ['notes.txt'] }, { allow: 'all' });
    expect(workspace.git('log', '-1', '--format=%B').trim()).toBe(message);
  });
});

describe('merge, stash and tag', () => {
  const branchOff = () => {
    workspace.git('checkout', '-q', '--', 'notes.txt');
    workspace.git('checkout', '-q', '-b', 'other');
    workspace.put('notes.txt', 'theirs\n');
    workspace.git('commit', '-qam', 'Theirs');
    workspace.git('checkout', '-q', 'main');
  };

  it('merges a branch, and says what was checked out before', async () => {
    branchOff();
    const [before, other] = ['main', 'other'].map((ref) => workspace.git('rev-parse', ref).trim());
    expect(await run('merge', { ref: 'other', ffOnly: true })).toMatchObject({
      commit: other,
      previousCommit: before,
    });
    expect(workspace.text('notes.txt')).toBe('theirs\n');
    await expect(run('merge', { ref: 'nowhere' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('stops at conflicts, which can be resolved and committed', async () => {
    branchOff();
    workspace.put('notes.txt', 'mine\n');
    workspace.git('commit', '-qam', 'Mine');
    await expect(run('merge', { ref: 'other' })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The merge stopped at conflicts.',
    });
    expect((await run('status')).entries).toMatchObject([{ state: 'unmerged' }]);
    workspace.put('notes.txt', 'both\n');
    expect((await run('add', { files: ['notes.txt'] })).entries).toMatchObject([
      { path: 'notes.txt', index: 'M' },
    ]);
    await run('commit', { message: 'Merge other' });
    expect(workspace.git('log', '-1', '--format=%p').trim().split(' ')).toHaveLength(2);
  });

  it('ends a merge that stopped, and keeps what was done about it for undo', async () => {
    branchOff();
    workspace.put('notes.txt', 'mine\n');
    workspace.git('commit', '-qam', 'Mine');
    await run('merge', { ref: 'other' }).catch(() => undefined);
    workspace.put('notes.txt', 'half resolved\n');
    const kept: unknown[] = [];
    const { exec } = spawnedExec({ root: workspace.root, tool: git });
    const keepForUndo = (data: unknown) => void kept.push(data);
    const context = workspace.contextFor(git, { exec, keepForUndo });
    await runTool(git, { operation: 'merge', abort: true }, context);
    expect(workspace.text('notes.txt')).toBe('mine\n');
    await undoCheckout(kept.at(-1), context);
    expect(workspace.text('notes.txt')).toBe('half resolved\n');
  });

  it('puts work aside and brings it back', async () => {
    expect(await run('stash', { message: 'half done' })).toMatchObject({
      stashes: [{ name: 'stash@{0}', subject: expect.stringContaining('half done') }],
    });
    expect(workspace.text('notes.txt')).toBe('one\n');
    await expect(run('stash')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await run('stash_list')).stashes).toHaveLength(1);
    expect(await run('stash_pop', { ref: 'stash@{0}' })).toMatchObject({ stashes: [] });
    expect(workspace.text('notes.txt')).toBe('one\ntwo\n');
    await expect(run('stash_pop')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('tags commits, lists tags, and tags no file', async () => {
    const head = workspace.git('rev-parse', 'HEAD').trim();
    expect(await run('tag', { create: 'v1.0.0', message: 'First' })).toMatchObject({
      commit: head,
    });
    workspace.git('tag', 'light');
    const { tags = [] } = await run('tags');
    expect(tags).toContainEqual({ name: 'v1.0.0', commit: head, subject: 'First' });
    expect(tags).toContainEqual({ name: 'light', commit: head, subject: 'First notes' });
    await expect(run('tag', { create: 'v1.0.0' })).rejects.toMatchObject({ code: 'CONFLICT' });
    const blob = workspace.git('rev-parse', 'HEAD:notes.txt').trim();
    await expect(run('tag', { create: 'file', ref: blob })).rejects.toThrow();
  });
});

describe('option injection', () => {
  it.each([
    ['log', { ref: '--output=pwned' }, 'ref'],
    ['diff', { ref: '--no-index' }, 'ref'],
    ['show', { ref: '-O/etc/passwd' }, 'ref'],
    ['checkout', { ref: '--orphan' }, 'ref'],
    ['checkout', { create: '-f' }, 'create'],
    ['checkout', { create: 'a..b' }, 'create'],
    ['checkout', { create: 'x.lock' }, 'create'],
    ['checkout', { create: 'a b' }, 'create'],
    ['checkout', { create: '@' }, 'create'],
    ['log', { ref: 'ext::sh -c touch% pwned' }, 'ref'],
    ['log', { ref: 'https://example.org/x' }, 'ref'],
    ['log', { author: '--upload-pack=touch pwned' }, 'author'],
    ['log', { since: '-1\0' }, 'since'],
    ['log', { ref: 'main\nHEAD' }, 'ref'],
    ['diff', { paths: ['a\0b'] }, 'paths'],
    ['diff', { paths: ['a\nb'] }, 'paths'],
    ['commit', { message: 'a\0b' }, 'message'],
    ['commit', { message: ' \n ' }, 'message'],
    ['commit', {}, 'message'],
    ['checkout', {}, 'ref'],
    ['checkout', { create: 'x', paths: ['notes.txt'] }, 'paths'],
    ['status', { ref: 'main' }, 'ref'],
    ['push', {}, 'operation'],
    ['merge', {}, 'ref'],
    ['merge', { ref: 'main', abort: true }, 'ref'],
    ['merge', { ref: '--exec=touch pwned' }, 'ref'],
    ['merge', { ref: 'other', message: 'a\nb' }, 'message'],
    ['tag', {}, 'create'],
    ['tag', { create: '-d' }, 'create'],
    ['tag', { create: 'v1', ref: '--force' }, 'ref'],
    ['stash', { message: '--all' }, 'message'],
    ['stash_pop', { ref: '--index' }, 'ref'],
    ['add', {}, 'files'],
    ['constructor', {}, 'operation'],
  ])('%s %j is refused at %s', async (operation, more, field) => {
    const failure = await run(operation, more).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'ZodError' });
    const { issues } = failure as { issues: { path: unknown[] }[] };
    expect(issues.map(({ path }) => path[0])).toContain(field);
    expect(existsSync(join(workspace.root, 'pwned'))).toBe(false);
  });

  it.each(['--upload-pack=touch pwned', '-n', '--amend'])(
    'a file called %s is a file, a message is a message',
    async (text) => {
      await expect(commit({ message: 'x', files: [text] })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
      await commit({ message: text, files: ['notes.txt'] }, { allow: 'all' });
      expect(workspace.git('log', '-1', '--format=%B').trim()).toBe(text);
      expect(workspace.git('rev-list', '--count', 'HEAD').trim()).toBe('2');
      expect(existsSync(join(workspace.root, 'pwned'))).toBe(false);
    },
  );

  it('takes pathspec magic for a name', async () => {
    const files = [':(exclude)x'];
    const failure = commit({ message: 'x', files }, { allow: 'all' });
    await expect(failure).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('git paths', () => {
  it.each(['../outside.txt', '/etc/passwd', 'sub/../../x'])('%s is out of reach', async (path) => {
    await expect(run('diff', { paths: [path] })).rejects.toMatchObject({
      code: expect.stringMatching(/PERMISSION_DENIED|SECURITY_VIOLATION/),
    });
  });

  it('does not commit secrets', async () => {
    workspace.put('.env', 'KEY=canary');
    await expect(commit({ message: 'x', files: ['.env'] })).rejects.toMatchObject({
      code: expect.stringMatching(/PERMISSION_DENIED|SECURITY_VIOLATION/),
    });
    expect(workspace.git('status', '--porcelain')).toContain('?? .env');
  });

  it('uses no repository below or around the workspace', async () => {
    workspace.put('sub/x', 'x');
    await expect(commit({ message: 'x', projectPath: 'sub' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      extras: { issues: [{ path: ['projectPath'] }] },
    });
    expect(
      await commit({ message: 'x', files: ['sub/x'], projectPath: workspace.root }),
    ).toBeTruthy();
  });
});

describe('repositories that run programs', () => {
  const script = (name: string) => {
    workspace.put(name, `#!/bin/sh\ntouch '${workspace.root}/pwned'\ncat\n`);
    chmodSync(join(workspace.root, name), 0o755);
    return join(workspace.root, name);
  };
  const isPwned = () => existsSync(join(workspace.root, 'pwned'));

  it('hooks, monitors, signing and pagers do not run', async () => {
    const evil = script('evil.sh');
    workspace.put('.git/hooks/pre-commit', `#!/bin/sh\ntouch '${workspace.root}/pwned'\n`);
    chmodSync(join(workspace.root, '.git/hooks/pre-commit'), 0o755);
    workspace.git('config', 'core.fsmonitor', evil);
    workspace.git('config', 'gpg.program', evil);
    workspace.git('config', 'commit.gpgSign', 'true');
    workspace.git('config', 'core.pager', evil);
    await run('status');
    await run('diff');
    await run('log');
    await run('show');
    await commit({ message: 'x', files: ['notes.txt'] });
    expect(isPwned()).toBe(false);
  });

  it.each([
    '[filter "x"]\n\tclean = ./evil.sh\n',
    ' [INCLUDE]\n\tpath = ../../x\n',
    '[diff "x"]\n\ttextconv = ./evil.sh\n',
    '[diff "x"] Command = ./evil.sh\n',
    '[diff]\n\texternal = ./evil.sh\n',
    '[merge "x"]\n\tdri\\\nver = ./evil.sh\n',
  ])('a configuration with %j is refused before git starts', async (section) => {
    script('evil.sh');
    workspace.put('.gitattributes', '*.txt filter=x\n');
    workspace.put('.git/config', `${workspace.text('.git/config')}${section}`);
    await expect(run('diff')).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(isPwned()).toBe(false);
  });

  it('a folder that only looks like a repository, or points to another, is none', async () => {
    const other = createWorkspace({ '.git': 'gitdir: ../elsewhere\n' });
    const bare = createWorkspace({ HEAD: 'ref: refs/heads/main\n', config: '', 'refs/x': '' });
    for (const each of [other, bare]) {
      const { exec } = spawnedExec({ root: each.root, tool: git });
      const context = each.contextFor(git, { exec });
      await expect(runTool(git, { operation: 'status' }, context)).rejects.toMatchObject({
        code: 'PRECONDITION_FAILED',
      });
      each.remove();
    }
  });
});

describe('a commit that fails', () => {
  it('leaves nothing staged, so that the next commit does not take its files in', async () => {
    workspace.put('new.txt', 'new\n');
    workspace.put('dir/more.txt', 'more\n');
    workspace.git('config', '--unset', 'user.email');
    await expect(
      commit({ message: 'x', files: ['new.txt', 'dir', 'notes.txt'] }),
    ).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(workspace.git('diff', '--cached', '--name-only')).toBe('');
    workspace.git('config', 'user.email', 'ada@example.org');
    workspace.put('other.txt', 'other\n');
    expect(await commit({ message: 'Other', files: ['other.txt'] })).toMatchObject({
      filesChanged: 1,
    });
    expect(workspace.git('show', '--format=', '--name-only')).toBe('other.txt\n');
  });

  it('keeps what was staged before, also of the same file', async () => {
    workspace.git('add', 'notes.txt');
    const staged = workspace.git('ls-files', '-s');
    workspace.put('notes.txt', 'one\ntwo\nthree\n');
    workspace.git('config', '--unset', 'user.email');
    await expect(commit({ message: 'x', files: ['notes.txt'] })).rejects.toThrow();
    expect(workspace.git('ls-files', '-s')).toBe(staged);
  });

  it('control: a commit of new, changed and deleted files holds all of them', async () => {
    workspace.put('gone.txt', 'gone\n');
    workspace.git('add', '-A');
    workspace.git('commit', '-qm', 'Two');
    rmSync(join(workspace.root, 'gone.txt'));
    workspace.put('new.txt', 'new\n');
    workspace.put('notes.txt', 'three\n');
    const files = ['gone.txt', 'new.txt', 'notes.txt'];
    expect(await commit({ message: 'x', files })).toMatchObject({ filesChanged: 3 });
    expect(workspace.git('status', '--porcelain')).toBe('');
  });
});

describe('git failures', () => {
  it.each([
    ['show', { ref: 'no-such-branch' }, 'NOT_FOUND'],
    ['checkout', { ref: 'no-such-branch' }, 'NOT_FOUND'],
    ['checkout', { create: 'main' }, 'CONFLICT'],
    ['commit', { message: 'nothing staged' }, 'CONFLICT'],
    ['commit', { message: 'x', files: ['missing.txt'] }, 'NOT_FOUND'],
  ])('%s %j → %s', async (operation, more, code) => {
    await expect(run(operation, more)).rejects.toMatchObject({ code });
  });

  it('says that somebody else works on the repository, or that nobody knows who commits', async () => {
    workspace.put('.git/index.lock', '');
    await expect(commit({ message: 'x', files: ['notes.txt'] })).rejects.toMatchObject({
      code: 'LOCK',
    });
    workspace.git('config', '--unset', 'user.name');
    workspace.git('config', '--unset', 'user.email');
    workspace.git('config', 'user.useConfigOnly', 'true');
    const { exec } = spawnedExec({ root: workspace.root, tool: git });
    const context = workspace.contextFor(git, { exec });
    rmSync(join(workspace.root, '.git/index.lock'));
    await expect(
      runTool(git, { operation: 'commit', message: 'x', files: ['notes.txt'] }, context),
    ).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('who'),
    });
  });

  it('has a code for what it does not know', async () => {
    const exec = async () => ({ exitCode: 3, stdout: '', stderr: 'canary' });
    const failure = runTool(git, { operation: 'status' }, workspace.contextFor(git, { exec }));
    await expect(failure).rejects.toMatchObject({ code: 'EXECUTION_FAILED' });
    await expect(failure).rejects.not.toMatchObject({ message: expect.stringContaining('canary') });
  });

  it('says how to get git', async () => {
    const exec = async () => {
      throw Object.assign(new Error('spawn git ENOENT'), { code: 'ENOENT' });
    };
    await expect(
      runTool(git, { operation: 'status' }, workspace.contextFor(git, { exec })),
    ).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
      extras: { suggestions: [expect.stringContaining('apt-get install git')] },
    });
  });

  it('stops when the call is cancelled', async () => {
    const signal = AbortSignal.abort();
    await expect(
      runTool(git, { operation: 'status' }, contextOf(git, { signal })),
    ).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
