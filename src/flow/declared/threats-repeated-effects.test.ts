/** Threat: a flow that tries something again does once more what the first try has done already. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import { type ErrorCode, ToolFailure } from '../../contract/errors.ts';
import type { FlowData, FlowDataStep } from '../../contract/flow-data.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import { createCribHost } from '../../crib/create-crib.ts';
import { sequence } from '../compose/sequence.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

/** What was sent, with the key that the tool was handed. */
const sent: { readonly text: string; readonly key: string }[] = [];
const failures = new Map<string, number>();

/** Throws so often for a name. */
const failFirst = (name: string, times: number, code: ErrorCode): void => {
  const failed = failures.get(name) ?? 0;
  failures.set(name, failed + 1);
  if (failed < times) throw new ToolFailure(code, `down ${failed + 1}`);
};

const sendInput = z.object({
  text: z.string(),
  fails: z.number().default(0),
  code: z.string().default('NETWORK'),
});
const sender = (name: string, idempotent: boolean) =>
  defineTool({
    name,
    description: 'Sends a text, and may fail after it.',
    tier: 'write',
    idempotent,
    retry: RetryPolicies.NONE,
    input: sendInput,
    run: ({ text, fails, code }, { idempotencyKey }) => {
      sent.push({ text, key: idempotencyKey });
      failFirst(text, fails, code as ErrorCode);
      return { text };
    },
  });
const writeThenRefuse = defineTool({
  name: 'write_then_refuse',
  description: 'Sends, then calls a tool that rests.',
  tier: 'write',
  callsTools: true,
  retry: RetryPolicies.NONE,
  input: z.object({}),
  run: async (_input, { call }) => {
    await call('send', { text: 'a' });
    throw new ToolFailure('CIRCUIT_OPEN', 'resting');
  },
});
const sendTool = sender('send', false);
const rests = defineTool({
  name: 'rests',
  description: 'Does not begin.',
  tier: 'write',
  retry: RetryPolicies.NONE,
  input: z.object({ text: z.string() }),
  run: () => {
    throw new ToolFailure('CIRCUIT_OPEN', 'resting');
  },
});
let counted = 0;
const tools = [
  sendTool,
  rests,
  writeThenRefuse,
  sequence([sendTool, rests], { name: 'whole' }),
  defineTool({
    name: 'count',
    description: 'Reads what grows.',
    tier: 'read_only',
    input: z.object({}),
    run: () => {
      counted += 1;
      return { count: counted };
    },
  }),
  sender('pay', true),
  defineTool({
    name: 'look',
    description: 'Reads, and fails at first.',
    tier: 'read_only',
    retry: RetryPolicies.NONE,
    input: z.object({ fails: z.number() }),
    run: ({ fails }) => {
      failFirst('look', fails, 'NETWORK');
      return { seen: true };
    },
  }),
];

const open = async () => {
  sent.length = 0;
  failures.clear();
  counted = 0;
  const rules = [{ name: 'all', effect: 'allow' as const, tools: ['*'] }];
  const crib = await createCribHost({
    store: 'memory',
    builtins: false,
    tools,
    policy: { version: 1, rules },
  });
  cleanup.push(() => crib.close());
  return crib;
};

type Crib = Awaited<ReturnType<typeof open>>;
const retry = { attempts: 3, delayMs: 1 };
const send = (text: string, more: object = {}): FlowDataStep => ({
  id: 'send',
  call: 'send',
  input: { text, ...more },
});
const look: FlowDataStep = { id: 'look', call: 'look', input: { fails: 1 } };

