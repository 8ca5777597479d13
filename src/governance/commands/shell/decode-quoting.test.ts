import { describe, expect, it } from 'vitest';
import {
  decodeAnsi,
  decodeBare,
  decodeDouble,
  decodeSingle,
  hasBraces,
  hasBracketPattern,
  hasTilde,
} from './decode-quoting.ts';

const last = (text: string) => ({ text, isLast: true });
const inner = (text: string) => ({ text, isLast: false });

describe('quoting, read without the parser', () => {
  it('decodes unquoted text', () => {
    expect(decodeBare(last('a\\ b\\\nc'))).toBe('a bc');
    expect(decodeBare(last('end$'))).toBe('end$');
    expect(decodeBare(last('\\$x'))).toBe('$x');
  });

  it.each(['a b', 'a;b', 'a$b', 'a`b', "a'b", 'a"b', 'a*', 'a?', 'a>b', 'a(b', 'a\\'])(
    'finds unquoted %j not literal',
    (text) => expect(decodeBare(last(text))).toBeUndefined(),
  );

  it('threat: a dollar sign before the next piece is not literal', () => {
    expect(decodeBare(inner('a$'))).toBeUndefined();
    expect(decodeDouble(inner('a$'))).toBeUndefined();
  });

  it('decodes double quotes', () => {
    expect(decodeDouble(last('a\\"b\\$c\\\\d\\n'))).toBe('a"b$c\\d\\n');
    expect(decodeDouble(last('a\\\nb'))).toBe('ab');
    expect(decodeDouble(last('^a$|b$'))).toBe('^a$|b$');
  });

  it.each(['$(id)', '`id`', '$'.concat('{x}'), '$x', 'a"b', '$$'])(
    'finds %j in double quotes not literal',
    (text) => expect(decodeDouble(last(text))).toBeUndefined(),
  );

  it('decodes the other quotes only when they are whole and plain', () => {
    expect(decodeSingle("'a $(b)'")).toBe('a $(b)');
    expect(decodeSingle("'a'b'")).toBeUndefined();
    expect(decodeAnsi("$'a'")).toBe('a');
    expect(decodeAnsi("$'\\x61'")).toBeUndefined();
  });

  it('finds tildes, braces and brackets that expand', () => {
    expect(['~', 'a=~/x', 'a:~'].map(hasTilde)).toEqual([true, true, true]);
    expect(hasTilde('HEAD~1')).toBe(false);
    expect(['{a,b}', '{1..3}'].map(hasBraces)).toEqual([true, true]);
    expect(['HEAD@{1}', '\\{a,b}', 'a,b'].map(hasBraces)).toEqual([false, false, false]);
    expect(['[a]', 'x[', '\\[a]', ']'].map(hasBracketPattern)).toEqual([true, false, false, false]);
  });
});
