import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayChange, stableJson } from './audit-row.ts';

const again = (text: string): string => JSON.stringify(JSON.parse(text));

describe('text of JSON that a raw number or string was put into', () => {
  it.each([
    ...['-0', '1.0', '1e3', '1E3', '-1.50', '100000000000000000000', '12345678901234567', '0.10'],
    ...['"\\u0041"', '"\\/"', '"\ud800"', '"\\u000a"'],
  ])('%s is read and written again', (raw) => {
    for (const text of [`{"a":${raw}}`, `{"a":[${raw}]}`, `{"a":[1,${raw},2]}`]) {
      expect(mayChange(text, true)).toBe(true);
    }
  });

  it('is read and written again wherever that changes it', () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,22})(\.\d{1,20})?([eE][+-]?\d{1,3})?$/);
    const letters = fc
      .array(
        fc.oneof(
          fc.constantFrom('\\u0041', '\\/', '\\n', '\\"', 'a', 'é', '😀', '\ud83d', '\ude00'),
        ),
      )
      .map((parts) => `"${parts.join('')}"`);
    fc.assert(
      fc.property(fc.oneof(digits, letters), (raw) => {
        for (const text of [`{"a":${raw}}`, `{"a":[${raw},1]}`, `{"b":1,"a":[{},${raw}]}`]) {
          if (!mayChange(text, true)) expect(again(text)).toBe(text);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    '{"rule":"read","input":{"a":1,"b":-20},"policy":"1a2e3f"}',
    '{"a":[],"b":[0,true,null,"x: 1"]}',
  ])('%s, which has none, is taken as it is', (text) => {
    expect(mayChange(text, true)).toBe(false);
  });
});

describe('stable JSON', () => {
  it('puts index keys of a proxy in order', () => {
    const value = new Proxy({ 1: 'a', 10: 'b' }, { ownKeys: () => ['10', '1'] });
    expect(stableJson(value)).toBe('{"1":"a","10":"b"}');
  });

  it('reads back to itself', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = stableJson(value) as string;
        expect(again(text)).toBe(text);
      }),
    );
  });

  it.each([undefined, null, 'text', 1, []])('has none for %j', (value) => {
    expect(stableJson(value)).toBeUndefined();
  });
});
