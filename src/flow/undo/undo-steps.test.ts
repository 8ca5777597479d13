import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { FlowData } from '../../contract/flow-data.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import { createCribHost } from '../../crib/create-crib.ts';
import { mayHaveChanged } from '../../registry/changing-steps.ts';
import { sequence } from '../compose/sequence.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const undone: string[] = [];
const down = (): never => {
  throw new ToolFailure('NETWORK', 'down', { retryable: true });
};
const input = z.object({ text: z.string() });
const send = defineTool({
  name: 'send',
  description: 'Sends a text.',
  tier: 'write',
  input,
  run: ({ text }) => ({ text }),
  undo: async ({ text }) => void undone.push(text),
});
const fails = defineTool({
  name: 'fails',
  description: 'Fails.',
  tier: 'read_only',
  retry: RetryPolicies.NONE,
  input: z.object({}).loose(),
  run: down,
});
const look = defineTool({
  name: 'look',
  description: 'Reads.',
  tier: 'read_only',
  input: z.object({}),
  run: () => 1,
});
const tools = [send, fails, look, sequence([send, fails], { name: 'whole' })];

const sendStep = (text: string) => ({ id: `send_${text}`, call: 'send', input: { text } });
const failStep = { id: 'fail', call: 'fails', input: {} };
const flowOf = (
  name: string,
  steps: FlowData['steps'],
  more: Partial<FlowData> = {},
): FlowData => ({
  name,
  version: '1.0.0',
  steps,
  ...more,
});

/** Runs the last of the flows, which fails and undoes what it did. */
const run = async (flows: readonly FlowData[]) => {
  undone.length = 0;
  const rules = [{ name: 'all', effect: 'allow' as const, tools: ['*'] }];
  const policy = { version: 1 as const, rules };
  const crib = await createCribHost({ store: 'memory', builtins: false, tools, policy });
  cleanup.push(() => crib.close());
  for (const flow of flows) await crib.flows.registerData(flow);
  const { runId, finished } = await crib.flows.start(flows.at(-1)?.name ?? '', {});
  expect((await finished).status).toBe('failed');
  const steps = await crib.flows.steps(runId);
  const undos = steps.filter(({ kind }) => kind === 'undo').map(({ key, state }) => [key, state]);
  return { undos, hasChanged: await mayHaveChanged(runId, crib) };
};

const UNDO = { undoOnFailure: true };

describe('the undo of a failed run', () => {
  it('undoes a call once that a later round of its group has taken over', async () => {
    const group = {
      id: 'group',
      retry: { attempts: 3, delayMs: 1 },
      steps: [sendStep('a'), failStep],
    };
    const { undos, hasChanged } = await run([flowOf('main', [group], UNDO)]);
    expect(undone).toEqual(['a']);
    expect(undos.map(([, state]) => state)).toEqual(['done']);
    expect(hasChanged).toBe(false);
  });

  it('undoes what completed sub-flows did, at any depth, newest first', async () => {
    const { undos, hasChanged } = await run([
      flowOf('inner', [sendStep('b'), sendStep('c')]),
      flowOf('sub', [{ id: 'inner', flow: 'inner@1.0.0' }, sendStep('d')]),
      flowOf('main', [sendStep('a'), { id: 'sub', flow: 'sub@1.0.0' }, failStep], UNDO),
    ]);
    expect(undone).toEqual(['d', 'c', 'b', 'a']);
    expect(undos.map(([, state]) => state)).toEqual(['done', 'done', 'done', 'done']);
    expect(hasChanged).toBe(false);
  });

  it('undoes what a sub-flow did before it failed, unless that has undone it itself', async () => {
    const sub = { id: 'sub', flow: 'sub@1.0.0' };
    const main = flowOf('main', [sendStep('a'), sub], UNDO);
    await run([flowOf('sub', [sendStep('b'), failStep]), main]);
    expect(undone).toEqual(['b', 'a']);
    const { undos } = await run([flowOf('sub', [sendStep('b'), failStep], UNDO), main]);
    expect(undone).toEqual(['b', 'a']);
    expect(undos).toHaveLength(1);
  });

  it('asks for no undo of calls that only read', async () => {
    const look = { id: 'look', call: 'look', input: {} };
    const { undos } = await run([flowOf('main', [look, sendStep('a'), failStep], UNDO)]);
    expect(undone).toEqual(['a']);
    expect(undos.map(([, state]) => state)).toEqual(['done']);
  });

  it('undoes the parts that a composed tool has called before it failed', async () => {
    const whole = { id: 'whole', call: 'whole', input: { text: 'b' } };
    const { hasChanged } = await run([flowOf('main', [sendStep('a'), whole], UNDO)]);
    expect(undone).toEqual(['b', 'a']);
    expect(hasChanged).toBe(false);
  });
});
