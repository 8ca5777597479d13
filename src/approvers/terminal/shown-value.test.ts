import { describe, expect, it } from 'vitest';
import { inputDifference } from './shown-value.ts';

describe('inputDifference', () => {
  it('is empty for the same input, in any order of keys', () => {
    expect(inputDifference({ a: 1, b: [true, null] }, { b: [true, null], a: 1 })).toEqual([]);
  });

  it('names removed and added values by their whole path', () => {
    expect(
      inputDifference(
        { path: 'a.txt', options: { force: true, tags: ['x', 'y'] } },
        { path: 'b.txt', options: { force: true, tags: ['x'] }, mode: 'w' },
      ),
    ).toEqual(['- path: "a.txt"', '- options › tags › - 2: "y"', '+ path: "b.txt"', '+ mode: "w"']);
  });

  it('tells a number from its text and a list from an object', () => {
    expect(inputDifference({ a: 1, b: [] }, { a: '1', b: {} })).toEqual([
      '- a: 1',
      '- b: []',
      '+ a: "1"',
      '+ b: {}',
    ]);
  });

  it('compares inputs that are no objects', () => {
    expect(inputDifference('a', 'b')).toEqual(['- value: "a"', '+ value: "b"']);
  });

  it('hides nothing: hostile characters are written out, a cut says what it hides', () => {
    const shown = inputDifference({ a: '\u202e\u001b[2K' }, { a: 'x'.repeat(1000) });
    expect(shown[0]).toBe('- a: "\\u202e␛[2K"');
    expect(shown[1]).toContain('⟨ 602 characters are not shown here ⟩');
  });

  it('distinguishes a name that looks like a path from a path', () => {
    expect(inputDifference({ a: { b: 1 } }, { 'a › b': 1 })).toEqual([
      '- a › b: 1',
      '+ "a › b": 1',
    ]);
  });
});
