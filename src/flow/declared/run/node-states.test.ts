import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../contract/define-tool.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { FlowDataStep, FlowNodeState } from '../../../contract/flow-data.ts';
import { RetryPolicies } from '../../../contract/retry.ts';
import { createCribHost } from '../../../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const echo = defineTool({
  name: 'echo',
  description: 'Returns what it is given.',
  tier: 'read_only',
  input: z.looseObject({}),
  run: (input) => input,
});
const broken = defineTool({
  name: 'broken',
  description: 'Always fails.',
  tier: 'read_only',
  input: z.looseObject({}),
  run: () => {
    throw new Error('down');
  },
  retry: RetryPolicies.NONE,
});

/** Counts its calls, and fails so often. */
const flaky = () => {
  let calls = 0;
  return defineTool({
    name: 'flaky',
    description: 'Fails at first.',
    tier: 'read_only',
    retry: RetryPolicies.NONE,
    input: z.object({ fails: z.number().default(0) }),
    run: ({ fails }) => {
      calls += 1;
      if (calls <= fails) throw new ToolFailure('NETWORK', 'down');
      return calls === 1 ? { calls, first: true } : { calls };
    },
  });
};

/** Starts a flow of one step, answers its questions with no, and returns the state of a step. */
const stateOf = async (
  step: Omit<FlowDataStep, 'id'>,
  id = 'a',
): Promise<FlowNodeState | undefined> => {
  const crib = await createCribHost({
    store: 'memory',
    builtins: false,
    tools: [echo, broken, flaky()],
  });
  cleanup.push(() => crib.close());
  const steps = [{ id: 'a', ...step } as FlowDataStep];
  await crib.flows.registerData({ name: 'sample', version: '1.0.0', steps });
  const { runId, finished } = await crib.flows.start('sample', {});
  let isOver = false;
  void finished.then(() => {
    isOver = true;
  });
  await expect
    .poll(async () => {
      const [question] = await crib.approvals.list();
      if (question) await crib.approvals.decide(question.id, { approve: false, by: 'ada' });
      return isOver;
    })
    .toBe(true);
  return (await crib.flows.nodes(runId))?.nodes.find((node) => node.id === id);
};

describe('the state of a step', () => {
  it('is failed, with the error, when a person does not want it tried again', async () => {
    const state = await stateOf({ call: 'broken', input: {}, onError: 'manual' });
    expect(state).toMatchObject({ status: 'failed', error: { message: 'down' } });
    expect(state).not.toHaveProperty('data');
  });

  it('is failed when its condition does not hold and `else` says fail', async () => {
    const state = await stateOf({ call: 'echo', input: {}, when: 'false', else: 'fail' });
    expect(state).toMatchObject({ status: 'failed', error: { code: 'PRECONDITION_FAILED' } });
  });

  it('is failed when its input cannot be worked out', async () => {
    const state = await stateOf({ call: 'echo', input: { n: { from: 'input.n' } } });
    expect(state).toMatchObject({ status: 'failed' });
    expect(state?.error?.message).toContain('input.n');
  });

  it.each([
    ['condition', { call: 'echo', when: 'input.missing == 1' }],
    ['list of items', { call: 'echo', forEach: { items: { from: 'input.missing' } } }],
  ])('is failed in a conditional group when its %s cannot be worked out', async (_what, step) => {
    const inner = { id: 'inner', ...step };
    const group = { kind: 'conditional' as const, steps: [inner], onError: 'skip' as const };
    const state = await stateOf(group, 'inner');
    expect(state).toMatchObject({ status: 'failed' });
    expect(state?.error?.message).toContain('missing');
  });

  it('is failed when its call was made and its output cannot be worked out', async () => {
    const output = { from: 'steps.a.data.missing' };
    const state = await stateOf({ call: 'echo', input: { n: 1 }, output });
    expect(state).toMatchObject({ status: 'failed' });
    expect(state?.error?.message).toContain('steps.a.data.missing');
  });

  it('has the result that its output makes', async () => {
    const state = await stateOf({
      call: 'echo',
      input: { n: 1 },
      output: { cel: 'steps.a.data.n + 1.0' },
    });
    expect(state).toMatchObject({ status: 'done', data: 2 });
  });

  it('is failed with TIMEOUT when it sleeps for longer than its time', async () => {
    const state = await stateOf({ sleepMs: 60_000, timeoutMs: 20 });
    expect(state).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } });
  });
});

describe('the state of a step whose group was tried again', () => {
  const retry = { attempts: 2, delayMs: 1 };

  it('is done, with its result, when only its first try failed', async () => {
    const steps: FlowDataStep[] = [{ id: 'b', call: 'flaky', input: { fails: 1 } }];
    const state = await stateOf({ retry, steps }, 'b');
    expect(state).toMatchObject({ status: 'done', data: { calls: 2 }, attempts: 2 });
    expect(state).not.toHaveProperty('error');
  });

  it('is done when its condition did not hold at first', async () => {
    const steps: FlowDataStep[] = [
      { id: 'count', call: 'flaky', input: {} },
      { id: 'b', call: 'echo', input: { n: 1 }, when: 'steps.count.data.calls > 1.0' },
      { id: 'c', call: 'flaky', input: { fails: 2 } },
    ];
    expect(await stateOf({ retry, steps }, 'b')).toMatchObject({ status: 'done', data: { n: 1 } });
  });

  it('is failed when its input cannot be worked out any more', async () => {
    const steps: FlowDataStep[] = [
      { id: 'count', call: 'flaky', input: {} },
      { id: 'b', call: 'echo', input: { n: { from: 'steps.count.data.first' } } },
      { id: 'c', call: 'flaky', input: { fails: 2 } },
    ];
    const state = await stateOf({ retry, steps }, 'b');
    expect(state).toMatchObject({ status: 'failed' });
    expect(state?.error?.message).toContain('first');
  });

  it('is that of the last try of the outer group', async () => {
    const inner: FlowDataStep = {
      id: 'inner',
      retry,
      steps: [{ id: 'b', call: 'flaky', input: { fails: 3 } }],
    };
    const state = await stateOf({ retry, steps: [inner] }, 'b');
    expect(state).toMatchObject({ status: 'done', data: { calls: 4 }, attempts: 4 });
    expect(await stateOf({ retry, steps: [inner] }, 'inner')).toMatchObject({ status: 'done' });
  });
});

describe('the items of a list', () => {
  it('count once each, however often they were tried', async () => {
    const state = await stateOf({
      call: 'flaky',
      input: { fails: 1 },
      retry: { attempts: 2, delayMs: 1 },
      forEach: { items: [1, 2], maxConcurrency: 1 },
    });
    expect(state).toMatchObject({ status: 'done', items: { done: 2, failed: 0 } });
  });

  it('are counted for a group as well', async () => {
    const state = await stateOf({
      steps: [{ id: 'b', call: 'flaky', input: { fails: 1 } }],
      forEach: { items: [1, 2, 3], maxConcurrency: 1, onFailure: 'continue' },
    });
    expect(state).toMatchObject({ status: 'done', items: { done: 2, failed: 1 } });
  });
});
