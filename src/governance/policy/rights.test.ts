import { describe, expect, it } from 'vitest';
import { someCaller, someTool } from '../../../test/fixtures/policy-question.ts';
import type { Isolation } from '../../contract/caller.ts';
import { isHeld, missingPermissions, rightsOf } from './rights.ts';

describe('rights', () => {
  const roles = new Map([
    ['reader', { permissions: ['tool:read'] }],
    ['guest', { isolation: 'strict' as const }],
    ['tester', { permissions: ['tool:test'], isolation: 'basic' as const }],
  ]);

  it('are those of the caller where no role adds any', () => {
    const caller = someCaller({ roles: ['stranger'] });
    expect(rightsOf(new Map(), caller)).toBe(caller);
    expect(rightsOf(roles, caller)).toBe(caller);
  });

  it('add up, and the strictest isolation counts', () => {
    const own = { permissions: ['a'], isolation: 'basic' } as const;
    expect(rightsOf(roles, someCaller({ ...own, roles: ['reader', 'guest', 'tester'] }))).toEqual({
      permissions: ['a', 'tool:read', 'tool:test'],
      isolation: 'strict',
    });
    const paranoid = someCaller({ isolation: 'paranoid', roles: ['tester'] });
    expect(rightsOf(roles, paranoid).isolation).toBe('paranoid');
  });

  it('count an unknown isolation as the strictest', () => {
    const caller = someCaller({ isolation: 'toString' as Isolation });
    expect(rightsOf(new Map(), caller).isolation).toBe('paranoid');
  });
});

describe('permissions', () => {
  it.each([
    [['*'], true],
    [['tool:a'], true],
    [['tool:*'], true],
    [['x', 'tool:*'], true],
    [[], false],
    [['tool'], false],
    [['tool:'], false],
    [['tool:ab'], false],
    [['tool*'], false],
    [['too:*'], false],
  ])('%j: holds tool:a is %s', (held, expected) => {
    expect(isHeld(held, 'tool:a')).toBe(expected);
  });

  it('that are missing are named', () => {
    const rights = { permissions: ['tool:*'], isolation: 'none' } as const;
    expect(missingPermissions(someTool(), rights)).toEqual([]);
    expect(missingPermissions(someTool({ permissions: ['tool:a', 'net:b'] }), rights)).toEqual([
      'net:b',
    ]);
  });
});

describe('threat: a list of permissions that leaves the rest open', () => {
  const caller = { permissions: ['tool:reader'], isolation: 'none' } as const;

  it('a tool that names no permission needs the one of its name', () => {
    expect(missingPermissions(someTool({ name: 'reader' }), caller)).toEqual([]);
    expect(missingPermissions(someTool({ name: 'writer' }), caller)).toEqual(['tool:writer']);
  });

  it('one that says it needs none needs none, and who holds all lacks nothing', () => {
    expect(missingPermissions(someTool({ name: 'writer', permissions: [] }), caller)).toEqual([]);
    const all = { permissions: ['*'], isolation: 'none' } as const;
    expect(missingPermissions(someTool({ name: 'writer' }), all)).toEqual([]);
  });
});
