import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { FlowData } from '../../contract/flow-data.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import { createCribHost } from '../../crib/create-crib.ts';
import type { CribOptions } from '../../crib/crib-options.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const calls: string[] = [];
let running = 0;
let most = 0;
const echo = defineTool({
  name: 'echo',
  description: 'Returns what it is given.',
  tier: 'read_only',
  input: z.looseObject({}),
  run: async (input) => {
    calls.push(JSON.stringify(input));
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return input;
  },
});
const failures = new Map<string, number>();
const flaky = defineTool({
  name: 'flaky',
  description: 'Fails so often.',
  tier: 'read_only',
  input: z.object({ name: z.string(), times: z.number(), code: z.string().optional() }),
  run: ({ name, times, code = 'NETWORK' }) => {
    const failed = failures.get(name) ?? 0;
    if (failed >= times) return { failed };
    failures.set(name, failed + 1);
    throw new ToolFailure(code as 'NETWORK', `down ${failed + 1}`);
  },
  retry: RetryPolicies.NONE,
});
const sent: string[] = [];
const send = defineTool({
  name: 'send',
  description: 'Sends a text.',
  tier: 'external_api',
  input: z.object({ text: z.string() }),
  run: ({ text }) => {
    sent.push(text);
    return { sent: text };
  },
});

const open = async (options: CribOptions = {}) => {
  calls.length = 0;
  most = 0;
  failures.clear();
  sent.length = 0;
  const crib = await createCribHost({
    store: 'memory',
    builtins: false,
    tools: [echo, flaky, send],
    ...options,
  });
  cleanup.push(() => crib.close());
  return crib;
};

type Part = Partial<FlowData> & Pick<FlowData, 'steps'>;

const flowOf = (part: Part): FlowData => ({ name: 'sample', version: '1.0.0', ...part });

const run = async (part: Part, input: unknown = {}, options: CribOptions = {}) => {
  const crib = await open(options);
  await crib.flows.registerData(flowOf(part));
  const { runId, finished } = await crib.flows.start('sample', input);
  const end = await finished;
  const { nodes } = (await crib.flows.nodes(runId)) ?? { nodes: [] };
  const states = Object.fromEntries(nodes.map(({ id, status }) => [id, status]));
  return { crib, runId, end, nodes, states };
};

const say = (id: string, text: unknown = id) => ({ id, call: 'echo', input: { text } });

describe('the five kinds', () => {
  it('sequential runs one step after the other and hands results on', async () => {
    const { end, states } = await run(
      { steps: [say('a', { from: 'input.x' }), say('b', { cel: 'steps.a.data.text + "!"' })] },
      { x: 'hi' },
    );
    expect(end).toMatchObject({ status: 'completed', output: { text: 'hi!' } });
    expect(states).toEqual({ a: 'done', b: 'done' });
  });

  it('parallel runs all steps at once and gives their results by id', async () => {
    const { end } = await run({ kind: 'parallel', steps: [say('a'), say('b'), say('c')] });
    expect(end.output).toEqual({ a: { text: 'a' }, b: { text: 'b' }, c: { text: 'c' } });
    expect(most).toBe(3);
  });

  it('conditional runs the first step whose condition holds and skips the others', async () => {
    const steps = [
      { ...say('small'), when: 'input.n < 10' },
      { ...say('middle'), when: 'input.n < 100' },
      say('large'),
    ];
    const { end, nodes } = await run({ kind: 'conditional', steps }, { n: 50 });
    expect(end.output).toEqual({ text: 'middle' });
    expect(nodes.map(({ status, because }) => [status, because])).toEqual([
      ['skipped', 'its condition does not hold'],
      ['done', undefined],
      ['skipped', 'middle was chosen'],
    ]);
  });

  it('conditional fails with NO_BRANCH_MATCHED when nothing fits', async () => {
    const { end } = await run({ kind: 'conditional', steps: [{ ...say('a'), when: 'false' }] });
    expect(end).toMatchObject({ status: 'failed', error: { code: 'NO_BRANCH_MATCHED' } });
  });

  it('dag runs each step after those that it names', async () => {
    const { end } = await run({
      kind: 'dag',
      steps: [
        { ...say('d', { cel: 'steps.b.data.text + steps.c.data.text' }), after: ['b', 'c'] },
        { ...say('b', { from: 'steps.a.data.text' }), after: ['a'] },
        { ...say('c'), after: ['a'] },
        say('a'),
      ],
    });
    expect(end.output).toEqual({ text: 'ac' });
    expect(calls[0]).toBe('{"text":"a"}');
  });

  it('pipeline hands each step what the one before returned', async () => {
    const { end } = await run(
      {
        kind: 'pipeline',
        steps: [
          { id: 'a', call: 'echo', output: { text: { cel: 'steps.a.data.text + "1"' } } },
          { id: 'b', call: 'echo', when: 'false' },
          { id: 'c', call: 'echo' },
        ],
      },
      { text: 'x' },
    );
    expect(end.output).toEqual({ text: 'x1' });
  });

  it('groups nest, and their steps see those before the group', async () => {
    const { end, states } = await run({
      steps: [
        say('a'),
        {
          id: 'group',
          kind: 'parallel',
          steps: [say('b', { from: 'steps.a.data.text' }), say('c')],
        },
        say('d', { cel: 'steps.group.data.b.text + steps.group.data.c.text' }),
      ],
    });
    expect(end.output).toEqual({ text: 'ac' });
    expect(states).toEqual({ a: 'done', group: 'done', b: 'done', c: 'done', d: 'done' });
  });
});

