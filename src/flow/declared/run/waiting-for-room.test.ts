/** A call that waits until the machine has room for its tool can be cancelled like one that runs. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../contract/define-tool.ts';
import type { FlowDataStep } from '../../../contract/flow-data.ts';
import { createCribHost } from '../../../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

/** Holds the whole machine until the test ends the call; counts how often it runs. */
const open = async () => {
  let end = (): void => undefined;
  let runs = 0;
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const heavy = defineTool({
    name: 'heavy',
    description: 'Needs the whole machine.',
    tier: 'read_only',
    resourceRequirements: { cpu: '100000%' },
    input: z.object({}),
    run: async () => {
      runs += 1;
      await held;
      return 'done';
    },
  });
  const crib = await createCribHost({ store: 'memory', builtins: false, tools: [heavy] });
  cleanup.push(() => crib.close(), end);
  const first = crib.chains.execute([{ tool: 'heavy', input: {} }]);
  await expect.poll(() => runs).toBe(1);
  return { crib, end, first, runs: () => runs };
};

const heavyStep: FlowDataStep = { id: 'heavy', call: 'heavy', input: {} };
const version = '1.0.0';

describe('a call that waits for room on the machine', () => {
  it('ends with the time of its run', async () => {
    const { crib, runs } = await open();
    await crib.flows.registerData({
      name: 'sample',
      version,
      steps: [heavyStep],
      limits: { timeoutMs: 50 },
    });
    const { finished } = await crib.flows.start('sample', {});
    expect(await finished).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } });
    expect(runs()).toBe(1);
  });

  it('ends with the time of the group around it, and the run goes on', async () => {
    const { crib, runs } = await open();
    const group: FlowDataStep = { id: 'g', timeoutMs: 50, onError: 'skip', steps: [heavyStep] };
    await crib.flows.registerData({ name: 'sample', version, steps: [group] });
    const { finished } = await crib.flows.start('sample', {});
    expect((await finished).status).toBe('completed');
    expect(runs()).toBe(1);
  });

  it('waits no more once its run is cancelled', async () => {
    const { crib } = await open();
    await crib.flows.registerData({ name: 'sample', version, steps: [heavyStep] });
    const { runId } = await crib.flows.start('sample', {});
    const waiting = async () => (await crib.chains.resources()).waiting;
    await expect.poll(waiting).toBe(1);
    await crib.flows.cancel(runId);
    await expect.poll(waiting).toBe(0);
  });

  it('ends with the signal of its chain', async () => {
    const { crib, runs } = await open();
    const controller = new AbortController();
    const { signal } = controller;
    const chain = crib.chains.execute([{ tool: 'heavy', input: {} }], {}, { signal });
    await expect.poll(async () => (await crib.chains.resources()).waiting).toBe(1);
    controller.abort();
    const { results } = await chain;
    expect(results[0]?.result).toMatchObject({ success: false, error: { code: 'CANCELLED' } });
    expect(runs()).toBe(1);
  });
});
