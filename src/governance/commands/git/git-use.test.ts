import { describe, expect, it } from 'vitest';
import { gitUseOf, overwritingSubcommand } from './git-use.ts';

const isAlone = (...commands: readonly string[]): boolean =>
  gitUseOf(commands.map((command) => command.split(' ').filter((word) => word !== ''))).isAlone;

describe('the use of git by a line', () => {
  it('sees git also by its path and behind another program', () => {
    for (const words of [['git', 'log'], ['/usr/bin/git'], ['timeout', '5', 'git', 'log']]) {
      expect(gitUseOf([words]).runsGit).toBe(true);
    }
    const none = { runsGit: false, isAlone: false, objects: [] };
    expect(gitUseOf([['ls']])).toMatchObject(none);
    expect(gitUseOf([])).toMatchObject(none);
  });

  it('leaves git alone with builtins that touch no file', () => {
    expect(isAlone('git log')).toBe(true);
    expect(isAlone('echo a', 'git log', 'true')).toBe(true);
  });

  it('recognises git with a filter that names no file', () => {
    for (const filter of [
      ...[
        'cat',
        'cat -',
        'cat -An',
        'head -n20',
        'head -20',
        'head -c 5',
        'tail -n +5',
        'tail -qn3',
      ],
      ...[
        'sort -u',
        'sort -rn',
        'sort -k2',
        'sort -k 2',
        'sort -rk2,2n',
        'wc -l',
        'uniq -c',
        'tac',
      ],
      ...['uniq -f1', 'uniq -f 1'],
    ]) {
      expect([filter, isAlone('git log', filter)]).toEqual([filter, true]);
    }
    for (const filter of [
      ...['cat secret.txt', 'cat 5', 'head 5', 'sort 5', 'tac -b', 'tail -f', 'wc --files0-from=x'],
      ...['sort --files0-from=x', 'sort -o out', 'sort -oout', 'sort -uoout', 'sort -rnoout'],
      ...['sort --output=out', 'sort --outp=out', 'sort -Tout', 'sort -S1', 'sort -k1oout'],
      ...['sort --compress-program=sh', 'uniq in out', 'uniq - out', 'uniq -c in', 'head -n x'],
      ...['tee out', 'xxd -r', 'sed -iout', 'date -snow', 'find -fprint x', 'tar -xf x'],
    ]) {
      expect([filter, isAlone('git log', filter)]).toEqual([filter, false]);
    }
  });

  it('recognises git with a grep that has a pattern and no file', () => {
    expect(isAlone('git log', 'grep fix')).toBe(true);
    expect(isAlone('git log', 'grep -i -A3 fix')).toBe(true);
    for (const grep of ['grep', 'grep fix a.txt', 'grep -r fix', 'grep -fnames', 'grep -i']) {
      expect(isAlone('git log', grep)).toBe(false);
    }
  });

  it('threat: another program beside git, or git behind one, is not git alone', () => {
    expect(isAlone('git log', 'ls')).toBe(false);
    expect(isAlone('env git log')).toBe(false);
    expect(isAlone('git log', '')).toBe(false);
    expect(isAlone('./git log')).toBe(false);
    expect(isAlone('git log', 'bin/git log')).toBe(false);
  });
});

describe('searches of git that answer by content', () => {
  const searchesOf = (line: string) => gitUseOf([line.split(' ')]).searches;

  it.each([
    ['git log -S x', true],
    ['git log -Sx', true],
    ['git log -pSx', true],
    ['git --no-pager diff -Sx', true],
    ['timeout 5 git stash show -Sx', true],
    ['git log -Gx', false],
    ['git log --show-pulls', false],
    ['git log', false],
    ['git ls-files -S', false],
    ['git --version', false],
  ])('%s looks for occurrences in the history: %s', (line, expected) => {
    expect(searchesOf(line).history).toBe(expected);
  });

  it.each([
    ['git grep x', true],
    ['git grep -l x', true],
    ['git grep -e -I', true],
    ['git grep -eI', true],
    ['git grep -ne -I', true],
    ['git grep -m1 -e x -- -I', true],
    ['git grep -A -I x', true],
    ['git grep -I x', false],
    ['git grep -nIl x', false],
    ['git log grep', false],
  ])('%s tells about files that count as binary: %s', (line, expected) => {
    expect(searchesOf(line).files).toBe(expected);
  });

  it('names what it looks into besides the working tree', () => {
    expect(searchesOf('git grep --cached x')).toMatchObject({ index: true, trees: [] });
    expect(searchesOf('git grep x HEAD:src')).toMatchObject({ index: false, trees: ['HEAD:src'] });
    expect(searchesOf('git grep -I --cached x HEAD:')).toMatchObject({ index: false, trees: [] });
  });
});

describe('the objects that git is asked to print', () => {
  const objectsOf = (...words: readonly string[]): readonly string[] => gitUseOf([words]).objects;

  it('lists each name once, without options, signs of ranges and names that hold a path', () => {
    expect(objectsOf('git', 'show', '-p', 'abc')).toEqual(['abc']);
    expect(objectsOf('git', 'diff', 'a..b', 'c...a', '^d', '..')).toEqual(['a', 'b', 'c', 'd']);
    expect(objectsOf('git', 'show', 'HEAD:a.txt', 'two words')).toEqual([]);
    expect(objectsOf('timeout', '5', 'git', 'cat-file', 'blob', 'abc')).toEqual(['blob', 'abc']);
  });

  it('lists none for a subcommand that prints no object, and for git without one', () => {
    expect(objectsOf('git', 'status', 'abc')).toEqual([]);
    expect(objectsOf('git', '--version')).toEqual([]);
    expect(objectsOf('git', 'stash', 'push', 'abc')).toEqual([]);
    expect(objectsOf('git', 'stash', 'show', 'abc')).toEqual(['show', 'abc']);
  });
});

describe('uncommitted work', () => {
  const overwritten = (...lines: readonly string[]) =>
    overwritingSubcommand(lines.map((line) => line.split(' ')));

  it.each([
    ['git checkout .', 'checkout'],
    ['git checkout main', 'checkout'],
    ['timeout 5 git checkout -q HEAD a', 'checkout'],
    ['git checkout -b new', undefined],
    ['git checkout -qb new', undefined],
    ['git restore a', 'restore'],
    ['git restore -SW a', 'restore'],
    ['git restore --staged --worktree a', 'restore'],
    ['git restore --staged a', undefined],
    ['git restore -S a', undefined],
    ['git reset --hard', 'reset'],
    ['git reset a', undefined],
    ['git merge --abort', 'merge'],
    ['git merge main', undefined],
    ['git clean -fd', 'clean'],
    ['git status', undefined],
    ['git', undefined],
    ['ls checkout', undefined],
  ])('%s replaces it: %s', (line, expected) => {
    expect(overwritten(line)).toBe(expected);
  });

  it('is found in any command of a line', () => {
    expect(overwritten('git status', 'git reset --hard')).toBe('reset');
  });
});
