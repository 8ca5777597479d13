/** Threat: git runs programs, or prints secrets, because of files that an agent or a stranger wrote. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGitWorkspace, type GitWorkspace } from '../../../test/fixtures/git-workspace.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import type { Crib } from '../../contract/crib.ts';
import { createCrib } from '../../crib/create-crib.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Bubblewrap is not installed; in CI that is a failure. */
const missing = isMissing('bwrap');

const ALLOW = [
  'git *',
  'npm test',
  'cat *',
  'head *',
  'bash plant.sh',
  'ls *',
  'make all',
  'wc *',
  'echo *',
];

let workspace: GitWorkspace;
let crib: Crib;
let canary: string;

const open = (): Promise<Crib> =>
  createCrib({
    root: workspace.root,
    store: 'memory',
    config: { commands: { allow: ALLOW } },
    approver: () => true,
    watch: false,
  });

beforeEach(async () => {
  workspace = createGitWorkspace();
  canary = join(workspace.root, 'pwned');
  crib = await open();
});
afterEach(async () => {
  await crib.close();
  workspace.remove();
});

/** As somebody else would: past every guard. */
const plant = (path: string, text: string): void => {
  mkdirSync(dirname(join(workspace.root, path)), { recursive: true });
  writeFileSync(join(workspace.root, path), text);
};

