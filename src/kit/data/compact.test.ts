import { describe, expect, expectTypeOf, it } from 'vitest';
import { compact } from './compact.ts';

describe('compact', () => {
  it('leaves out fields without a value, and keeps all others in their order', () => {
    const fields = { b: 1, a: undefined, c: null, d: false, e: '', f: 0 };
    expect(Object.entries(compact(fields))).toEqual([
      ['b', 1],
      ['c', null],
      ['d', false],
      ['e', ''],
      ['f', 0],
    ]);
    expect(Object.keys(fields)).toHaveLength(6);
  });

  it('makes every field optional in its type, without undefined', () => {
    const name: string | undefined = undefined;
    expectTypeOf(compact({ name: name as string | undefined })).toEqualTypeOf<{ name?: string }>();
  });
});
