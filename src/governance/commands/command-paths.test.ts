/** Which files and folders an approval of a command is bound to. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import { createCommandGuard } from './command-guard.ts';
import { commandPaths } from './command-paths.ts';

const ALLOW = ['rm *', 'cat *', 'git log *', 'cd *', 'npm test', 'mytool **', 'timeout *'];

let workspace: Workspace;
beforeEach(() => {
  workspace = createWorkspace({
    'd/f.txt': 'one',
    'd/run.sh': 'echo',
    'package.json': '{}',
    Makefile: 'all:',
    'build.js': '',
  });
  chmodSync(join(workspace.root, 'd/run.sh'), 0o755);
});
afterEach(() => workspace.remove());

/** `use path`, relative to the root. */
const pathsOf = (command: string | readonly string[], more: readonly string[] = []) => {
  const { root } = workspace;
  const verdict = createCommandGuard({ root, allow: [...ALLOW, ...more] }).judge(command);
  if (!verdict.ok) throw new Error(verdict.reason);
  return commandPaths(verdict, root)
    .map(({ path, use }) => `${use} ${path.slice(root.length + 1)}`)
    .sort();
};

describe('the paths of a command', () => {
  it.each([
    ['rm d/f.txt', ['changed d/f.txt']],
    ['cat d/f.txt', ['named d/f.txt']],
    ['cat d/f.txt > new.txt', ['changed new.txt', 'named d/f.txt']],
    ['cat d/f.txt > d/f.txt', ['changed d/f.txt']],
    ['cat d/*.txt', ['named d/*.txt']],
    ['cat d/new.txt', ['named d/new.txt']],
    ['timeout 5 rm d/f.txt', ['changed d/f.txt', 'run d/f.txt'].slice(1)],
    ['cd d && rm f.txt', ['changed d/f.txt', 'changed f.txt', 'named d']],
    ['cat d/run.sh', ['run d/run.sh']],
  ])('of %s are found by its rules', (command, paths) => {
    expect(pathsOf(command)).toEqual(paths);
  });

  it('do not include names of branches and plain words', () => {
    expect(pathsOf('git log main feature/x nothing.txt')).toEqual([]);
  });

  it.each([
    ['mytool d/f.txt', ['run d/f.txt']],
    ['mytool --in=d/f.txt -od/f.txt x=build.js', ['run build.js', 'run d/f.txt']],
    ['mytool d -- d/new', ['named d', 'named d/new']],
    [`mytool /etc/passwd ${'x'.repeat(300)}/y - ''`, []],
  ])('of %s, which has no rules, are all words that name something', (command, paths) => {
    expect(pathsOf(command)).toEqual(paths);
  });

  it.each([
    ['npm test', ['run package.json']],
    ['make all', ['run Makefile']],
    ['node build.js', ['run build.js']],
    ['rm -rf d/f.txt', ['changed d/f.txt']],
    ['rm --no-preserve-root d/f.txt', ['named d/f.txt']],
  ])('of %s, which its owner allowed word by word, are found as well', (command, paths) => {
    expect(pathsOf(command, [command])).toEqual(paths);
  });
});