const flowOf = (steps: readonly FlowDataStep[], name = 'sample'): FlowData => ({
  name,
  version: '1.0.0',
  steps,
});
const run = async (crib: Crib, steps: readonly FlowDataStep[]) => {
  await crib.flows.registerData(flowOf(steps));
  return (await crib.flows.start('sample', {})).finished;
};
/** Answers the question that is put next. */
const answer = async (crib: Crib, approve: boolean): Promise<void> => {
  await expect.poll(() => crib.approvals.list(), { timeout: 20_000 }).toHaveLength(1);
  const [question] = await crib.approvals.list();
  await crib.approvals.decide(question?.id ?? '', { approve, by: 'ada' });
};
/** Runs one step that fails, has a person say that it is to be tried again, and then so often that it is not. */
const runAskedAgain = async (crib: Crib, step: FlowDataStep, refusals = 0) => {
  await crib.flows.registerData(flowOf([step]));
  const { finished } = await crib.flows.start('sample', {});
  await answer(crib, true);
  for (let left = refusals; left > 0; left -= 1) await answer(crib, false);
  return finished;
};
const texts = (): readonly string[] => sent.map(({ text }) => text);

describe('a step that is tried again', () => {
  it.each(['NETWORK', 'TIMEOUT', 'SERVER_ERROR'])(
    'is not where its tool failed with %s after it had changed something',
    async (code) => {
      const end = await run(await open(), [{ ...send('a', { fails: 1, code }), retry }]);
      expect(texts()).toEqual(['a']);
      expect(end).toMatchObject({ status: 'failed', error: { code, retryable: false } });
    },
  );

  it.each(['RATE_LIMITED', 'LOCK'])(
    'is where its tool says that it did not begin: %s',
    async (code) => {
      const end = await run(await open(), [{ ...send('a', { fails: 2, code }), retry }]);
      expect(end.status).toBe('completed');
      expect(texts()).toHaveLength(3);
    },
  );

  it('is where the tool is idempotent, with one key for all tries', async () => {
    const end = await run(await open(), [{ ...send('a', { fails: 2 }), call: 'pay', retry }]);
    expect(end.status).toBe('completed');
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  });

  it('is once more when a person says so, then as a call of its own', async () => {
    const crib = await open();
    const end = await runAskedAgain(crib, { ...send('a', { fails: 1 }), onError: 'manual' });
    expect(end.status).toBe('completed');
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  });
});

describe('a step whose output cannot be made of what its call returned', () => {
  const output = { cel: 'steps.send.data.missing.more' };

  it('does not call again when a person has it tried again', async () => {
    const crib = await open();
    await runAskedAgain(crib, { ...send('a'), output, onError: 'manual' }, 1);
    expect(texts()).toEqual(['a']);
  });

  it('does not call again for an item of a list either', async () => {
    const crib = await open();
    const items = { forEach: { items: ['x'] } };
    await runAskedAgain(crib, { ...send('a'), ...items, output, onError: 'manual' }, 1);
    expect(texts()).toEqual(['a']);
  });
});

