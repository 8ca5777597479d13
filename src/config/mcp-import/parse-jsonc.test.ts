import { describe, expect, it } from 'vitest';
import { dataOf, memberOf, parseJsonc } from './parse-jsonc.ts';

const plain = (text: string): unknown => JSON.parse(JSON.stringify(dataOf(parseJsonc(text))));

describe('parseJsonc', () => {
  it.each([
    ['{}', {}],
    [
      '\uFEFF { "a" : [1, -2.5e3, true, null, "x\\n\\u0041"] } \n',
      { a: [1, -2500, true, null, 'x\nA'] },
    ],
    ['// top\n{ /* in */ "a": 1, // end\n "b": [1, 2,], }', { a: 1, b: [1, 2] }],
    [
      '{"url": "https://x/y", "c": "/* no comment */"}',
      { url: 'https://x/y', c: '/* no comment */' },
    ],
    ['[]', []],
    [JSON.stringify(Array(200).fill('{')), Array(200).fill('{')],
  ])('reads %j', (text, value) => {
    expect(plain(text)).toEqual(value);
  });

  it.each([
    ['', 1],
    ['{', 1],
    ['{"a":1', 1],
    ['{\n"a":1\n"b":2}', 3],
    ['{,}', 1],
    ['[1,,2]', 1],
    ["{'a': 1}", 1],
    ['{a: 1}', 1],
    ['{"a": 01}', 1],
    ['{"a": "x\n"}', 1],
    ['{"a": NaN}', 1],
    ['{} {}', 1],
    ['{"a":1,\n"a":2}', 2],
    ['/* open', 1],
    ['['.repeat(200_000), 1],
  ])('threat: refuses %#, with the line and without the text', (text, line) => {
    expect(() => parseJsonc(text)).toThrow(expect.objectContaining({ name: 'JsoncFault', line }));
  });

  it('threat: __proto__ is a name like any other', () => {
    const data = dataOf(parseJsonc('{"__proto__": {"x": 1}}')) as Record<string, unknown>;
    expect(Object.getPrototypeOf(data)).toBeNull();
    expect(Object.keys(data)).toEqual(['__proto__']);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('agrees with JSON.parse on what is JSON, and knows where things are', () => {
    const text = JSON.stringify({ a: { b: ['c', 1e21, { d: '"}' }] }, e: '' }, null, 2);
    expect(plain(text)).toEqual(JSON.parse(text));
    const node = memberOf(parseJsonc(text), 'a');
    expect(JSON.parse(text.slice(node?.start, node?.end))).toEqual(JSON.parse(text).a);
  });
});
