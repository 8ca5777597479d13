/** What the parser never hands over, made by hand: a tree that does not fit its source is refused. */
import type { Redirection, Word } from 'unbash';
import { describe, expect, it } from 'vitest';
import { readRedirect } from './read-redirect.ts';
import { readWord, type WordScope } from './shell-word.ts';

const scope: WordScope = {
  source: 'ls -l',
  variables: new Map(),
  loops: new Set(),
  splits: true,
  inner: () => undefined,
};

const word = (over: Partial<Word>): Word => ({
  type: 'Word',
  text: 'ls',
  value: 'ls',
  pos: 0,
  end: 2,
  ...over,
});

const literal = (pos: number, end: number, text: string, value = text) => ({
  type: 'Literal' as const,
  pos,
  end,
  text,
  value,
});

describe('a word of a shell string', () => {
  it('is read when source, parser and decoder agree', () => {
    expect(readWord(word({}), scope)).toEqual([{ text: 'ls', kind: 'static', head: 'ls' }]);
  });

  it.each([
    ['a value that the decoder does not find', word({ value: 'id' })],
    ['text that is not in the source', word({ text: 'id', value: 'id' })],
    ['parts that start late', word({ parts: [literal(1, 2, 's')] })],
    ['parts that end early', word({ parts: [literal(0, 1, 'l')] })],
    [
      'a substitution without a script',
      word({
        parts: [{ type: 'CommandExpansion', pos: 0, end: 2, text: 'ls', script: undefined }],
      }),
    ],
  ])('threat: %s is refused', (_, bad) => {
    expect(() => readWord(bad, scope)).toThrow('cannot be judged');
  });
});

describe('a redirection', () => {
  const reader = { scope, recordSpan: () => undefined, add: () => undefined };
  const redirect = (over: object) =>
    ({ type: 'Redirect', pos: 0, end: 1, operator: '>', ...over }) as Redirection;

  it.each([
    ['without a target', redirect({})],
    ['of a here-string without a target', redirect({ type: 'HereString', operator: '<<<' })],
    ['of a here-document without a delimiter', redirect({ type: 'HereDoc', operator: '<<' })],
  ])('%s is refused', (_, bad) => {
    expect(() => readRedirect(bad, reader)).toThrow('cannot be judged');
  });
});
