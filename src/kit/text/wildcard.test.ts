import { describe, expect, it } from 'vitest';
import { wildcard } from './wildcard.ts';

describe('a pattern with *', () => {
  it.each([
    ['get_user', 'get_user', true],
    ['get_user', 'get_users', false],
    ['get_*', 'get_', true],
    ['*_user', 'get_user', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['ab*ba', 'aba', false],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
  ])('%j with %j is %s', (pattern, text, isMatch) => {
    expect(wildcard(pattern)(text)).toBe(isMatch);
  });

  it('hostile: many stars in a pattern do not make a long text slow', () => {
    const started = performance.now();
    expect(wildcard(`${'*a'.repeat(500)}b`)('a'.repeat(100_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
