/** Undos of a failed run that say what they could not take back of its sub-flows. */
import { afterEach, describe, expect, it } from 'vitest';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { Crib } from '../../contract/crib.ts';
import type { FlowData } from '../../contract/flow-data.ts';
import type { JournalStep } from '../../contract/flow-store.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import { createCribHost } from '../../crib/create-crib.ts';
import type { CribOptions } from '../../crib/crib-options.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

type Policy = NonNullable<CribOptions['policy']>;

const ASKS: Policy = {
  version: 1,
  rules: [
    { name: 'undo', effect: 'ask', tools: ['toolcrib:undo'], everyTime: true },
    { name: 'all', effect: 'allow', tools: ['*'] },
  ],
};

const undone: unknown[] = [];
const send = aTool({
  name: 'send',
  tier: 'write',
  undo: (async ({ to }: { to: string }) => void undone.push(to)) as never,
});
const fails = aTool({
  name: 'fails',
  retry: RetryPolicies.NONE,
  run: () => {
    throw new Error('The service is down.');
  },
});

const sendTo = (to: string) => ({ id: `to_${to}`, call: 'send', input: { to } });
const FAIL = { id: 'fail', call: 'fails', input: {} };
const flowOf = (name: string, steps: FlowData['steps']): FlowData => ({
  ...{ name, version: '1.0.0', steps, undoOnFailure: true },
});

const open = async (policy: Policy, flows: readonly FlowData[]) => {
  undone.length = 0;
  const store = createMemoryStore();
  const crib = await createCribHost({ builtins: false, tools: [send, fails], store, policy });
  cleanup.push(() => crib.close());
  for (const flow of flows) await crib.flows.registerData(flow);
  return { crib, store };
};

const undosOf = async (crib: Crib): Promise<readonly JournalStep[]> =>
  (await crib.flows.steps('run')).filter(({ kind }) => kind === 'undo');

/** Approves what is asked until the run is over. */
const approveAll = async (crib: Crib): Promise<void> => {
  const isOver = async (): Promise<boolean> => {
    for (const { id, state } of await crib.approvals.list()) {
      if (state === 'waiting') await crib.approvals.decide(id, { approve: true, by: 'ada' });
    }
    return (await crib.flows.get('run'))?.status === 'failed';
  };
  await expect.poll(isOver).toBe(true);
};

describe('threat: the undo of a run that passes over what its sub-flow has left', () => {
  it('undoes the calls that a cancelled sub-flow was about to undo and did not', async () => {
    const { crib } = await open(ASKS, [
      flowOf('sub', [sendTo('bob'), sendTo('cy'), FAIL]),
      flowOf('main', [sendTo('ada'), { id: 'sub', flow: 'sub@1.0.0' }]),
    ]);
    await crib.flows.start('main', {}, { runId: 'run' });
    const waitsFor = async () => (await crib.flows.get('run.sub'))?.waitsFor?.[0] ?? '';
    await expect.poll(waitsFor).toContain('approval:');
    expect(await crib.flows.cancel('run.sub')).toBe(true);
    await approveAll(crib);
    expect(undone).toEqual(['cy', 'bob', 'ada']);
    expect((await undosOf(crib)).map(({ state }) => state)).toEqual(['done', 'done', 'done']);
  });
});
