import fc from 'fast-check';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { formatJson } from './format-json.ts';

const plain = pc.createColors(false);

describe('formatJson', () => {
  it('gives the same JSON as the engine', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(formatJson(JSON.parse(text), plain))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('has the layout of JSON.stringify', () => {
    const value = { a: [1, { b: null }], c: {}, d: [], e: 'x', f: undefined };
    expect(formatJson(value, plain)).toBe(JSON.stringify(value, null, 2));
  });

  it('escapes what a terminal would obey', () => {
    expect(formatJson({ 'k\u009b': 'v\u202e\u001b' }, plain)).toBe(
      '{\n  "k\\u009b": "v\\u202e\\u001b"\n}',
    );
  });

  it('colours by type', () => {
    const ink = pc.createColors(true);
    expect(formatJson([1, 'a', true], ink)).toBe(
      `[\n  ${ink.yellow('1')},\n  ${ink.green('"a"')},\n  ${ink.magenta('true')}\n]`,
    );
  });
});
