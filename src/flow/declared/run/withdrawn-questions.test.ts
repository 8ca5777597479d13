/** Questions of a run that is over are taken back: nobody can approve what nothing waits for. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineFlow } from '../../../contract/define-flow.ts';
import { defineTool } from '../../../contract/define-tool.ts';
import type { FlowDataStep } from '../../../contract/flow-data.ts';
import { createCribHost } from '../../../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const send = defineTool({
  name: 'send',
  description: 'Sends.',
  tier: 'external_api',
  input: z.looseObject({}),
  run: () => 'sent',
});

const open = async () => {
  const crib = await createCribHost({ store: 'memory', builtins: false, tools: [send] });
  cleanup.push(() => crib.close());
  return crib;
};
type Crib = Awaited<ReturnType<typeof open>>;

/** Says how each approval of the crib stands, of whatever state. */
const waiting = async (crib: Crib) => (await crib.approvals.list({ state: 'waiting' })).length;

const ASKS: readonly FlowDataStep[] = [
  { id: 'ask', approve: 'Go on?' },
  { id: 'call', call: 'send' },
];

describe('the questions of a run that is over', () => {
  it('are taken back when the run is out of time', async () => {
    const crib = await open();
    await crib.flows.registerData({
      name: 'sample',
      version: '1.0.0',
      kind: 'parallel',
      steps: ASKS,
      limits: { timeoutMs: 200 },
    });
    const { finished } = await crib.flows.start('sample', {});
    await expect.poll(() => waiting(crib)).toBe(2);
    expect(await finished).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } });
    await expect.poll(() => waiting(crib)).toBe(0);
  });

  it('are taken back when somebody cancels the run', async () => {
    const crib = await open();
    await crib.flows.registerData({
      name: 'sample',
      version: '1.0.0',
      kind: 'parallel',
      steps: ASKS,
    });
    const { runId } = await crib.flows.start('sample', {});
    await expect.poll(() => waiting(crib)).toBe(2);
    await crib.flows.cancel(runId);
    expect(await waiting(crib)).toBe(0);
  });

  it('are taken back when code fails beside them, or ends without their answers', async () => {
    for (const end of ['fails', 'completes'] as const) {
      const crib = await open();
      crib.flows.register(
        defineFlow({
          name: end,
          version: '1.0.0',
          run: async (flow) => {
            void flow.waitForApproval('Go on?');
            await flow.waitForEvent('end');
            if (end === 'fails') throw new Error('no');
          },
        }),
      );
      const { runId, finished } = await crib.flows.start(end, {});
      await expect.poll(() => waiting(crib)).toBe(1);
      await crib.flows.send(runId, 'end');
      expect((await finished).status).toBe(end === 'fails' ? 'failed' : 'completed');
      await expect.poll(() => waiting(crib)).toBe(0);
    }
  });
});
