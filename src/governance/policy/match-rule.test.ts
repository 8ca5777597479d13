import { describe, expect, it } from 'vitest';
import { matchesName } from './match-rule.ts';

describe('patterns of tool names', () => {
  it.each([
    ['write_file', 'write_file', true],
    ['write_file', 'write_files', false],
    ['git*', 'git', true],
    ['git*', 'git_push', true],
    ['git*', 'legit', false],
    ['*_file', 'write_file', true],
    ['*_file', 'write_files', false],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'acb', false],
    ['a*x*c', 'abc', false],
    ['ab*ba', 'aba', false],
    ['a*a', 'a', false],
    ['*', 'anything', true],
    ['**', 'anything', true],
    ['a.c', 'abc', false],
    ['', 'a', false],
  ])('%s and %s: %s', (pattern, name, expected) => {
    expect(matchesName(pattern, name)).toBe(expected);
  });

  it('take time in proportion to the length of the name', () => {
    const pattern = `${'*a'.repeat(5000)}b`;
    const started = process.hrtime.bigint();
    expect(matchesName(pattern, 'a'.repeat(10_000))).toBe(false);
    expect(Number(process.hrtime.bigint() - started) / 1e9).toBeLessThan(20);
  });
});
