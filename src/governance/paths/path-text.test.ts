/** Threat "Paths": what the text of a path alone gives away. */
import { describe, expect, it } from 'vitest';
import { segmentsBelow } from '../../kit/file/segments-below.ts';
import { assertPlainPath, segmentsOf } from './path-text.ts';

const judge = (path: string, platform: NodeJS.Platform = 'linux') => {
  try {
    assertPlainPath(path, platform);
    return 'ok';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('assertPlainPath', () => {
  it.each([
    'a\0b',
    'a\nb',
    'a\u001b[2Jb',
    'a\u007f',
    'a\u0085b',
    'x\u202etxt',
    'a\u2028b',
    'a\ud800b',
  ])('refuses odd characters in %j', (path) => {
    expect(judge(path)).toBe('SECURITY_VIOLATION');
  });

  it.each([
    'a',
    'dir/über.txt',
    '日本語/ファイル.md',
    '👨‍👩‍👧.txt',
    'a b.txt',
    '..',
    'a\\b',
    'a:b',
  ])('accepts %j', (path) => {
    expect(judge(path)).toBe('ok');
  });

  it('refuses an empty and an endless path', () => {
    expect(judge('')).toBe('VALIDATION_ERROR');
    expect(judge('a'.repeat(5000))).toBe('VALIDATION_ERROR');
  });

  it.each([
    'NUL',
    'sub\\con.txt',
    '\\\\?\\C:\\x',
    '\\\\server\\share',
    'C:x',
    'a.txt:stream',
    'COM1',
  ])('refuses %j on Windows', (path) => {
    expect(judge(path, 'win32')).toBe('SECURITY_VIOLATION');
  });

  it.each(['C:\\work\\a.txt', 'console.log', 'sub\\nullable.ts'])(
    'accepts %j on Windows',
    (path) => {
      expect(judge(path, 'win32')).toBe('ok');
    },
  );

  it('never repeats the path in its message', () => {
    expect(() => assertPlainPath('canary\0', 'linux')).toThrowError(
      expect.objectContaining({ message: expect.not.stringContaining('canary') }),
    );
  });
});

describe('segmentsBelow', () => {
  it('does not confuse folders whose names begin the same', () => {
    expect(segmentsBelow('/srv/app', '/srv/app-secrets/x')).toBeUndefined();
    expect(segmentsBelow('/srv/app', '/srv/ap')).toBeUndefined();
    expect(segmentsBelow('/srv/app', '/srv')).toBeUndefined();
    expect(segmentsBelow('/srv/app', '/srv/app')).toEqual([]);
    expect(segmentsBelow('/srv/app', '/srv/app/a/b')).toEqual(['a', 'b']);
    expect(segmentsBelow('/srv/app', '/srv/app/..a/b')).toEqual(['..a', 'b']);
    expect(segmentsBelow('/', '/etc')).toEqual(['etc']);
  });

  it('splits an absolute path', () => {
    expect(segmentsOf('/home/ann/')).toEqual(['home', 'ann']);
    expect(segmentsOf('C:\\home\\ann')).toEqual(['C:', 'home', 'ann']);
  });
});
