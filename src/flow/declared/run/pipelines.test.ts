/** What a pipeline hands its first step: the same when it runs, is checked, planned and approved. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../contract/define-tool.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { FlowData, FlowDataStep } from '../../../contract/flow-data.ts';
import { RetryPolicies } from '../../../contract/retry.ts';
import { createCribHost } from '../../../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const stored: string[] = [];
let failures = 0;
const text = z.object({ text: z.string() });
const tools = [
  defineTool({
    name: 'echo',
    description: 'Returns a text.',
    tier: 'read_only',
    input: text,
    run: (input) => input,
  }),
  defineTool({
    name: 'store',
    description: 'Stores a text.',
    tier: 'write',
    input: text,
    run: (input) => {
      stored.push(input.text);
      return input;
    },
  }),
  defineTool({
    name: 'send',
    description: 'Sends a text.',
    tier: 'external_api',
    input: text,
    run: (input) => input,
  }),
  defineTool({
    name: 'fail_once',
    description: 'Fails at first.',
    tier: 'read_only',
    input: text,
    retry: RetryPolicies.NONE,
    run: (input) => {
      failures += 1;
      if (failures === 1) throw new ToolFailure('NETWORK', 'down');
      return input;
    },
  }),
];

const open = async (rules: readonly object[] = []) => {
  stored.length = 0;
  failures = 0;
  const all = [
    ...rules,
    { name: 'all', effect: 'allow', tools: ['echo', 'store', 'fail_once'] },
    { name: 'ask', effect: 'ask', tools: ['send'] },
  ];
  const crib = await createCribHost({
    store: 'memory',
    builtins: false,
    tools,
    policy: { version: 1, rules: all as never },
  });
  cleanup.push(() => crib.close());
  return crib;
};

const flowOf = (steps: readonly FlowDataStep[], part: Partial<FlowData> = {}): FlowData => ({
  name: 'sample',
  version: '1.0.0',
  steps,
  ...part,
});
const say = (id: string): FlowDataStep => ({ id, call: 'echo', input: { text: id } });
const input = { text: 'given' };

describe('the first step of a pipeline', () => {
  const inner = [{ id: 'q', call: 'store' }];

  it('gets the input of the flow in a graph, not what a sibling returned', async () => {
    const crib = await open();
    await crib.flows.registerData(
      flowOf([say('a'), { id: 'p', kind: 'pipeline', steps: inner, after: ['a'] }], {
        kind: 'dag',
      }),
    );
    expect((await (await crib.flows.start('sample', input)).finished).status).toBe('completed');
    expect(stored).toEqual(['given']);
  });

  it('gets the same in each try of its group, whatever siblings have returned meanwhile', async () => {
    const crib = await open();
    const p: FlowDataStep = {
      id: 'p',
      kind: 'pipeline',
      retry: { attempts: 2, delayMs: 20 },
      steps: [...inner, { id: 'r', call: 'fail_once' }],
    };
    await crib.flows.registerData(flowOf([p, say('a')], { kind: 'parallel' }));
    const end = await (await crib.flows.start('sample', input)).finished;
    expect(end).toMatchObject({ status: 'completed', output: { p: { text: 'given' } } });
    expect(stored).toEqual(['given']);
  });

  it('gets what the pipeline around its group hands on', async () => {
    const crib = await open();
    const p: FlowDataStep = { id: 'p', kind: 'pipeline', steps: inner };
    const g: FlowDataStep = { id: 'g', steps: [say('b'), p] };
    await crib.flows.registerData(flowOf([say('a'), g], { kind: 'pipeline' }));
    expect((await (await crib.flows.start('sample', input)).finished).status).toBe('completed');
    expect(stored).toEqual(['a']);
  });

  it('is checked against what it gets inside of other groups', async () => {
    const crib = await open();
    const schema = {
      type: 'object',
      properties: { n: { type: 'number' } },
      additionalProperties: false,
    };
    const { faults } = await crib.flows.validate(
      flowOf([say('a'), { id: 'p', kind: 'pipeline', steps: inner }], { input: schema } as never),
    );
    expect(faults.map(({ message }) => message)).toEqual([
      'what the input of the flow gives does not fit store: it never has the field text, which is needed',
    ]);
  });

  it('is planned and approved with the input of the flow, which is known before', async () => {
    const rule = { name: 'no', effect: 'deny', tools: ['send'], when: 'input.text == "forbidden"' };
    const crib = await open([rule]);
    await crib.flows.registerData(
      flowOf([{ id: 'first', call: 'send' }, say('last')], { kind: 'pipeline' }),
    );
    const plan = await crib.flows.plan('sample', input);
    expect(plan.steps[0]).toMatchObject({ id: 'first', verdict: 'ask', input });
    expect((await crib.flows.plan('sample', { text: 'forbidden' })).denied).toHaveLength(1);
    const { approvalId, calls, asks } = await crib.flows.requestApproval('sample', input);
    expect({ calls, asks }).toEqual({ calls: 1, asks: [] });
    await crib.approvals.decide(approvalId, { approve: true, by: 'ada' });
    const start = await crib.flows.start('sample', input, { planApproval: approvalId });
    expect((await start.finished).status).toBe('completed');
  });

  it('is planned with the input of the flow where it is another flow', async () => {
    const crib = await open();
    await crib.flows.registerData(
      flowOf([{ id: 'inner', call: 'send', input: { text: { from: 'input.text' } } }], {
        name: 'sub',
      }),
    );
    await crib.flows.registerData(flowOf([{ id: 's', flow: 'sub@1.0.0' }], { kind: 'pipeline' }));
    const { steps } = await crib.flows.plan('sample', input);
    expect(steps.find(({ id }) => id === 's/inner')).toMatchObject({ verdict: 'ask', input });
  });
});
