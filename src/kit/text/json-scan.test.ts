/** The scanner agrees with JSON.parse on every text, and says more. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanJson } from './json-scan.ts';

const scan = (text: string) => scanJson(text, { maxDepth: 500 });

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('scanJson, like JSON.parse,', () => {
  it.each([
    ...['', ' ', '{', '[', '"', '{"a"', '{"a":', '{"a":1', '{"a":1,', '[1', '[1,', '[1 2]', '1 2'],
    ...['{a:1}', "{'a':1}", '{"a":1,}', '[1,]', '[,1]', '{,}', '[1,,2]', '{"a" 1}', '{1:2}'],
    ...['tru', 'True', 'nul', 'truex', 'NaN', 'Infinity', '-', '-x', '01', '-01', '+1', '.5', '1.'],
    ...['1e', '1e+', '1.e5', '0x10', '1_000', '--1', '1-', '"\\x"', '"\\u12"', '"\\u12G4"', '"\t"'],
    ...['"a\nb"', '\ufeff1', '\u00a01', '// c\n1', '/* c */1', ']', '}', '[}', '{]', '[1}', '""x'],
  ])('refuses %j', (text) => {
    expect(parses(text)).toBe(false);
    expect(scan(text).error).toBeDefined();
  });

  it.each([
    ...['0', '-0', '1', '-1.5e+10', '1E5', '0.0', '123456789', '""', '"\\u00e9\\n\\/\\""', '"é𝒳"'],
    ...[
      'true',
      'false',
      'null',
      ' [ ] ',
      '{}',
      '{"a":{"b":[1,{"c":null}]}}',
      '\t\r\n1\n',
      '[[],[]]',
    ],
    ...['{"":0}', '"\u007f"', '"\u2028"', '[[[[[]]]]]', '{"a":1,"b":[2,3],"c":{}}'],
  ])('accepts %j', (text) => {
    expect(parses(text)).toBe(true);
    expect(scan(text).error).toBeUndefined();
  });

  it('accepts and refuses the same random texts', () => {
    const piece = fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"', '"a"', '"b\\n"', '1', '-2.5e3', '0', 'true', 'null'],
      ...[' ', '\n', '\\', 'e', '.', '-', 'x', '\u0001'],
    );
    const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(text, fc.json(), fc.string()), (candidate) => {
        expect(scan(candidate).error === undefined).toBe(parses(candidate));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('scanJson', () => {
  it.each([
    ['{"a": 1,\n "b": }', 15, '/b', 'a value is expected'],
    ['[1, 2,]', 6, '/2', 'a value is expected'],
    ['[1 2]', 3, '/0', 'a comma or "]" is expected'],
    ['{"a": "x', 8, '/a', 'the text ends where a double quote should close the string'],
    ['{a: 1}', 1, '/', 'a name in double quotes is expected'],
    ['{"a" 1}', 5, '/a', 'a colon is expected after the name'],
    ['["\\q"]', 2, '/0', 'this escape does not exist in JSON'],
    ['[1', 2, '/0', 'the text ends where a comma or "]" is expected'],
    ['1 2', 2, '', 'the value has ended, but there is more text'],
    ['', 0, '', 'the text ends where a value is expected'],
  ])('tells where %j is wrong', (text, offset, pointer, message) => {
    expect(scan(text).error).toMatchObject({ offset, pointer, message });
  });

  it('warns of keys that occur twice, prototypes and numbers that are not exact', () => {
    const text = '{"a":1,"b":{"a":1},"\\u0061":2,"__proto__":{},"n":12345678901234567890}';
    expect(scan(text)).toMatchObject({
      error: undefined,
      warnings: [
        { pointer: '/a', offset: 19, message: expect.stringContaining('twice') },
        { pointer: '/__proto__', offset: 30, message: expect.stringContaining('prototypes') },
        { pointer: '/n', offset: 49, message: expect.stringContaining('kept exactly') },
      ],
    });
  });

  it('tells where each value starts', () => {
    const seen: [string, number][] = [];
    scanJson('{"a/b": [10, {"~": null}], "c": ""}', {
      maxDepth: 9,
      onValue: (pointer, offset) => void seen.push([pointer, offset]),
    });
    expect(seen).toEqual([
      ['', 0],
      ['/a~1b', 8],
      ['/a~1b/0', 9],
      ['/a~1b/1', 13],
      ['/a~1b/1/~0', 19],
      ['/c', 32],
    ]);
  });
});

describe('scanJson', () => {
  it('refuses nesting beyond the limit at once, 200,000 levels too', { timeout: 15_000 }, () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(scan(nested(500)).error).toBeUndefined();
    expect(scan(nested(501)).error?.message).toBe('nesting is deeper than 500 levels');
    expect(scan(nested(200_000)).error?.message).toBe('nesting is deeper than 500 levels');
  });

  it('reads a long text in linear time', { timeout: 15_000 }, () => {
    const keys = Array.from({ length: 100_000 }, (_, n) => `"k${n}":[${n},"${'x'.repeat(9)}"]`);
    expect(scan(`{${keys.join(',')}}`)).toEqual({ error: undefined, warnings: [] });
    expect(scan(`"${'\\n'.repeat(500_000)}"`).error).toBeUndefined();
  });
});
