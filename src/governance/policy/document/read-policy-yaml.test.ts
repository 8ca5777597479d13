import { describe, expect, it } from 'vitest';
import { readPolicyYaml } from './read-policy-yaml.ts';

const START = { line: 1, column: 1 };

describe('readPolicyYaml', () => {
  it('refuses a text that is too long, unread, and places all of it at the start', () => {
    const { value, problems, placeOf } = readPolicyYaml(`a: 1\n#${'x'.repeat(512 * 1024)}`);
    expect(value).toBeUndefined();
    expect(problems).toEqual([{ ...START, message: 'longer than 524288 characters' }]);
    expect(placeOf(['a'])).toEqual(START);
  });

  it('places all of a text at the start that it cannot read', () => {
    const { value, problems, placeOf } = readPolicyYaml('a: [');
    expect(value).toBeUndefined();
    expect(problems).not.toEqual([]);
    expect(placeOf(['a', 0])).toEqual(START);
  });

  it('gives no value when a key is set twice', () => {
    const { value, problems } = readPolicyYaml('a: 1\na: 2\n');
    expect(value).toBeUndefined();
    expect(problems).toMatchObject([{ line: 2, column: 1 }]);
  });

  it('places a key at its name, an item at its text and a missing thing at what is around it', () => {
    const { value, problems, placeOf } = readPolicyYaml('a:\n  - x\n  -\n  - b: {c}\n');
    expect(problems).toEqual([]);
    expect(value).toEqual({ a: ['x', null, { b: { c: null } }] });
    expect(placeOf([])).toEqual(START);
    expect(placeOf(['a'])).toEqual(START);
    expect(placeOf(['a', 0])).toEqual({ line: 2, column: 5 });
    expect(placeOf(['a', 1])).toMatchObject({ line: 3 });
    expect(placeOf(['a', 2, 'b', 'c'])).toEqual({ line: 4, column: 9 });
    expect(placeOf(['a', 2, 'missing', 'deeper'])).toEqual({ line: 4, column: 5 });
    expect(placeOf(['a', 2], 3)).toEqual({ line: 4, column: 5 });
  });

  it.each([
    ['plain text', 'a: one two', { line: 1, column: 8 }],
    ['quoted text', "a: 'one two'", { line: 1, column: 9 }],
    ['quoted text with an escape, at its beginning', 'a: "\\x6fne two"', { line: 1, column: 4 }],
    ['a literal block', 'a: |\n  one\n  two', { line: 3, column: 3 }],
    ['a folded block, at its beginning', 'a: >\n  one\n  two', { line: 1, column: 4 }],
  ])('finds the place of a character inside %s', (_name, text, place) => {
    expect(readPolicyYaml(text).placeOf(['a'], 4)).toEqual(place);
  });
});
