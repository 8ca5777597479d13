/** Threat: a group is tried again so late that the keys of its calls are forgotten, and their effects happen twice. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { FlowDataStep } from '../../contract/flow-data.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import { createCribHost } from '../../crib/create-crib.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

/** Opens a process on a store, with a clock that the test moves. */
const open = async (store = createMemoryStore()) => {
  const clock = { offset: 0 };
  const log = { sent: [] as string[], looks: 0, lookFailures: 1 };
  const tools = [
    defineTool({
      name: 'send',
      description: 'Sends a text.',
      tier: 'write',
      input: z.object({ text: z.string(), to: z.string().default('all') }),
      run: ({ text }) => {
        log.sent.push(text);
        return { id: log.sent.length };
      },
    }),
    defineTool({
      name: 'look',
      description: 'Reads, and fails at first.',
      tier: 'read_only',
      retry: RetryPolicies.NONE,
      input: z.looseObject({}),
      run: () => {
        log.looks += 1;
        if (log.looks <= log.lookFailures) throw new ToolFailure('NETWORK', 'down');
        return { looks: log.looks };
      },
    }),
  ];
  const crib = await createCribHost({
    store: { ...store, close: async () => undefined },
    builtins: false,
    tools,
    runtime: createRuntime({ now: () => Date.now() + clock.offset }),
    policy: { version: 1, rules: [{ name: 'all', effect: 'allow', tools: ['*'] }] },
  });
  cleanup.push(() => crib.close());
  const start = async (step: FlowDataStep) => {
    await crib.flows.registerData({ name: 'sample', version: '1.0.0', steps: [step] });
    return crib.flows.start('sample', { text: 'mail' });
  };
  const waits = (runId: string, status: string) =>
    expect.poll(async () => (await crib.flows.get(runId))?.status).toBe(status);
  return { crib, clock, log, start, waits };
};

const send: FlowDataStep = { id: 'send', call: 'send', input: { text: { from: 'input.text' } } };
const look: FlowDataStep = { id: 'look', call: 'look', input: {} };
const retry = { attempts: 2, delayMs: DAY_MS };

describe('a group that is tried again after more than a day', () => {
  it('makes no call again that has succeeded, and hands on what it returned', async () => {
    const { clock, log, start, waits } = await open();
    const output = { from: 'steps.send.data.id' };
    const { runId, finished } = await start({ id: 'g', retry, steps: [send, look], output });
    await waits(runId, 'sleeping');
    clock.offset = DAY_MS + 60_000;
    expect(await finished).toMatchObject({ status: 'completed', output: 1 });
    expect(log).toMatchObject({ sent: ['mail'], looks: 2 });
  });

  it('makes no call of its items, alternatives and fallbacks again that has succeeded', async () => {
    const { clock, log, start, waits } = await open();
    const { call = 'send', input } = send;
    const { runId, finished } = await start({
      id: 'g',
      retry,
      steps: [
        { ...send, input: { text: { from: 'item' } }, forEach: { items: ['a', 'b'] } },
        { id: 'other', call: 'look', when: 'false', else: { call, input: { text: 'c' } } },
        { id: 'plain', kind: 'parallel', steps: [{ id: 'in', call, input: { text: 'd' } }] },
        { ...look, onError: { fallback: { call: 'send', input: { text: 'e' } } } },
        { id: 'last', call: 'look', input: input ?? {} },
      ],
    });
    log.lookFailures = 2;
    await waits(runId, 'sleeping');
    clock.offset = DAY_MS + 60_000;
    expect(await finished).toMatchObject({ status: 'completed' });
    expect(log.sent).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('refuses another input for a call that has succeeded', async () => {
    const { clock, log, start, waits } = await open();
    log.lookFailures = 0;
    const first: FlowDataStep = { id: 'first', call: 'look', input: {} };
    const other = { text: { cel: 'steps.first.data.looks == 1 ? "a" : "b"' } };
    const last: FlowDataStep = { id: 'last', waitFor: 'go', timeoutMs: 10 };
    const { runId, finished } = await start({
      id: 'g',
      retry: { attempts: 2, delayMs: DAY_MS },
      steps: [first, { ...send, input: other }, last],
    });
    await waits(runId, 'sleeping');
    clock.offset = DAY_MS + 60_000;
    expect(await finished).toMatchObject({ status: 'failed', error: { code: 'CONFLICT' } });
    expect(log.sent).toEqual(['a']);
  });

  it('makes no call again that another process has made', async () => {
    const store = createMemoryStore();
    const before = await open(store);
    const step: FlowDataStep = { id: 'g', retry, steps: [send, look] };
    const { runId } = await before.start(step);
    await before.waits(runId, 'sleeping');
    await before.crib.close();
    const after = await open(store);
    after.clock.offset = DAY_MS + 60_000;
    after.log.lookFailures = 0;
    await after.crib.flows.registerData({ name: 'sample', version: '1.0.0', steps: [step] });
    await after.waits(runId, 'completed');
    expect([...before.log.sent, ...after.log.sent]).toEqual(['mail']);
  });
});
