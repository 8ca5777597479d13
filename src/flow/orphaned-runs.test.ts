/** Runs whose parent was ended by a process that died before it came to them. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aTool, type TestCrib, testCrib } from '../../test/fixtures/test-crib.ts';
import { ALLOW_ALL } from '../../test/fixtures/vendors/vendor-crib.ts';
import { defineFlow } from '../contract/define-flow.ts';
import type { FlowStatus } from '../contract/flow-store.ts';
import type { Store } from '../contract/store.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';

const NAP_MS = 60_000;

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const sent: unknown[] = [];
const send = aTool({ name: 'send', tier: 'write', run: (input: unknown) => void sent.push(input) });

const kid = defineFlow({
  name: 'kid',
  version: '1.0.0',
  input: z.object({ to: z.string() }),
  run: async (flow, { to }) => {
    await flow.sleep(NAP_MS);
    await flow.call(send, { to });
  },
});
const middle = defineFlow({
  name: 'middle',
  version: '1.0.0',
  run: (flow) => flow.child(kid, { to: 'bob' }, { key: 'kid' }),
});
const parent = defineFlow({
  name: 'parent',
  version: '1.0.0',
  run: (flow) =>
    Promise.all([
      flow.child(kid, { to: 'ada' }, { key: 'kid' }),
      flow.child(middle, {}, { key: 'middle' }),
    ]),
});

const KIDS = ['run.kid', 'run.middle.kid'];

/** Starts a run whose sub-flows sleep. */
const sleepingRun = async (): Promise<{ crib: TestCrib; store: Store }> => {
  sent.length = 0;
  const store = createMemoryStore();
  const crib = await testCrib([send], { store, policy: ALLOW_ALL });
  cleanup.push(() => crib.close());
  crib.flows.register(parent);
  const { finished } = await crib.flows.start('parent', {}, { runId: 'run' });
  finished.catch(() => undefined);
  for (const id of [...KIDS, 'run.middle', 'run']) {
    await expect.poll(async () => (await crib.flows.get(id))?.waitsFor).toBeDefined();
  }
  return { crib, store };
};

const statusesOf = async (crib: TestCrib, ids = KIDS): Promise<readonly unknown[]> =>
  Promise.all(ids.map(async (id) => (await crib.flows.get(id))?.status));

describe('threat: a process that is killed when it has ended a run and not yet its sub-flows', () => {
  it.each<FlowStatus>(['cancelled', 'failed'])(
    'leaves no sub-flow that makes effects after its parent is %s, at any depth',
    async (status) => {
      const { crib, store } = await sleepingRun();
      // What the killed process has written.
      await store.flows.change('run', { status, updatedAt: crib.runtime.now(), wakeAt: undefined });
      await crib.runtime.advance(NAP_MS);
      await expect.poll(() => statusesOf(crib)).toEqual(['cancelled', 'cancelled']);
      await expect.poll(() => statusesOf(crib, ['run.middle'])).toEqual(['cancelled']);
      expect(sent).toEqual([]);
    },
  );

  it('benign: sub-flows go on below a parent that goes on or is completed', async () => {
    const { crib, store } = await sleepingRun();
    const done = { status: 'completed' as const, updatedAt: crib.runtime.now(), wakeAt: undefined };
    await store.flows.change('run.middle', done);
    await crib.runtime.advance(NAP_MS);
    await expect.poll(() => statusesOf(crib)).toEqual(['completed', 'completed']);
    expect(sent).toHaveLength(2);
  });
});
