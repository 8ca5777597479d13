import { describe, expect, it } from 'vitest';
import { accountForText } from './account-for-text.ts';

type Pairs = readonly (readonly [number, number])[];

const check = (source: string, spans: Pairs) =>
  accountForText(
    source,
    { pos: 0, end: source.length },
    spans.map(([pos, end]) => ({ pos, end, isWord: true })),
  );

describe('accounting for the text of a shell string', () => {
  it.each([
    [
      'ls -l',
      [
        [0, 2],
        [3, 5],
      ],
    ],
    [
      'ls;pwd',
      [
        [0, 2],
        [3, 6],
      ],
    ],
    [
      'if ls; then pwd; fi # done',
      [
        [3, 5],
        [12, 15],
      ],
    ],
    [
      'ls>x',
      [
        [0, 2],
        [3, 4],
      ],
    ],
    [
      'ls \\\n x',
      [
        [0, 2],
        [6, 7],
      ],
    ],
  ] as const)('accepts %j', (source, spans) => {
    expect(() => check(source, spans)).not.toThrow();
  });

  it.each([
    ['threat: a command the parser skipped', 'ls; id', [[0, 2]]],
    ['threat: text after the last word', 'ls x', [[0, 2]]],
    [
      'threat: words that touch',
      'lsx',
      [
        [0, 2],
        [2, 3],
      ],
    ],
    [
      'threat: words that overlap',
      'ls -l',
      [
        [0, 3],
        [2, 5],
      ],
    ],
    [
      'threat: a comment that is none',
      'ls#id x',
      [
        [0, 2],
        [6, 7],
      ],
    ],
    [
      'threat: a comment that swallows a word',
      'ls # x\ny',
      [
        [0, 2],
        [5, 6],
        [7, 8],
      ],
    ],
    ['threat: a reserved word inside a word', 'ls;fix', [[0, 2]]],
    [
      'an operator cut in two',
      'ls&&',
      [
        [0, 2],
        [3, 4],
      ],
    ],
  ] as const)('refuses %s', (_, source, spans) => {
    expect(() => check(source, spans)).toThrow('could not be accounted for');
  });
});
