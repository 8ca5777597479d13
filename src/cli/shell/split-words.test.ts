import { describe, expect, it } from 'vitest';
import { splitWords } from './split-words.ts';

describe('splitWords', () => {
  it.each([
    ['', []],
    ['  a   b\tc ', ['a', 'b', 'c']],
    [`a='b c' "d  e"f`, ['a=b c', 'd  ef']],
    [`'' ""`, ['', '']],
    ['a\\ b \\"c', ['a b', '"c']],
    [`"a\\"b\\n" 'a\\b'`, ['a"b\\n', 'a\\b']],
    ['a \\\nb', ['a', 'b']],
    ["'a\nb'", ['a\nb']],
    ['$HOME `id` $(id) a;b|c>d*', ['$HOME', '`id`', '$(id)', 'a;b|c>d*']],
  ])('%j', (text, words) => {
    expect(splitWords(text)).toEqual({ words, open: false });
  });

  it.each([["a 'b"], ['a "b'], ['a \\'], [`"a\\"`]])('%j goes on', (text) => {
    expect(splitWords(text).open).toBe(true);
  });
});