const plantRepository = (folder: string): void => {
  for (const name of ['objects', 'refs/heads', 'hooks']) {
    mkdirSync(join(workspace.root, folder, name), { recursive: true });
  }
  plant(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  plant(
    join(folder, 'config'),
    `[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = touch ${canary}; false\n`,
  );
  const hook = join(workspace.root, folder, 'hooks/pre-receive');
  writeFileSync(hook, `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
};

const run = async (tool: string, input: object) => {
  const { data, error } = await crib.execute(tool, input);
  return { data: data as Record<string, unknown> | undefined, code: error?.code, error };
};
const bash = (command: string, more: object = {}) => run('bash_execution', { command, ...more });
const git = (operation: string, more: object = {}) => run('git', { operation, ...more });

describe.skipIf(missing)('a configuration that hides a program from a hasty reader', () => {
  it.each([
    ['a comment that ends in a backslash', '# note \\\n[filter "x"]'],
    ['two sections on one line', '[core][filter "x"]'],
    ['a carriage return', '[filter\r"x"]'],
  ])('%s runs nothing', async (_title, head) => {
    plant('.gitattributes', '*.txt filter=x\n');
    const config = workspace.text('.git/config');
    plant('.git/config', `${config}${head}\n\tclean = "touch ${canary}; cat"\n`);
    plant('notes.txt', 'changed\n');
    expect((await git('add', { files: ['notes.txt'] })).code).toBe('PRECONDITION_FAILED');
    expect(existsSync(canary)).toBe(false);
  });
});

describe.skipIf(missing)('a committed folder that makes its files secrets', () => {
  it('is not compared by its hash; commits and their trees are', async () => {
    for (const content of ['canary-1\n', 'canary-2\n']) {
      plant('.kube/config', content);
      workspace.git('add', '-A');
      workspace.git('commit', '-qm', 'Config');
    }
    const hash = (name: string) => workspace.git('rev-parse', name).trim();
    const [one, two] = [hash('HEAD~1:.kube'), hash('HEAD:.kube')];
    for (const ref of [`${one}..${two}`, `${one}^{tree}..${two}^{tree}`]) {
      const { code, data } = await git('diff', { ref });
      expect(code).toBe('PERMISSION_DENIED');
      expect(JSON.stringify(data ?? '')).not.toContain('canary');
    }
    expect((await bash(`git diff ${one} ${two}`)).code).toBe('PERMISSION_DENIED');
    for (const ref of ['HEAD~1..HEAD', 'HEAD~1^{tree}..HEAD^{tree}', `${hash('HEAD~1')}..HEAD`]) {
      const { code, data } = await git('diff', { ref });
      expect(code).toBeUndefined();
      expect(JSON.stringify(data)).not.toContain('canary');
    }
  });
});

describe.skipIf(missing)('a folder with secrets that were never committed', () => {
  it('is not staged, and is without them', async () => {
    plant('app/.env', 'KEY=canary\n');
    plant('app/new.txt', 'new\n');
    for (const files of [['.'], ['app'], ['app/.env']]) {
      expect((await git('add', { files })).code).toBe('PERMISSION_DENIED');
    }
    expect(workspace.git('diff', '--cached', '--name-only').trim()).toBe('');
    expect((await git('add', { files: ['app/new.txt'] })).code).toBeUndefined();
    plant('.gitignore', '.env\n');
    expect((await git('add', { files: ['.'] })).code).toBeUndefined();
    expect(workspace.git('diff', '--cached', '--name-only')).toContain('app/new.txt');
    expect(workspace.git('diff', '--cached', '--name-only')).not.toContain('.env');
  });
});

describe.skipIf(missing)('a folder that only looks like a repository', () => {
  it('runs nothing when git is started in it, by cd, cwd, or as a remote', async () => {
    plantRepository('evil');
    expect((await bash('git status', { cwd: 'evil' })).code).toBe('PERMISSION_DENIED');
    expect((await bash('cd evil && git status')).code).toBe('PERMISSION_DENIED');
    expect((await bash('git push ./evil main')).code).toBe('PERMISSION_DENIED');
    await bash('git push evil main');
    await bash('git fetch evil');
    expect(existsSync(canary)).toBe(false);
  });

  it('runs nothing as the workspace itself, where there is no folder .git', async () => {
    execFileSync('mv', [join(workspace.root, '.git'), join(workspace.root, 'old')]);
    plantRepository('.');
    await bash('git status');
    await git('status');
    await git('commit', { message: 'x', files: ['notes.txt'] });
    expect(existsSync(canary)).toBe(false);
  });

  it('runs nothing for a remote of the configuration that is a folder or a program', async () => {
    plantRepository('evil');
    workspace.git('remote', 'add', 'file', './evil');
    workspace.git('remote', 'add', 'ext', `ext::touch ${canary}`);
    workspace.git('config', 'protocol.ext.allow', 'always');
    for (const remote of ['file', 'ext']) {
      await bash(`git push ${remote} main`);
      await bash(`git fetch ${remote}`);
    }
    expect(existsSync(canary)).toBe(false);
  });

  it('cannot be completed by the file tools, in any order of its parts', async () => {
    const write = (path: string) => run('write_file', { path, content: 'x\n' });
    expect((await write('evil/config')).code).toBeUndefined();
    expect((await write('evil/objects/x')).code).toBeUndefined();
    expect((await write('evil/refs/x')).code).toBeUndefined();
    expect((await write('evil/HEAD')).code).toBe('SECURITY_VIOLATION');
    expect((await write('other/HEAD')).code).toBeUndefined();
    expect((await write('other/commondir')).code).toBe('SECURITY_VIOLATION');
    const both = await Promise.all(
      ['a/HEAD', 'a/objects/x', 'a/refs/x', 'a/config'].map(
        async (path) => (await write(path)).code,
      ),
    );
    expect(both).toContain('SECURITY_VIOLATION');
    plantRepository('there');
    expect((await write('there/config')).code).toBe('SECURITY_VIOLATION');
    expect((await write('there/hooks/pre-receive')).code).toBe('SECURITY_VIOLATION');
  });

  it('cannot be made or changed by a program in the sandbox', async () => {
    plantRepository('there');
    workspace.put(
      'plant.sh',
      'mkdir -p new/objects new/refs; echo "ref: refs/heads/x" > new/HEAD; echo x > there/config; echo ok > plain.txt',
    );
    const { code } = await bash('bash', { args: ['plant.sh'] });
    expect(code).toBe('SECURITY_VIOLATION');
    expect(existsSync(join(workspace.root, 'new/HEAD'))).toBe(false);
    expect(workspace.text('there/config')).toContain('fsmonitor');
    expect(workspace.text('plain.txt')).toBe('ok\n');
  });

  it('control: files called HEAD, config or refs for themselves are written', async () => {
    for (const path of ['docs/HEAD', 'config', 'src/refs/index.ts', 'objects/a.json']) {
      expect((await run('write_file', { path, content: 'x\n' })).code).toBeUndefined();
    }
  });
});

describe.skipIf(missing)('the configuration of a repository that came with its folder', () => {
  it.each([
    ['core.fsmonitor', 'core.fsmonitor'],
    ['a signing program', 'gpg.program'],
    ['a pager', 'core.pager'],
  ])('runs nothing of %s', async (_title, key) => {
    plant('evil.sh', `#!/bin/sh\ntouch ${canary}\n`);
    execFileSync('chmod', ['755', join(workspace.root, 'evil.sh')]);
    workspace.git('config', key, join(workspace.root, 'evil.sh'));
    workspace.git('config', 'commit.gpgSign', 'true');
    await bash('git status');
    await bash('git log --format=%G?');
    await git('commit', { message: 'x', files: ['notes.txt'] });
    expect(existsSync(canary)).toBe(false);
  });

  it.each([
    ['diff.x.textconv', '*.txt diff=x'],
    ['diff.x.command', '*.txt diff=x'],
    ['diff.external', ''],
    ['filter.x.clean', '*.txt filter=x'],
    ['filter.x.smudge', '*.txt filter=x'],
    ['merge.x.driver', '*.txt merge=x'],
    ['include.path', ''],
  ])('%s: git is refused, and says so', async (key, attributes) => {
    plant('.gitattributes', `${attributes}\n`);
    const value = key === 'include.path' ? '../evil.inc' : `touch ${canary}; cat`;
    plant('evil.inc', `[core]\n\tfsmonitor = touch ${canary}\n`);
    workspace.git('config', key, value);
    for (const outcome of [await bash('git diff'), await bash('git log -p'), await git('diff')]) {
      expect(outcome.code).toBe('PRECONDITION_FAILED');
      expect(outcome.error?.message).toContain('runs programs');
    }
    expect(existsSync(canary)).toBe(false);
  });
});

