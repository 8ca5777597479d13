import { describe, expect, it } from 'vitest';
import { hasKind } from './check-value.ts';
import type { PathJudge } from './judge-path.ts';

const judge = (notes: string[] = []): PathJudge => ({
  root: '/project',
  bases: ['/project/packages/app'],
  protectedNames: [],
  followLinks: (path) => path,
  note: (path) => void notes.push(path),
});

describe('a revision of git', () => {
  it.each(['main', 'HEAD~2', ':', 'HEAD:', 'HEAD:src/a.ts', 'HEAD:./a.ts'])(
    '%s is accepted',
    (text) => {
      expect(hasKind(text, 'revision', judge())).toBe(true);
    },
  );

  it.each(['', '-x', '+main', 'ext::sh -c id', 'https://example.com/x'])(
    'threat: %s is refused',
    (text) => {
      expect(hasKind(text, 'revision', judge())).toBe(false);
    },
  );

  it('may read like a secret when it names branches, and not a path behind a colon', () => {
    const knowing = { ...judge(), namesBranches: (word: string) => word.startsWith('fix-token') };
    expect(hasKind('fix-token', 'revision', knowing)).toBe(true);
    expect(() => hasKind('fix-token', 'revision', judge())).toThrow('secrets');
    expect(() => hasKind('other-token', 'revision', knowing)).toThrow('secrets');
    expect(() => hasKind('fix-token:.env', 'revision', knowing)).toThrow('secrets');
  });

  it('threat: a path behind a colon is judged from the top of the repository, too', () => {
    expect(() => hasKind('HEAD:.env', 'revision', judge())).toThrow('secrets');
    const notes: string[] = [];
    hasKind('HEAD:src/a.ts', 'revision', judge(notes));
    expect(notes).toContain('/project/src/a.ts');
    notes.length = 0;
    hasKind('HEAD:./a.ts', 'revision', judge(notes));
    expect(notes).not.toContain('/project/a.ts');
  });
});

describe('a program of awk', () => {
  const isAwk = (text: string) => hasKind(text, 'awk', judge());

  it.each([
    '$3 > 5',
    '$1 >= 10 && $2 == "x > y" { print $1 }',
    '{ if ($1 > max) max = $1 } END { print max }',
    '{ n += ($1 > 3) } END { print n }',
    '{ print ($1 > 2 ? "big" : "small") }',
    '{ if (f($1) > (2)) print $1 }',
    '{ x = $1 > 2 }',
    'NR > 1',
  ])('benign: %s compares', (text) => {
    expect(isAwk(text)).toBe(true);
  });

  it.each([
    '{ print > $1 }',
    '{ print $1 > "a" ".b" }',
    '{ print ($1 > 2) > "f" }',
    '{ print(1) > "f" }',
    '{ if ($1 > 2) print $1 > "f" }',
    '$1 > 2 { print > "f" }',
    'NR > 1; { print > "f" }',
    '{ x = $1 > 2; printf x > "f" }',
    'BEGIN { for (;; print "x" > "f") y = 1 }',
    'BEGIN { for (print "x" > "f"; 0;) y }',
    'BEGIN { print "a" >> "f" }',
    '{ print "x" >> "f" }',
    '/"/ { print > "f" } /"/',
    '{ x = "\\" } { print > "f" } { y = "\\" }',
    '{ print } # "\n{ print > "f" }',
    '{ print > ("f" }',
    'function g(a) { print a > "f" } { g($1) }',
  ])('threat: %s writes a file, or may', (text) => {
    expect(isAwk(text)).toBe(false);
  });
});
