import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { Precondition } from '../../contract/precondition.ts';

const condition = (description: string, critical: boolean, check: () => unknown): Precondition =>
  ({ type: 'custom', id: description, description, critical, check }) as Precondition;

describe('preconditions', () => {
  it('critical ones stop the call, all are named', async () => {
    const crib = await testCrib([
      aTool({
        preconditions: [
          condition('a browser', true, () => false),
          condition('a printer', true, () => {
            throw new Error('jam');
          }),
          condition('coffee', false, () => false),
        ],
      }),
    ]);
    const { error } = await crib.execute('echo', {});
    expect(error?.code).toBe('PRECONDITION_FAILED');
    expect(error?.suggestions).toEqual(['a browser', 'a printer']);
  });

  it('others mark the call degraded, and the tool sees that in its context', async () => {
    const crib = await testCrib([
      aTool({
        preconditions: [condition('coffee', false, () => Promise.resolve(false))],
        run: ((_input: unknown, context: { degraded: boolean }) => context.degraded) as never,
      }),
    ]);
    const result = await crib.execute('echo', {});
    expect([result.data, result.metadata.degraded]).toEqual([true, true]);
  });

  it('wait for a promise with a then of its own as the language does', async () => {
    const answer = Object.defineProperty(Promise.resolve(true), 'then', {
      value: () => undefined,
    });
    const crib = await testCrib([aTool({ preconditions: [condition('x', true, () => answer)] })]);
    expect((await crib.execute('echo', {})).success).toBe(true);
  });

  it('pass only when they return true', async () => {
    const crib = await testCrib([aTool({ preconditions: [condition('x', true, () => 'yes')] })]);
    expect((await crib.execute('echo', {})).success).toBe(false);
  });

  it('may read the state that effects left', async () => {
    const state = {
      type: 'state',
      state: 'ready',
      description: 'ready',
      critical: true,
      check: async (context: { memory: { read(scope: string, key: string): Promise<unknown> } }) =>
        (await context.memory.read('short-term', 'ready')) === true,
    };
    const makeReady = aTool({
      name: 'prepare',
      effects: [
        {
          type: 'state_change',
          description: '',
          reversible: true,
          state: 'ready',
          change: 'set',
          value: true,
        },
      ],
    });
    const crib = await testCrib([makeReady, aTool({ preconditions: [state as never] })]);
    expect((await crib.execute('echo', {})).error?.code).toBe('PRECONDITION_FAILED');
    await crib.execute('prepare', {});
    expect((await crib.execute('echo', {})).success).toBe(true);
    expect((await crib.execute('echo', {}, { userId: 'other' })).success).toBe(false);
  });
});
