import { describe, expect, it } from 'vitest';
import { gitUseOf } from './git-use.ts';

const isAlone = (...commands: readonly string[]): boolean =>
  gitUseOf(commands.map((command) => command.split(' ').filter((word) => word !== ''))).isAlone;

describe('the use of git by a line', () => {
  it('sees git also by its path and behind another program', () => {
    for (const words of [['git', 'log'], ['/usr/bin/git'], ['timeout', '5', 'git', 'log']]) {
      expect(gitUseOf([words]).runsGit).toBe(true);
    }
    expect(gitUseOf([['ls']])).toEqual({ runsGit: false, isAlone: false, objects: [] });
    expect(gitUseOf([])).toEqual({ runsGit: false, isAlone: false, objects: [] });
  });

  it('leaves git alone with builtins that touch no file', () => {
    expect(isAlone('git log')).toBe(true);
    expect(isAlone('echo a', 'git log', 'true')).toBe(true);
  });

  it('leaves git alone with a filter that is told no file', () => {
    for (const filter of ['cat', 'head -n20', 'tail -n +5', 'sort -u', 'wc -l']) {
      expect(isAlone('git log', filter)).toBe(true);
    }
    for (const filter of ['cat secret.txt', 'sort --files0-from=x', 'sort -o out']) {
      expect(isAlone('git log', filter)).toBe(false);
    }
  });

  it('leaves git alone with a grep that is told a pattern and no file', () => {
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
  });
});
