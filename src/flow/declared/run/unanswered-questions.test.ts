/** A failed step asks a person whether to try it again, and nobody answers, or what it is part of has ended. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../contract/define-tool.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { FlowDataStep } from '../../../contract/flow-data.ts';
import { RetryPolicies } from '../../../contract/retry.ts';
import { createCribHost } from '../../../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const odd = defineTool({
  name: 'odd',
  description: 'Refuses odd numbers.',
  tier: 'read_only',
  retry: RetryPolicies.NONE,
  input: z.object({ n: z.number() }),
  run: ({ n }) => {
    if (n % 2 === 1) throw new ToolFailure('EXECUTION_FAILED', `${n} is odd.`);
    return n;
  },
});

const start = async (step: Partial<FlowDataStep>, expiresMinutes = 60) => {
  const crib = await createCribHost({
    store: 'memory',
    builtins: false,
    tools: [odd],
    config: { approvals: { expiresMinutes } },
  });
  cleanup.push(() => crib.close());
  const asking: FlowDataStep = { id: 'each', call: 'odd', onError: 'manual', ...step };
  await crib.flows.registerData({ name: 'sample', version: '1.0.0', steps: [asking] });
  return { crib, ...(await crib.flows.start('sample', {})) };
};

const SOON_MINUTES = 0.005;
const item = { n: { from: 'item' } };

describe('the question of a failed step that nobody answers', () => {
  it('leaves the other items of a list alone and counts its own as failed', async () => {
    const { finished } = await start(
      { input: item, forEach: { items: [1, 2, 4], onFailure: 'continue' } },
      SOON_MINUTES,
    );
    expect(await finished).toMatchObject({
      status: 'completed',
      output: { count: 3, done: 2, failed: 1, results: [null, 2, 4] },
    });
  });

  it('fails the step with its own error, which says that nobody answered', async () => {
    const { finished } = await start({ input: { n: 1 } }, SOON_MINUTES);
    const { error } = await finished;
    expect(error).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(error?.message).toContain('1 is odd.');
    expect(error?.message).toContain('(nobody answered)');
  });
});

describe('a list of which two items ask', () => {
  it('fails with the error of the item to which a person said no', async () => {
    const { crib, runId, finished } = await start({ input: item, forEach: { items: [1, 3] } });
    await expect.poll(() => crib.approvals.list()).toHaveLength(2);
    const questions = await crib.approvals.list();
    const second = questions.find(({ request }) => JSON.stringify(request).includes('3 is odd.'));
    await crib.approvals.decide(second?.id ?? '', { approve: false, by: 'ada' });
    const { error } = await finished;
    expect(error).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(error?.message).toContain('1 of 2 items failed: 3 is odd.');
    const [node] = (await crib.flows.nodes(runId))?.nodes ?? [];
    expect(node).toMatchObject({ status: 'failed', error: { code: 'EXECUTION_FAILED' } });
  });
});
