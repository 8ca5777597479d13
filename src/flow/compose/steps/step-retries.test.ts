/** A step of a composition that is tried again waits as long as it is told, and is paid for each time. */
import { afterEach, expect, it } from 'vitest';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { RetryPolicies } from '../../../contract/retry.ts';
import type { Tool } from '../../../contract/tool.ts';
import { createCribHost } from '../../../crib/create-crib.ts';
import { createComposition } from '../create-composition.ts';

const open: CribHost[] = [];
afterEach(async () => {
  for (const crib of open.splice(0)) await crib.close();
});

/** A tool that is busy at its first call, and the moments at which it was called. */
const busyAtFirst = (retryAfterMs: number, more: Partial<Tool> = {}) => {
  const calledAt: number[] = [];
  const tool = aTool({
    name: 'busy',
    retry: RetryPolicies.NONE,
    run: () => {
      calledAt.push(performance.now());
      if (calledAt.length > 1) return { done: true };
      throw new ToolFailure('RATE_LIMITED', 'Not now.', { retryAfterMs });
    },
    ...(more as object),
  });
  return { tool, calledAt };
};

const retrying = (tool: Tool, more: object = {}) =>
  createComposition(
    {
      type: 'composed',
      name: 'whole',
      description: 'Tries again.',
      schema: { type: 'object' },
      composition: {
        steps: [{ id: 'a', tool: 'busy', ...more }],
        errorHandling: { strategy: 'retry', maxRetries: 3 },
      },
    },
    [tool],
  );

const run = async (tool: Tool, whole: Tool) => {
  const crib = await createCribHost({ store: 'memory', builtins: false, tools: [tool, whole] });
  open.push(crib);
  return crib.execute('whole', {});
};

it('a step that is tried again waits until its tool can be called', async () => {
  const { tool, calledAt } = busyAtFirst(80);
  const result = await run(tool, await retrying(tool));
  expect(result.data).toMatchObject({ steps: [{ id: 'a', attempts: 2 }] });
  const [first = 0, second = 0] = calledAt;
  expect(second - first).toBeGreaterThanOrEqual(75);
});

it('a step is not tried again whose tool rests for longer than the step may take', async () => {
  const { tool, calledAt } = busyAtFirst(60_000);
  const { error } = await run(tool, await retrying(tool, { timeoutMs: 1_000 }));
  expect(error?.code).toBe('RATE_LIMITED');
  expect(calledAt).toHaveLength(1);
});

it('a step that waits for its next try ends when the whole is out of time', async () => {
  const { tool, calledAt } = busyAtFirst(10_000, { timeoutMs: 20_000 });
  const whole = { ...(await retrying(tool)), timeoutMs: 50 };
  const startedAt = performance.now();
  expect((await run(tool, whole)).error?.code).toBe('TIMEOUT');
  expect(performance.now() - startedAt).toBeLessThan(8_000);
  expect(calledAt).toHaveLength(1);
});

it('a composition has time for each try of a step, and for the wait before it', async () => {
  const { tool } = busyAtFirst(1, { timeoutMs: 1_000 });
  // Four tries and three waits, each as long as a try at most.
  expect(await retrying(tool)).toMatchObject({ timeoutMs: 7_000 });
  expect(await retrying(tool, { timeoutMs: 100 })).toMatchObject({ timeoutMs: 700 });
});

it('the estimate of a composition counts each try of a step', async () => {
  const { tool } = busyAtFirst(1, { cost: { model: 'usage_based', fixed: 0.5 } });
  const whole = await retrying(tool);
  expect(whole.estimate?.({})).toMatchObject({ cost: 2 });
});