describe.skipIf(missing)('programs that read their orders from their folder', () => {
  it('are not started in another folder than the workspace, by cwd or cd', async () => {
    plant('evil/package.json', JSON.stringify({ scripts: { test: `touch ${canary}` } }));
    plant('evil/Makefile', `all:\n\ttouch ${canary}\n`);
    plant('evil/plant.sh', `touch ${canary}\n`);
    for (const command of ['npm test', 'make all', 'bash plant.sh', 'timeout 9 npm test']) {
      expect((await bash(command, { cwd: 'evil' })).code).toBe('PERMISSION_DENIED');
      expect((await bash(`cd evil && ${command}`)).code).toBe('PERMISSION_DENIED');
    }
    expect(existsSync(canary)).toBe(false);
  });

  it('control: programs that only look are started there', async () => {
    plant('src/a.txt', 'a\n');
    expect((await bash('ls | head -1', { cwd: 'src' })).data?.stdout).toBe('a.txt\n');
    expect((await bash('cat ../.env', { cwd: 'src' })).code).toBe('PERMISSION_DENIED');
  });
});

describe.skipIf(missing)('committed files that hold secrets', () => {
  const SECRETS = ['.env', 'deploy/server.pem', '.npmrc', 'passwords.txt', 'credentials.json'];
  beforeEach(() => {
    workspace.git('checkout', '-q', '--', 'notes.txt');
    for (const [index, path] of SECRETS.entries()) plant(path, `TOKEN=canary-old-${index}\n`);
    plant('src/app.ts', 'export const app = 1;\n');
    workspace.git('add', '-A');
    workspace.git('commit', '-qm', 'With secrets');
    for (const [index, path] of SECRETS.entries()) plant(path, `TOKEN=canary-new-${index}\n`);
    workspace.git('commit', '-qam', 'Other secrets');
  });

  const said = (outcome: object) => JSON.stringify(outcome);

  it('T1: a clean tree is clean, and a change beside them is shown', async () => {
    expect((await git('status')).data?.entries).toEqual([]);
    expect((await git('diff')).data).toMatchObject({ changes: [], patch: '' });
    expect((await bash('git status --porcelain')).data).toMatchObject({ exitCode: 0, stdout: '' });
    plant('src/app.ts', 'export const app = 2;\n');
    expect((await git('diff')).data?.patch).toContain('+export const app = 2;');
    const plain = await bash('git diff');
    expect(plain.data).toMatchObject({ exitCode: 0 });
    expect(plain.data?.stdout).toContain('+export const app = 2;');
    const piped = await bash('git diff | head -20; git status --porcelain | cat');
    expect(piped.data?.stdout).toContain('+export const app = 2;');
    expect(piped.data?.stdout).toMatch(/\n M src\/app.ts\n$/);
  });

  it('T1: git commits, switches and merges around them and keeps their content', async () => {
    plant('src/app.ts', 'export const app = 2;\n');
    expect((await git('commit', { message: 'App', files: ['src/app.ts'] })).code).toBeUndefined();
    expect((await git('checkout', { ref: 'HEAD~2', create: 'old' })).code).toBeUndefined();
    expect(workspace.text('.env')).toBe('TOKEN=canary-old-0\n');
    expect((await git('checkout', { ref: 'main' })).code).toBeUndefined();
    expect(workspace.text('.env')).toBe('TOKEN=canary-new-0\n');
    expect(workspace.git('status', '--porcelain')).toBe('');
  });

  it('S11: no command of git prints them', async () => {
    plant('.env', 'TOKEN=canary-latest\n');
    plant('.gitattributes', '* diff\n.env diff\n*.pem diff\n');
    const blob = workspace.git('rev-parse', 'HEAD:.env').trim();
    const old = workspace.git('rev-parse', 'HEAD~1:.env').trim();
    const commands = [
      ...[
        'git show',
        'git show HEAD',
        'git diff',
        'git diff HEAD~1',
        'git log -p',
        'git log -p -c',
      ],
      ...[
        'git show HEAD:.env',
        'git show :.env',
        'git show HEAD:./.env',
        'git cat-file -p HEAD:.env',
      ],
      ...[`git show ${blob}`, `git cat-file -p ${blob}`, `git diff ${old} ${blob}`],
      ...[`git diff ${old}..${blob}`, `git show ${blob.slice(0, 8)}`, `git grep canary ${blob}`],
      ...['git grep canary', 'git grep canary HEAD', 'git grep -n canary HEAD~1', 'git blame .env'],
      ...[
        'git diff --binary',
        'git diff --text',
        'git show --word-diff',
        'git log -p --all -- .env',
      ],
      ...['git diff HEAD | cat', 'git log -p | head -100', 'git show | cat', 'git diff | head -50'],
      ...[
        'git archive HEAD',
        'git stash show -p',
        'git diff --cached',
        'git show HEAD~1 --stat -p',
      ],
      ...[
        `timeout 5 git cat-file -p ${blob}`,
        'git diff-tree -p HEAD',
        'git format-patch --stdout HEAD~1',
      ],
    ];
    for (const command of commands)
      expect([command, said(await bash(command))].join()).not.toContain('canary-');
    for (const input of [
      { operation: 'show' },
      { operation: 'diff' },
      { operation: 'diff', ref: 'HEAD~1' },
      { operation: 'diff', ref: 'HEAD:.env', paths: ['notes.txt'] },
      { operation: 'diff', ref: blob, paths: ['notes.txt'] },
      { operation: 'diff', ref: `${old}..${blob}` },
      { operation: 'show', ref: 'HEAD:.env' },
      { operation: 'show', ref: blob },
      { operation: 'diff', paths: ['.env'] },
    ]) {
      expect([said(input), said(await run('git', input))].join()).not.toContain('canary-');
    }
  });

  it('S11: a tag of such a file does not print it', async () => {
    const blob = workspace.git('rev-parse', 'HEAD:.env').trim();
    workspace.git('tag', '-m', 'x', 'annotated', blob);
    workspace.git('tag', 'light', blob);
    for (const name of ['annotated', 'light', 'annotated^{}']) {
      for (const command of [`git show ${name}`, `git cat-file -p ${name}`]) {
        expect([command, said(await bash(command))].join()).not.toContain('canary-');
      }
      expect(said(await git('show', { ref: name }))).not.toContain('canary-');
    }
    workspace.put('server.pem', 'canary-raw and nothing that redaction would know');
    workspace.git('tag', '-m', 'x', 'raw', workspace.git('hash-object', '-w', 'server.pem').trim());
    for (const field of ['%(raw)', '%(*raw)'])
      expect(said(await bash(`git tag -l --format='${field}'`))).not.toContain('canary-');
  });

  it('S11: a folder with secrets is not compared as commit:folder; files and paths are', async () => {
    workspace.put('.kube/config', 'token: canary-kube\n');
    workspace.put('src/a.ts', 'one\n');
    workspace.git('add', '-A', '-f');
    workspace.git('commit', '-qm', 'Add .kube');
    workspace.put('.kube/config', 'token: canary-kube-2\n');
    workspace.put('src/a.ts', 'two\n');
    workspace.git('add', '-A', '-f');
    workspace.git('commit', '-qm', 'Change .kube');
    for (const command of [
      ...['git diff HEAD~1:.kube HEAD:.kube', 'git diff HEAD~1:.kube..HEAD:.kube'],
      ...['git diff --stat HEAD~1:.kube HEAD:.kube', 'git diff HEAD~1:./.kube HEAD:./.kube'],
    ]) {
      expect([command, said(await bash(command))].join()).not.toContain('canary-kube');
    }
    expect(said(await bash('git diff HEAD~1:src/a.ts HEAD:src/a.ts'))).toContain('two');
    expect(said(await bash('git diff HEAD~1 HEAD -- src'))).toContain('two');
  });

  it('S11: a file is not named by its hash behind a name with a line break', async () => {
    const blob = workspace.git('rev-parse', 'HEAD:.env').trim();
    for (const command of [`git show $'a\\nb' ${blob}`, `git show "a\nb" ${blob}`]) {
      expect([command, said(await bash(command))].join()).not.toContain('canary-');
    }
  });

  /** The same question with a guess that is right and with one that is wrong. */
  const answersTo = async (command: string): Promise<readonly string[]> => {
    const outcomes = [];
    for (const guess of ['TOKEN=canary', 'TOKEN=wrong1']) {
      const { data, code } = await bash(command.replace('GUESS', guess));
      outcomes.push(said([data ?? null, code ?? null]).replaceAll(guess, 'GUESS'));
    }
    return outcomes;
  };

  it.each([
    [
      'grep in the working tree',
      [
        ...['git grep GUESS', 'git grep -l GUESS', 'git grep -c GUESS', 'git grep -L GUESS'],
        ...['git grep --count GUESS', 'git grep --files-with-matches GUESS'],
        ...['git grep -c GUESS | wc -l', 'git grep -q GUESS && echo yes'],
        ...['timeout 9 git grep -l GUESS', "git grep -l GUESS -- ':(glob)**/.e*'"],
      ],
    ],
    [
      'grep in the index and in commits',
      [
        ...['git grep -l GUESS HEAD', 'git grep -l GUESS HEAD:', 'git grep -l GUESS main~1'],
        ...['git grep --cached -l GUESS', 'git grep -l -e GUESS -e -I HEAD'],
        'git grep -lI GUESS HEAD',
      ],
    ],
    [
      'the history',
      [
        ...['git log -S GUESS', 'git log -SGUESS --oneline', 'git log -pSGUESS'],
        ...['git log --all -S GUESS', 'git log -G GUESS', 'git log -GGUESS --oneline'],
        ...['git diff -S GUESS HEAD~1', 'git show -S GUESS', 'git diff -G GUESS HEAD~1'],
        ...['git log -S GUESS | wc -l', 'git stash list -S GUESS', 'git log --grep=GUESS'],
      ],
    ],
  ])('S11: %s answers a right guess like a wrong one', async (_where, commands) => {
    for (const command of commands) {
      const [right, wrong] = await answersTo(command);
      expect([command, right]).toEqual([command, wrong]);
    }
  });

  it('S11: a file that git does not look at in the working tree answers nothing either', async () => {
    workspace.git('update-index', '--assume-unchanged', '.env');
    const [right, wrong] = await answersTo('git grep -l GUESS');
    expect(right).toBe(wrong);
    workspace.git('update-index', '--no-assume-unchanged', '--skip-worktree', '.env');
    const [first, second] = await answersTo('git grep -l GUESS');
    expect(first).toBe(second);
  });

  it('S11: copies of secrets are not told apart from other files', async () => {
    plant('guess.txt', 'TOKEN=canary-new-0\n');
    workspace.git('add', 'guess.txt');
    workspace.git('config', 'diff.renames', 'copies');
    for (const command of [
      'git diff -C HEAD~1',
      'git diff --find-copies HEAD~1',
      'git blame -C guess.txt',
    ]) {
      expect((await bash(command)).code).toBe('PERMISSION_DENIED');
    }
    const { data } = await bash('git diff --name-status HEAD~1');
    expect(data?.stdout).toContain('A\tguess.txt');
  });

  it('S11: benign searches work beside them', async () => {
    expect((await bash('git grep -n app')).data?.stdout).toContain('src/app.ts:1:export const app');
    expect((await bash('git grep -c app')).data?.stdout).toBe('src/app.ts:1\n');
    expect((await bash('git grep -nI app HEAD')).data?.stdout).toContain('HEAD:src/app.ts:1:');
    expect((await bash('git log --oneline -G app')).data?.stdout).toContain('With secrets');
    expect((await bash('git log --oneline -S app')).error?.suggestions?.[0]).toContain('-G');
    expect((await bash('git grep app HEAD')).error?.suggestions?.[0]).toContain('-I');
  });

  it('S11: programs beside git do not find them, not even through a link', async () => {
    execFileSync('ln', ['-s', '.env', join(workspace.root, 'link.txt')]);
    for (const command of ['git status; cat link.txt', 'git status; head -5 < link.txt']) {
      expect([command, said(await bash(command))].join()).not.toContain('canary-');
    }
  });

  it('S11: benign output stays whole', async () => {
    const first = workspace.git('rev-list', '--max-parents=0', 'HEAD').trim();
    const shown = await bash(`git show ${first}`);
    expect(shown.data?.stdout).toContain('+one');
    expect((await bash('git show HEAD~1:src/app.ts')).data?.stdout).toBe('export const app = 1;\n');
    expect((await bash('git grep -n app')).data?.stdout).toContain('src/app.ts:1:export const app');
    expect((await bash('git log --oneline')).data?.stdout).toContain('Other secrets');
    expect((await git('show')).data?.changes).toContainEqual({ path: '.env' });
  });
});

describe.skipIf(missing)('a repository without secrets', () => {
  it('benign: searches of every kind run', async () => {
    expect((await bash('git log --oneline -S one')).data?.stdout).toContain('First notes');
    expect((await bash('git grep -l one')).data?.stdout).toBe('notes.txt\n');
    expect((await bash('git grep -l one HEAD')).data?.stdout).toBe('HEAD:notes.txt\n');
    expect((await bash('git grep --cached -c one')).data?.stdout).toBe('notes.txt:1\n');
    expect((await bash('git grep -n one HEAD:')).data?.stdout).toContain('notes.txt:1:one');
  });
});