describe('joins', () => {
  const bad = (id: string, after?: string[]) => ({
    id,
    call: 'flaky',
    input: { name: id, times: 9 },
    ...(after && { after }),
  });
  const three = [say('a'), say('b'), bad('c')];

  it.each([
    ['all_success', 'skipped'],
    ['any_success', 'done'],
    ['majority', 'done'],
    [{ custom: 'steps.c.status == "failure"' }, 'done'],
    [{ custom: 'steps.c.success' }, 'skipped'],
  ] as const)('with %j and one failure of three the step is %s', async (join, expected) => {
    const { states, nodes, end } = await run({
      kind: 'dag',
      onFailure: 'continue',
      steps: [...three, { ...say('d'), after: ['a', 'b', 'c'], join }],
    });
    expect(states).toEqual({ a: 'done', b: 'done', c: 'failed', d: expected });
    expect(end.status).toBe(expected === 'done' ? 'completed' : 'failed');
    if (expected === 'skipped') expect(nodes[3]?.because).toBe('c failed');
  });

  it('the join of the flow decides whether the run succeeded', async () => {
    const steps = three;
    const flow = { kind: 'parallel', onFailure: 'continue', steps } as const;
    expect((await run({ ...flow, join: 'majority' })).end.output).toMatchObject({ a: {}, b: {} });
    expect((await run(flow)).end).toMatchObject({ status: 'failed', error: { code: 'NETWORK' } });
  });
});

describe('the input of a run', () => {
  it('that does not fit is refused, and a misspelt field is named', async () => {
    const crib = await open();
    const input = {
      type: 'object',
      properties: { topic: { type: 'string' } },
      required: ['topic'],
    };
    await crib.flows.registerData(flowOf({ input, steps: [say('a')] }));
    await expect(crib.flows.start('sample', { topc: 'x' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      extras: { suggestions: ['Did you mean topic by topc?'] },
    });
  });
});

describe('a value that cannot be worked out', () => {
  it.each<[string, Part, string]>([
    [
      'an input',
      { steps: [say('a', { cel: 'input.y' })] },
      'The input of step a: `input.y` cannot',
    ],
    ['a path', { steps: [say('a', { from: 'input.y' })] }, 'The input of step a: '],
    ['a condition', { steps: [{ ...say('a'), when: 'input.y > 1' }] }, 'The when of step a: '],
    [
      'items',
      { steps: [{ ...say('a'), forEach: { items: { cel: 'input.y' } } }] },
      'The forEach.items of step a: ',
    ],
    [
      'an output',
      { steps: [say('a')], output: { cel: 'steps.a.data.none + 1' } },
      'The output of the flow: ',
    ],
  ])('is told with its step and field: %s', async (_what, part, message) => {
    const { end } = await run(part, { x: 1 });
    expect(end).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining(message) },
    });
  });
});

