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

  it('is not looked up among the branches when it may be a path', () => {
    const asked: string[] = [];
    const namesBranches = (word: string) => asked.push(word) > 0;
    for (const word of ['main', 'src/a.ts', 'fix-token']) {
      hasKind(word, 'revision', { ...judge(), namesBranches });
    }
    expect(new Set(asked)).toEqual(new Set(['fix-token']));
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
