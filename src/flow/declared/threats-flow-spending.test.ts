/** Threat: a flow spends more than its limit by starting others. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Crib } from '../../contract/crib.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { createCrib } from '../../crib/create-crib.ts';

let crib: Crib | undefined;
afterEach(() => crib?.close());

let paid = 0;
const pay = defineTool({
  name: 'pay',
  description: 'Costs a dollar.',
  tier: 'read_only',
  cost: { model: 'usage_based', fixed: 1 },
  input: z.object({}),
  run: () => {
    paid += 1;
    return 'paid';
  },
});

const version = '1.0.0';

describe('limits.maxUsd of a flow', () => {
  it('covers the flow and all flows that it starts together, at any depth', async () => {
    paid = 0;
    const config = { budget: { dailyUsd: 100 } };
    crib = await createCrib({ store: 'memory', builtins: false, tools: [pay], config });
    const limits = { maxUsd: 2 };
    await crib.flows.registerData({
      name: 'inner',
      version,
      limits,
      steps: [{ id: 'pay', call: 'pay', input: {} }],
    });
    const items = { value: [1, 2, 3] };
    const onFailure = 'continue' as const;
    await crib.flows.registerData({
      name: 'middle',
      version,
      limits,
      steps: [{ id: 'each', flow: 'inner@1.0.0', forEach: { items, onFailure } }],
    });
    await crib.flows.registerData({
      name: 'top',
      version,
      limits,
      steps: [{ id: 'each', flow: 'middle@1.0.0', forEach: { items, onFailure } }],
    });
    const { runId, finished } = await crib.flows.start('top', {}, { userId: 'bo' });
    await finished;
    expect(paid).toBe(2);
    expect((await crib.flows.get(runId))?.cost).toMatchObject({ usd: 2, heldUsd: 0 });
  });
});