describe('recovery of a step', () => {
  const failing = (times: number, code?: string) => ({
    id: 'a',
    call: 'flaky',
    input: { name: 'a', times, ...(code && { code }) },
  });

  it('retry tries again as often as it says', async () => {
    const retry = { attempts: 3, delayMs: 1 };
    const { end, nodes } = await run({ steps: [{ ...failing(2), retry }] });
    expect(end).toMatchObject({ status: 'completed', output: { failed: 2 } });
    expect(nodes[0]).toMatchObject({ status: 'done', attempts: 3 });
  });

  it('retry does not repeat an error that is not retryable', async () => {
    const retry = { attempts: 3, delayMs: 1 };
    const { end } = await run({ steps: [{ ...failing(2, 'CONFLICT'), retry }] });
    expect(end).toMatchObject({ status: 'failed', error: { code: 'CONFLICT' } });
    expect(failures.get('a')).toBe(1);
  });

  it('fallback calls another tool, which can use the error', async () => {
    const fallback = { call: 'echo', input: { text: { from: 'steps.a.error.code' } } };
    const { end } = await run({ steps: [{ ...failing(9), onError: { fallback } }] });
    expect(end.output).toEqual({ text: 'NETWORK' });
  });

  it('otherwise says what happens when the fallback fails as well', async () => {
    const fallback = { call: 'flaky', input: { name: 'b', times: 9, code: 'CONFLICT' } };
    const steps = (otherwise: 'skip' | 'abort') => [
      { ...failing(9), onError: { fallback, otherwise } },
      say('b'),
    ];
    const skipped = await run({ steps: steps('skip') });
    expect(skipped.end).toMatchObject({ status: 'completed', output: { text: 'b' } });
    expect(skipped.nodes[0]).toMatchObject({ status: 'skipped', because: 'it failed: CONFLICT' });
    const aborted = await run({ onFailure: 'continue', steps: steps('abort') });
    expect(aborted.end).toMatchObject({ status: 'failed', error: { code: 'CONFLICT' } });
  });

  it('skip goes on without the step', async () => {
    const { end, nodes } = await run({ steps: [{ ...failing(9), onError: 'skip' }, say('b')] });
    expect(end).toMatchObject({ status: 'completed', output: { text: 'b' } });
    expect(nodes[0]).toMatchObject({ status: 'skipped', because: 'it failed: NETWORK' });
  });

  it('abort ends the run although the flow would continue', async () => {
    const { end, states } = await run({
      kind: 'dag',
      onFailure: 'continue',
      steps: [
        { ...failing(9), onError: 'abort' },
        { ...say('b'), after: ['a'], join: 'any_success' },
      ],
    });
    expect(end).toMatchObject({ status: 'failed', error: { code: 'NETWORK' } });
    expect(states).toEqual({ a: 'failed', b: 'cancelled' });
  });

  it('manual waits for a person, who can have it tried again', async () => {
    const crib = await open();
    await crib.flows.registerData(flowOf({ steps: [{ ...failing(1), onError: 'manual' }] }));
    const { runId, finished } = await crib.flows.start('sample', {});
    await expect.poll(async () => (await crib.flows.get(runId))?.status).toBe('waiting');
    const state = await crib.flows.nodes(runId);
    expect(state?.nodes[0]).toMatchObject({ status: 'pending_approval' });
    const [question] = await crib.approvals.list();
    expect(JSON.stringify(question)).toContain('Try it again?');
    await crib.approvals.decide(question?.id ?? '', { approve: true, by: 'ada' });
    expect(await finished).toMatchObject({ status: 'completed', output: { failed: 1 } });
  });
});

describe('the other steps', () => {
  it('a question, a sleep, an event and a sub-flow are steps as well', async () => {
    const crib = await open();
    await crib.flows.registerData({
      ...flowOf({ steps: [say('x', { from: 'input.t' })] }),
      name: 'inner',
    });
    await crib.flows.registerData(
      flowOf({
        steps: [
          { id: 'ask', approve: 'Go on?', details: { n: { from: 'input.n' } } },
          { id: 'rest', sleepMs: 5 },
          { id: 'paid', waitFor: 'paid' },
          { id: 'sub', flow: 'inner@1.0.0', input: { t: { from: 'steps.paid.data.invoice' } } },
        ],
      }),
    );
    const { runId, finished } = await crib.flows.start('sample', { n: 1 });
    await expect.poll(async () => (await crib.approvals.list()).length).toBe(1);
    const [question] = await crib.approvals.list();
    await crib.approvals.decide(question?.id ?? '', { approve: true, by: 'ada' });
    await crib.flows.send(runId, 'paid', { invoice: 7 });
    expect(await finished).toMatchObject({ status: 'completed', output: { text: 7 } });
  });

  it('a no to a question fails its step with USER_CANCELLED', async () => {
    const crib = await open();
    await crib.flows.registerData(flowOf({ steps: [{ id: 'ask', approve: 'Go on?' }] }));
    const { finished } = await crib.flows.start('sample', {});
    await expect.poll(async () => (await crib.approvals.list()).length).toBe(1);
    const [question] = await crib.approvals.list();
    await crib.approvals.decide(question?.id ?? '', { approve: false, by: 'ada', note: 'later' });
    const end = await finished;
    expect(end).toMatchObject({ status: 'failed', error: { code: 'USER_CANCELLED' } });
  });

  it.each([
    ['skip', 'completed'],
    ['fail', 'failed'],
  ] as const)(
    'a condition that does not hold with else: %s leaves the run %s',
    async (otherwise, status) => {
      const { end } = await run({ steps: [{ ...say('a'), when: 'false', else: otherwise }] });
      expect(end.status).toBe(status);
    },
  );

  it('a condition that does not hold can call another tool instead', async () => {
    const { end } = await run({
      steps: [{ ...say('a'), when: 'false', else: { call: 'echo', input: { other: 1 } } }],
    });
    expect(end.output).toEqual({ other: 1 });
  });
});

