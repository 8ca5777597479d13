import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonFault } from './parse-json.ts';

/** What is refused although the engine reads it. */
const STRICTER = /given twice|exactly|__proto__|surrogate/;

describe('findJsonFault', () => {
  it.each([
    ['{"a": 1,}', 1, 9, 'a name is expected after the comma'],
    ['{"a" 1}', 1, 6, 'a colon is expected'],
    ["{'a': 1}", 1, 2, 'a name in double quotes'],
    ['{a: 1}', 1, 2, 'a name in double quotes'],
    ['{"a": hello}', 1, 7, 'a string needs double quotes'],
    ['{"a": \'b\'}', 1, 7, 'not single ones'],
    ['{"a": 1', 1, 8, 'the text ends where a comma or "}" is expected'],
    ['{\n  "a": [1, 2\n  "b": 3\n}', 3, 3, 'a comma or "]" is expected'],
    ['{"a": "line\nbreak"}', 1, 12, 'must be escaped'],
    ['{"a": "\\x"}', 1, 8, 'this escape does not exist'],
    ['{"a": "open', 1, 12, 'the text ends where a double quote'],
    ['{"a": 01}', 1, 7, 'not a number'],
    ['{"a": 1.}', 1, 7, 'not a number'],
    ['{"a": 1} extra', 1, 10, 'there is more text'],
    ['', 1, 1, 'the text ends where a value is expected'],
    ['[1, ]', 1, 5, 'a value is expected'],
    ['"ключ', 1, 6, 'the text ends'],
    ['{"a": 1, "a": 2}', 1, 10, 'given twice'],
    ['{"a": 1, "\\u0061": 2}', 1, 10, 'given twice'],
    ['{"id": 12345678901234567890}', 1, 8, 'cannot be kept exactly'],
  ])('finds the fault of %j', (...[text, line, column, message]) => {
    const fault = findJsonFault(text);
    expect(fault).toMatchObject({ line, column });
    expect(fault?.message).toContain(message);
  });

  it('refuses endless nesting, at once', () => {
    expect(findJsonFault('['.repeat(200_000))?.message).toContain('deeper than 512');
  });

  it('agrees with the engine on every valid text', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(findJsonFault(text)?.message ?? 'exactly').toMatch(STRICTER);
      }),
    );
  });

  it('agrees with the engine on what is broken', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]":,\\ \n1-.eEtrufalsn') });
    fc.assert(
      fc.property(noise, (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        const fault = findJsonFault(text);
        const stricter = STRICTER.test(fault?.message ?? '');
        expect(fault === undefined).toBe(valid && !stricter);
      }),
      { numRuns: 2000 },
    );
  });

  it('allows DEL and C1 characters in strings, as JSON does', () => {
    expect(findJsonFault('"\u007f\u009b"')).toBeUndefined();
  });
});