describe('a group that is tried again', () => {
  const group = (steps: readonly FlowDataStep[]): FlowDataStep => ({ id: 'group', retry, steps });

  it('takes over what its calls have done, and makes the others again', async () => {
    const end = await run(await open(), [group([send('a'), look])]);
    expect(end).toMatchObject({ status: 'completed', output: { seen: true } });
    expect(texts()).toEqual(['a']);
  });

  it('fails rather than sending again what has changed in between', async () => {
    const count: FlowDataStep = { id: 'count', call: 'count', input: {} };
    const other: FlowDataStep = {
      id: 'send',
      call: 'send',
      input: { text: { cel: "steps.count.data.count == 1 ? 'a' : 'b'" } },
    };
    const end = await run(await open(), [group([count, other, look])]);
    expect(end).toMatchObject({ status: 'failed', error: { code: 'CONFLICT' } });
    expect(texts()).toEqual(['a']);
  });

  it('pays under one key in every round', async () => {
    const pay = { ...send('a', { fails: 1 }), call: 'pay' };
    const end = await run(await open(), [group([pay])]);
    expect(end.status).toBe('completed');
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  });

  it('is not where another flow has run in it', async () => {
    const crib = await open();
    await crib.flows.registerData(flowOf([send('a')], 'sub'));
    const end = await run(crib, [group([{ id: 'sub', flow: 'sub@1.0.0' }, look])]);
    expect(end).toMatchObject({ status: 'failed', error: { code: 'NETWORK' } });
    expect(texts()).toEqual(['a']);
  });

  it('is not where another flow has fallen back on a call that sends', async () => {
    const crib = await open();
    await crib.flows.registerData(flowOf([{ ...look, input: { fails: 9 } }], 'inner'));
    const { call = '', input } = send('a');
    const inner = { id: 'inner', flow: 'inner@1.0.0', onError: { fallback: { call, input } } };
    await crib.flows.registerData(flowOf([inner], 'sub'));
    const sub: FlowDataStep = { id: 'sub', flow: 'sub@1.0.0' };
    const end = await run(crib, [group([sub, { ...look, input: { fails: 2 } }])]);
    expect(end).toMatchObject({ status: 'failed', error: { code: 'NETWORK' } });
    expect(texts()).toEqual(['a']);
  });

  it('is judged at once where flows refer to each other very often', async () => {
    const crib = await open();
    const never = (flow: string) =>
      Array.from({ length: 50 }, (_, at) => ({ id: `s${at}`, when: 'false', flow }));
    await crib.flows.registerData(flowOf([{ ...look, input: { fails: 0 } }], 'level0'));
    for (let at = 1; at <= 6; at += 1) {
      await crib.flows.registerData(flowOf(never(`level${at - 1}@1.0.0`), `level${at}`));
    }
    const end = await run(crib, [
      group([
        { id: 'sub', flow: 'level6@1.0.0' },
        { ...look, input: { fails: 1 } },
      ]),
    ]);
    expect(end.status).toBe('completed');
  });

  it('takes over what it has done when a person has it tried again', async () => {
    const end = await runAskedAgain(await open(), {
      id: 'group',
      onError: 'manual',
      steps: [send('a'), { ...send('b', { fails: 1 }), id: 'other' }],
    });
    expect(end.status).toBe('completed');
    // Of the call that failed nobody knows what it did: the person has said that it is to be made.
    expect(texts()).toEqual(['a', 'b', 'b']);
  });

  it('takes over what a flow in it has done when a person has it tried again', async () => {
    const crib = await open();
    await crib.flows.registerData(flowOf([send('a')], 'sub'));
    const end = await runAskedAgain(crib, {
      id: 'group',
      onError: 'manual',
      steps: [{ id: 'sub', flow: 'sub@1.0.0' }, look],
    });
    expect(end).toMatchObject({ status: 'completed', output: { seen: true } });
    expect(texts()).toEqual(['a']);
  });

  it('is where the other flow only reads', async () => {
    const crib = await open();
    await crib.flows.registerData(flowOf([{ ...look, input: { fails: 0 } }], 'sub'));
    const end = await run(crib, [
      group([
        { id: 'sub', flow: 'sub@1.0.0' },
        { ...look, input: { fails: 2 } },
      ]),
    ]);
    expect(end.status).toBe('completed');
  });
});

describe('a sub-flow that is tried again', () => {
  it.each([
    ['is not where it has changed something', [send('a'), look], 'failed', ['a']],
    [
      'is not where it has paid, because another run of it has other keys',
      [{ ...send('a'), call: 'pay' }, look],
      ...(['failed', ['a']] as const),
    ],
    [
      'is not where its tool called others before it failed with a code that says it did not begin',
      [{ id: 'both', call: 'write_then_refuse', input: {} }],
      ...(['failed', ['a']] as const),
    ],
    [
      'is not where a composed tool failed with such a code of its second part',
      [{ id: 'both', call: 'whole', input: { text: 'a' } }],
      ...(['failed', ['a']] as const),
    ],
    ['is where it has only read', [look, send('a')], 'completed', ['a']],
  ] as const)('%s', async (_title, steps, status, texts_) => {
    const crib = await open();
    await crib.flows.registerData(flowOf(steps, 'sub'));
    const end = await run(crib, [{ id: 'sub', flow: 'sub@1.0.0', retry }]);
    expect(end.status).toBe(status);
    expect(texts()).toEqual(texts_);
  });
});
