import { describe, expect, it } from 'vitest';
import { findUnchecked } from './find-unchecked.ts';

const nested = (depth: number): object => {
  let schema: object = { type: 'string' };
  for (let level = 0; level < depth; level += 1) schema = { type: 'array', items: schema };
  return schema;
};

const wide = (count: number): object => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, {}])),
});

describe('the schema of a tool of an API', () => {
  it.each([
    ['is nested too deep', nested(200), /nested deeper/],
    ['has too many parts', wide(6000), /more than 5000 parts/],
    ['refers to nothing', { $ref: '#/$defs/none' }, /leads nowhere/],
    ['has a pattern with look-around', { type: 'string', pattern: '(?=a)b' }, /pattern/],
  ])('is reported when it %s', (_what, schema, message) => {
    const findings = findUnchecked({ source: 'external', input: schema, output: { type: 'null' } });
    expect(findings).toEqual([
      { kind: 'suspicious', path: 'input', message: expect.stringMatching(message) as string },
    ]);
    expect(findings[0]?.message).toContain('not checked here');
  });

  it('is not reported when it can be checked, or when the tool declares it unchecked', () => {
    expect(findUnchecked({ source: 'external', input: wide(10), output: nested(5) })).toEqual([]);
    expect(findUnchecked({ source: 'mcp', input: nested(200) })).toEqual([]);
    expect(findUnchecked(undefined)).toEqual([]);
  });
});
