import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { Effect } from '../../contract/effect.ts';

const base = { description: 'test effect', reversible: true } as const;

const peek = aTool({
  name: 'peek',
  run: (async (input: { key: string; scope: 'short-term' }, context: ToolContext) =>
    (await context.memory.read(input.scope ?? 'short-term', input.key)) ?? null) as never,
});

const withEffects = async (effects: readonly Effect[], run: () => unknown = () => ({ n: 5 })) => {
  const crib = await testCrib([aTool({ effects, run }), peek]);
  const read = async (key: string, scope = 'short-term') =>
    (await crib.execute('peek', { key, scope })).data;
  return { crib, read };
};

describe('effects', () => {
  it('change state: set, increment, decrement, clear', async () => {
    const { crib, read } = await withEffects([
      {
        ...base,
        type: 'state_change',
        state: 'a',
        change: 'set',
        value: ({ data }) => (data as { n: number }).n,
      },
      { ...base, type: 'state_change', state: 'count', change: 'increment' },
      { ...base, type: 'state_change', state: 'count', change: 'increment', value: 10 },
      { ...base, type: 'state_change', state: 'count', change: 'decrement', value: 4 },
      { ...base, type: 'state_change', state: 'gone', change: 'set', value: 1 },
      { ...base, type: 'state_change', state: 'gone', change: 'clear' },
    ]);
    expect((await crib.execute('echo', {})).success).toBe(true);
    expect([await read('a'), await read('count'), await read('gone')]).toEqual([5, 7, null]);
  });

  it('write, update and delete memory in its scopes', async () => {
    const { crib, read } = await withEffects([
      {
        ...base,
        type: 'memory',
        scope: 'long-term',
        operation: 'write',
        key: 'k',
        value: { a: 1 },
      },
      {
        ...base,
        type: 'memory',
        scope: 'long-term',
        operation: 'update',
        key: 'k',
        value: { b: 2 },
      },
      {
        ...base,
        type: 'memory',
        scope: 'short-term',
        operation: 'write',
        key: 'brief',
        value: 1,
        ttlMs: 1000,
      },
      { ...base, type: 'memory', scope: 'short-term', operation: 'delete', key: 'never' },
    ]);
    await crib.execute('echo', {});
    expect(await read('k', 'long-term')).toEqual({ a: 1, b: 2 });
    expect(await read('brief')).toBe(1);
    await crib.runtime.advance(1001);
    expect(await read('brief')).toBeNull();
  });

  it('are rolled back in reverse when one fails', async () => {
    const order: string[] = [];
    const step = (name: string, reversible = true): Effect => ({
      type: 'notification',
      event: name,
      description: name,
      reversible,
      apply: () => {
        order.push(`apply ${name}`);
        if (name === 'bad') throw new Error('cannot');
      },
      rollback: () => {
        order.push(`roll back ${name}`);
      },
    });
    const { crib } = await withEffects([
      step('one'),
      step('fixed', false),
      step('two'),
      step('bad'),
      step('never'),
    ]);
    const result = await crib.execute('echo', {});
    expect(result.error?.code).toBe('EFFECT_FAILED');
    expect(order).toEqual([
      'apply one',
      'apply fixed',
      'apply two',
      'apply bad',
      'roll back two',
      'roll back one',
    ]);
  });

  it('built-in kinds restore what was there', async () => {
    const failing: Effect = {
      ...base,
      type: 'notification',
      event: 'x',
      apply: () => {
        throw new Error('no');
      },
    };
    const { crib, read } = await withEffects([
      { ...base, type: 'state_change', state: 'count', change: 'increment' },
      { ...base, type: 'memory', scope: 'short-term', operation: 'write', key: 'fresh', value: 1 },
      failing,
    ]);
    await crib.execute('echo', {});
    expect([await read('count'), await read('fresh')]).toEqual([0, null]);
  });

  it('rolling back an increment keeps what another call added meanwhile', async () => {
    const { crib, read } = await withEffects([
      { ...base, type: 'state_change', state: 'count', change: 'increment', value: 5 },
      {
        ...base,
        type: 'notification',
        event: 'x',
        apply: async ({ memory }) => {
          await memory.update('short-term', 'count', (old) => Number(old) + 100);
          throw new Error('no');
        },
      },
    ]);
    await crib.execute('echo', {});
    expect(await read('count')).toBe(100);
  });

  it('EFFECT_FAILED names the effects that stand, as data', async () => {
    const order = { ...base, type: 'notification', event: 'x', apply: () => undefined } as const;
    const { crib } = await withEffects([
      { ...order, description: 'mail sent', reversible: false },
      { ...order, description: 'row written', rollback: () => undefined },
      { ...order, description: 'event told', reversible: true },
      {
        ...order,
        description: 'fails',
        apply: () => {
          throw new Error('no');
        },
      },
    ]);
    const { error } = await crib.execute('echo', {});
    expect(error).toMatchObject({ code: 'EFFECT_FAILED', standing: ['mail sent', 'event told'] });
    expect(error?.suggestions[0]).toBe(
      '2 of the 3 effects before it still stand: mail sent; event told.',
    );
  });

  it('a rollback that fails does not keep the others from it', async () => {
    const order: string[] = [];
    const make = (name: string, rollback: () => void, apply = () => undefined): Effect => ({
      ...base,
      type: 'notification',
      event: name,
      apply,
      rollback,
    });
    const { crib } = await withEffects([
      make('a', () => {
        order.push('a');
      }),
      make('b', () => {
        throw new Error('stuck');
      }),
      make(
        'c',
        () => undefined,
        () => {
          throw new Error('fails');
        },
      ),
    ]);
    const { error } = await crib.execute('echo', {});
    expect(order).toEqual(['a']);
    expect(error?.suggestions[0]).toContain('1 of the 2 effects');
  });

  it('notifications go to the event bus', async () => {
    const { crib } = await withEffects([
      { ...base, type: 'notification', event: 'order.shipped', payload: ({ data }) => data },
    ]);
    const seen: unknown[] = [];
    crib.events.on('effect.notified', ({ event, payload }) => seen.push([event, payload]));
    await crib.execute('echo', {});
    expect(seen).toEqual([['order.shipped', { n: 5 }]]);
  });

  it('cascades run another tool through the pipeline when their condition holds', async () => {
    const seen: unknown[] = [];
    const second = aTool({ name: 'second', run: ((input: unknown) => seen.push(input)) as never });
    const cascade = (when: boolean): Effect => ({
      ...base,
      type: 'cascade',
      triggerTool: 'second',
      triggerCondition: () => when,
      input: ({ data }) => data,
    });
    const crib = await testCrib([
      aTool({ effects: [cascade(true), cascade(false)], run: () => ({ n: 5 }) }),
      second,
    ]);
    await crib.execute('echo', {});
    expect(seen).toEqual([{ n: 5 }]);
    const rows = await crib.audit.query({ tool: 'second' });
    expect(rows[0]?.detail.parent).toBeTypeOf('string');
  });

  it('a cascade that fails fails the effect', async () => {
    const { crib } = await withEffects([
      { ...base, type: 'cascade', triggerTool: 'missing', input: {} },
    ]);
    expect((await crib.execute('echo', {})).error?.code).toBe('EFFECT_FAILED');
  });

  it('do not happen after a failed run or in a dry run', async () => {
    const seen: string[] = [];
    const effect: Effect = {
      ...base,
      type: 'notification',
      event: 'e',
      apply: () => {
        seen.push('x');
      },
    };
    const { crib } = await withEffects([effect], () => {
      throw new Error('no');
    });
    await crib.execute('echo', {});
    const fine = await withEffects([effect]);
    await fine.crib.execute('echo', {}, { dryRun: true });
    expect(seen).toEqual([]);
  });
});
