/** What the trail says of the effect of a call. */
import { expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';

it.each([
  ['succeeds all the same', false, 'success', 'none'],
  ['fails with it', true, 'failure', 'not_done'],
])(
  'a read-only call whose inner call was refused by the store, and which %s, has its effect on record',
  async (_how, isFailing, status, effect) => {
    const store = createMemoryStore();
    const intend = () => Promise.reject(new ToolFailure('STORE_UNAVAILABLE', 'The disk is full.'));
    const audit = new Proxy(store.audit, {
      get: (target, name) => (name === 'intend' ? intend : Reflect.get(target, name)),
    });
    const outer = aTool({
      name: 'outer',
      run: async (_input, { call }) => {
        const { success } = await call('inner', {});
        if (isFailing && !success) throw new Error('The inner call failed.');
      },
    });
    const inner = aTool({ name: 'inner', tier: 'write' });
    const crib = await testCrib([outer, inner], { store: { ...store, audit } });
    const { metadata } = await crib.execute('outer', {});
    const { executionId } = metadata;
    expect(await store.audit.query({ executionId })).toMatchObject([
      { status, detail: { effect } },
    ]);
    expect((await crib.executions.status(executionId))?.effect).toBe(effect);
  },
);
