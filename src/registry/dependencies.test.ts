import { beforeEach, describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import { defineTool } from '../contract/define-tool.ts';
import type { Dependency } from '../contract/tool.ts';
import { createRegistry, type Registry } from './registry.ts';

let registry: Registry;
beforeEach(() => {
  registry = createRegistry({ runtime: fakeRuntime() });
});
const add = (name: string, needs: readonly (string | Dependency)[] = [], version = '1.0.0'): void =>
  registry.register(
    defineTool({
      name,
      version,
      description: '',
      tier: 'read_only',
      input: { type: 'object' },
      dependencies: needs.map((need) => (typeof need === 'string' ? { tool: need } : need)),
      aliases: [`alias-${name}`],
      run: () => 1,
    }),
  );

describe('dependencies', () => {
  it('list every tool after what it needs', () => {
    add('app', ['db', 'log']);
    add('db', ['log', 'net']);
    add('log');
    add('net', ['log']);
    const { order, ok } = registry.dependencies();
    expect(ok).toBe(true);
    for (const [first, then] of [
      ['log', 'db'],
      ['net', 'db'],
      ['db', 'app'],
      ['log', 'net'],
    ]) {
      expect(order.indexOf(first ?? '')).toBeLessThan(order.indexOf(then ?? ''));
    }
    expect(order).toHaveLength(4);
  });

  it('cover one tool and what it reaches only', () => {
    add('a', ['b']);
    add('b');
    add('broken', ['nowhere']);
    expect(registry.dependencies('a')).toEqual({
      order: ['b', 'a'],
      missing: [],
      cycles: [],
      ok: true,
    });
    expect(registry.dependencies('alias-a').order).toEqual(['b', 'a']);
    expect(() => registry.dependencies('zz')).toThrow(
      expect.objectContaining({ code: 'TOOL_NOT_FOUND' }),
    );
  });

  it('name what is missing, and the range that is not met', () => {
    add('a', [
      'nowhere',
      { tool: 'b', range: '^2' },
      { tool: 'b', range: '>=1 <2' },
      { tool: 'b', range: '??' },
    ]);
    add('b');
    const { missing, ok, order } = registry.dependencies();
    expect(ok).toBe(false);
    expect(missing).toEqual([
      { tool: 'a', needs: 'nowhere' },
      { tool: 'a', needs: 'b@^2 (active is 1.0.0)' },
      { tool: 'a', needs: 'b@?? (not a version range)' },
    ]);
    expect(order).toEqual(['b', 'a']);
  });

  it('check the active version, which is the one that would be called', () => {
    add('a', [{ tool: 'b', range: '^1' }]);
    add('b');
    add('b', [], '2.0.0');
    expect(registry.dependencies().ok).toBe(false);
    registry.setActive('b', '1.0.0');
    expect(registry.dependencies().ok).toBe(true);
  });

  it('name every tool of a cycle, and a tool that needs itself', () => {
    add('a', ['b']);
    add('b', ['c', 'free']);
    add('c', ['alias-a']);
    add('free');
    add('self', ['self']);
    const { cycles, order, ok } = registry.dependencies();
    expect(ok).toBe(false);
    expect(cycles.map((names) => [...names].sort())).toEqual([['a', 'b', 'c'], ['self']]);
    expect([...order].sort()).toEqual(['a', 'b', 'c', 'free', 'self']);
  });

  it('do not overflow the stack on a chain of 20,000 tools', () => {
    for (let at = 0; at < 20_000; at += 1) add(`t${at}`, at < 19_999 ? [`t${at + 1}`] : []);
    const { order, ok } = registry.dependencies();
    expect([ok, order[0], order.at(-1)]).toEqual([true, 't19999', 't0']);
  });
});
