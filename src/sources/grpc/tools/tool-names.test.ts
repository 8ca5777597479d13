import { describe, expect, it } from 'vitest';
import { createMethodFilter, toolNames } from './tool-names.ts';

describe('the names of the tools of methods', () => {
  it('have the package only when two would be equal, in any order of the methods', () => {
    const methods = [
      { service: 'a.v1.Users', method: 'Get' },
      { service: 'a.v2.Users', method: 'Get' },
      { service: 'a.v2.Users', method: 'List' },
    ];
    const expected = {
      '/a.v1.Users/Get': 'a_v1_Users_Get',
      '/a.v2.Users/Get': 'a_v2_Users_Get',
      '/a.v2.Users/List': 'Users_List',
    };
    expect(Object.fromEntries(toolNames(methods))).toEqual(expected);
    expect(Object.fromEntries(toolNames([...methods].reverse()))).toEqual(expected);
  });

  it('are at most 64 characters and unique, also where the shortened ones would be the same', () => {
    const long = 'x'.repeat(100);
    const methods = [`${long}a`, `${long}b`, '_', '__'].flatMap((method) => [
      { service: 'p.S', method },
      { service: 'p_S', method },
    ]);
    const names = [...toolNames(methods).values()];
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(methods.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9_]{0,63}$/);
  });
});

describe('the filter of methods', () => {
  const get = { service: 'shop.v1.Orders', method: 'Get' };
  it.each([
    [[], [], true],
    [['Orders'], [], true],
    [['shop.v1.Orders/Get'], [], true],
    [['shop.*'], [], true],
    [['*.Orders/G*t'], [], true],
    [['Users'], [], false],
    [['Order'], [], false],
    [['*a*a*'], [], false],
    [[], ['Orders/*'], false],
    [['Orders'], ['*/Put'], true],
  ])('with include %j and exclude %j says %s', (include, exclude, isWanted) => {
    expect(createMethodFilter(include, exclude)(get)).toBe(isWanted);
  });
});