describe('forEach', () => {
  it('runs a step for each item, in a window, and gives results in order', async () => {
    const { end, nodes } = await run(
      {
        steps: [
          {
            id: 'each',
            call: 'echo',
            input: { n: { from: 'item' } },
            forEach: { items: { from: 'input.list' }, maxConcurrency: 2 },
            output: { cel: 'steps.each.data.n * 2' },
          },
        ],
      },
      { list: [1, 2, 3] },
    );
    expect(end.output).toEqual({ count: 3, done: 3, failed: 0, skipped: 0, results: [2, 4, 6] });
    expect(most).toBeLessThanOrEqual(2);
    expect(nodes[0]).toMatchObject({ status: 'done', items: { done: 3, failed: 0 } });
  });

  it('runs a group for each item; its steps see the item and each other', async () => {
    const { end } = await run(
      {
        steps: [
          {
            id: 'each',
            forEach: { items: { from: 'input.list' } },
            steps: [say('a', { from: 'item' }), say('b', { cel: 'steps.a.data.text + "!"' })],
          },
        ],
        output: { from: 'steps.each.data.results' },
      },
      { list: ['x', 'y'] },
    );
    expect(end.output).toEqual([{ text: 'x!' }, { text: 'y!' }]);
  });

  it('stops at the first failure, or goes on and counts', async () => {
    const step = {
      id: 'each',
      call: 'flaky',
      input: { name: { from: 'item' }, times: { from: 'input.t' } },
    };
    const items = { from: 'input.list' };
    const input = { list: ['p', 'q'], t: 1 };
    const stop = await run({ steps: [{ ...step, forEach: { items, maxConcurrency: 1 } }] }, input);
    expect(stop.end).toMatchObject({ status: 'failed', error: { code: 'NETWORK' } });
    expect(failures.has('q')).toBe(false);
    const forEach = { items: [1, 'p'], onFailure: 'continue' } as const;
    const mixed = { ...say('each', { cel: 'item + 1' }), forEach };
    const { end } = await run({ steps: [mixed] });
    expect(end.output).toMatchObject({
      count: 2,
      done: 1,
      failed: 1,
      results: [{ text: 2 }, null],
    });
  });

  it('refuses what is no list and more items than allowed', async () => {
    const step = { ...say('each'), forEach: { items: { from: 'input.list' }, maxItems: 2 } };
    const none = await run({ steps: [step] }, { list: 5 });
    expect(none.end.error?.message).toContain('are no list');
    const many = await run({ steps: [step] }, { list: [1, 2, 3] });
    expect(many.end.error?.message).toContain('3 items; at most 2');
  });
});

describe('limits', () => {
  it('maxConcurrency holds for all calls of the run', async () => {
    const steps = Array.from({ length: 9 }, (_, at) => say(`s${at}`));
    await run({ kind: 'parallel', limits: { maxConcurrency: 2 }, steps });
    expect(most).toBeLessThanOrEqual(2);
  });

  it('the total time ends the run with TIMEOUT, also while it waits', async () => {
    const { end, states } = await run({
      limits: { timeoutMs: 20 },
      steps: [{ id: 'wait', waitFor: 'never' }],
    });
    expect(end).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } });
    expect(states).toEqual({ wait: 'cancelled' });
  });

  it('a question has the time of its step', async () => {
    const { end } = await run({ steps: [{ id: 'ask', approve: 'Go on?', timeoutMs: 20 }] });
    expect(end).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } });
  });

  it('tools beyond the tiers of the flow are not called', async () => {
    const crib = await open();
    const flow = flowOf({
      limits: { tiers: ['read_only'] },
      steps: [{ id: 'a', call: 'send', input: { text: 'x' } }],
    });
    await expect(crib.flows.registerData(flow)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect((await crib.flows.validate(flow)).faults[0]?.message).toContain('tier external_api');
  });

  it('the dollars of the flow cover all of its calls together', async () => {
    const paid = defineTool({
      name: 'paid',
      description: 'Costs a dollar.',
      tier: 'read_only',
      cost: { model: 'usage_based', fixed: 1 },
      input: z.object({ n: z.number() }),
      run: () => 'done',
    });
    const step = { id: 'each', call: 'paid', input: { n: { from: 'item' } } };
    const forEach = { items: [1, 2, 3], maxConcurrency: 1 };
    const { end } = await run(
      { limits: { maxUsd: 2.5 }, steps: [{ ...step, forEach }] },
      {},
      { tools: [paid], config: { budget: { dailyUsd: 100 } } },
    );
    expect(end).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
  });
});
