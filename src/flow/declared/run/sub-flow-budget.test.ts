/** The budget of a flow pays for the flows and the composed tools that it starts, as they spend. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ToolContext } from '../../../contract/context.ts';
import { defineTool } from '../../../contract/define-tool.ts';
import type { FlowData } from '../../../contract/flow-data.ts';
import { createCribHost } from '../../../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

let paidCalls = 0;
const paid = defineTool({
  name: 'paid',
  description: 'Costs a quarter.',
  tier: 'read_only',
  cost: { model: 'usage_based', fixed: 0.25 },
  input: z.looseObject({}),
  run: async () => {
    paidCalls += 1;
    await new Promise((resolve) => setImmediate(resolve));
    return 'paid';
  },
});
const twice = defineTool({
  name: 'twice',
  description: 'Pays twice.',
  tier: 'read_only',
  callsTools: true,
  input: z.looseObject({}),
  run: async (_input, { call }: ToolContext) => {
    const results = await Promise.all([call('paid', {}), call('paid', {})]);
    return results.filter(({ success }) => success).length;
  },
});

const open = async () => {
  paidCalls = 0;
  const crib = await createCribHost({ store: 'memory', builtins: false, tools: [paid, twice] });
  cleanup.push(() => crib.close());
  return crib;
};

const eachItem = (call: string, limits?: FlowData['limits']): FlowData => ({
  name: 'inner',
  version: '1.0.0',
  ...(limits && { limits }),
  steps: [{ id: 'each', call, forEach: { items: [1, 2, 3, 4], onFailure: 'continue' } }],
});

const outer = (maxUsd: number): FlowData => ({
  name: 'outer',
  version: '1.0.0',
  kind: 'parallel',
  onFailure: 'continue',
  limits: { maxUsd },
  steps: [
    { id: 'own', call: 'paid', onError: 'skip' },
    { id: 'one', flow: 'inner@1.0.0', onError: 'skip' },
    { id: 'two', flow: 'inner@1.0.0', onError: 'skip' },
    { id: 'three', flow: 'inner@1.0.0', onError: 'skip' },
  ],
});

describe('the budget of a flow', () => {
  it.each(['paid', 'twice'])(
    'is never overspent by sub-flows that call %s at once',
    async (tool) => {
      const crib = await open();
      await crib.flows.registerData(eachItem(tool));
      await crib.flows.registerData(outer(1.25));
      const { runId, finished } = await crib.flows.start('outer', {});
      await finished;
      expect(paidCalls).toBe(5);
      expect(await crib.flows.get(runId)).toMatchObject({ cost: { usd: 1.25, heldUsd: 0 } });
    },
  );

  it('is narrowed by that of the sub-flow, and each run shows what it cost with all it started', async () => {
    const crib = await open();
    await crib.flows.registerData(eachItem('paid', { maxUsd: 0.5 }));
    await crib.flows.registerData(outer(100));
    const { runId, finished } = await crib.flows.start('outer', {});
    await finished;
    expect(await crib.flows.get(runId)).toMatchObject({ cost: { usd: 1.75 } });
    expect(await crib.flows.get(`${runId}.one`)).toMatchObject({ cost: { usd: 0.5 } });
  });

  it('counts what a sub-flow spends while it runs, not only when it has ended', async () => {
    const crib = await open();
    await crib.flows.registerData({
      name: 'inner',
      version: '1.0.0',
      steps: [
        { id: 'pay', call: 'paid' },
        { id: 'wait', waitFor: 'go' },
      ],
    });
    await crib.flows.registerData({
      name: 'outer',
      version: '1.0.0',
      kind: 'parallel',
      limits: { maxUsd: 0.25 },
      steps: [
        { id: 'sub', flow: 'inner@1.0.0' },
        {
          id: 'own',
          kind: 'sequential',
          steps: [
            { id: 'gate', waitFor: 'go' },
            { id: 'pay', call: 'paid' },
          ],
        },
      ],
    });
    const { runId, finished } = await crib.flows.start('outer', {});
    await expect.poll(async () => (await crib.flows.get(runId))?.cost.usd).toBe(0.25);
    await crib.flows.send(runId, 'go');
    expect(await finished).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
    expect(paidCalls).toBe(1);
  });
});
