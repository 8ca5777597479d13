/** Threat: what a flow has given up goes on, and changes something after it was reported as failed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import type { FlowData } from '../../contract/flow-data.ts';
import { RUN_LIMIT_KEY } from '../../contract/flow-view.ts';
import { createCribHost } from '../../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const written: string[] = [];
/** Calls of `gate` end when the test opens it. */
let openGate: () => void = () => undefined;
let gate = Promise.resolve();
const closeGate = (): void => {
  gate = new Promise((resolve) => {
    openGate = resolve;
  });
};
const tools = [
  defineTool({
    name: 'gate',
    description: 'Waits for the test.',
    tier: 'read_only',
    input: z.object({}),
    run: async () => {
      await gate;
      return 'open';
    },
  }),
  defineTool({
    name: 'write',
    description: 'Writes.',
    tier: 'write',
    input: z.object({ text: z.string() }),
    run: ({ text }) => {
      written.push(text);
      return text;
    },
  }),
  defineTool({
    name: 'send',
    description: 'Asks before it sends.',
    tier: 'external_api',
    input: z.object({ text: z.string() }),
    run: ({ text }) => {
      written.push(text);
      return text;
    },
  }),
] as const;

const RULES = [
  { name: 'ask', effect: 'ask' as const, tools: ['send'] },
  { name: 'all', effect: 'allow' as const, tools: ['gate', 'write'] },
];

const newRoot = (): string => {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-flow-'));
  cleanup.push(() => rmSync(root, { recursive: true, force: true }));
  return root;
};

const open = async (root = newRoot()) => {
  written.length = 0;
  closeGate();
  const crib = await createCribHost({
    root,
    home: join(root, 'home'),
    store: { sqlite: join(root, 'state.db') },
    builtins: false,
    tools: [...tools],
    policy: { version: 1, rules: RULES },
  });
  cleanup.push(() => crib.close());
  return crib;
};

type Crib = Awaited<ReturnType<typeof open>>;

const start = async (crib: Crib, flow: Omit<FlowData, 'name' | 'version'>) => {
  await crib.flows.registerData({ name: 'sample', version: '1.0.0', ...flow });
  return crib.flows.start('sample', {}, { userId: 'bo' });
};

const stepState = async (crib: Crib, runId: string, key: string) =>
  (await crib.flows.steps(runId)).find((step) => step.key === key)?.state;

const late = { id: 'late', call: 'write', input: { text: 'late' } };
const wait = { id: 'wait', call: 'gate', input: {} };

describe('a group that took too long', () => {
  it('begins no further step, and the run goes on without it', async () => {
    const crib = await open();
    const { runId, finished } = await start(crib, {
      steps: [
        { id: 'group', timeoutMs: 30, onError: 'skip', steps: [wait, late] },
        { id: 'next', waitFor: 'go' },
      ],
    });
    await expect.poll(() => stepState(crib, runId, 'next'), { timeout: 20_000 }).toBe('open');
    openGate();
    await expect.poll(() => stepState(crib, runId, 'wait'), { timeout: 20_000 }).toBe('failed');
    await crib.flows.send(runId, 'go');
    expect(await finished).toMatchObject({ status: 'completed' });
    expect(written).toEqual([]);
  });

  it('is not tried again where it may have changed something', async () => {
    const crib = await open();
    const retry = { attempts: 3, delayMs: 0 };
    const { runId, finished } = await start(crib, {
      steps: [{ id: 'group', timeoutMs: 30, retry, steps: [wait, late] }],
    });
    // The call is under way: the run ends with it.
    await expect
      .poll(() => stepState(crib, runId, 'group.timeout'), { timeout: 20_000 })
      .toBe('done');
    openGate();
    expect(await finished).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } });
    const keys = (await crib.flows.steps(runId)).map(({ key }) => key);
    expect(keys.filter((key) => key.startsWith('wait'))).toEqual(['wait']);
  });

  it('withdraws its questions: nobody can approve a call afterwards', async () => {
    const root = newRoot();
    const first = await open(root);
    const flow: FlowData = {
      name: 'sample',
      version: '1.0.0',
      steps: [
        {
          id: 'group',
          timeoutMs: 30,
          onError: 'skip',
          steps: [{ id: 'ask', call: 'send', input: { text: 'sent' } }, late],
        },
        { id: 'next', waitFor: 'go' },
      ],
    };
    const { runId } = await start(first, flow);
    await expect.poll(() => stepState(first, runId, 'next'), { timeout: 20_000 }).toBe('open');
    await expect.poll(() => stepState(first, runId, 'ask'), { timeout: 20_000 }).toBe('failed');
    expect(await first.approvals.list()).toEqual([]);
    await first.close();
    const second = await open(root);
    await second.flows.registerData(flow);
    await second.flows.send(runId, 'go');
    expect(await second.flows.finished(runId)).toMatchObject({ status: 'completed' });
    expect(written).toEqual([]);
  });
});

describe('a sub-flow that took too long', () => {
  it('is cancelled, and not left to go on by itself', async () => {
    const crib = await open();
    await crib.flows.registerData({ name: 'sub', version: '1.0.0', steps: [wait, late] });
    const { runId, finished } = await start(crib, {
      steps: [{ id: 'child', flow: 'sub@1.0.0', timeoutMs: 30, onError: 'skip' }],
    });
    expect(await finished).toMatchObject({ status: 'completed' });
    const childId = `${runId}.child`;
    await expect
      .poll(async () => (await crib.flows.get(childId))?.status, { timeout: 20_000 })
      .toBe('cancelled');
    openGate();
    expect(written).toEqual([]);
  });
});

describe('a group that failed', () => {
  it('makes no fallback of a step that fails later', async () => {
    const crib = await open();
    const fallback = { call: 'write', input: { text: 'fallback' } };
    const { runId, finished } = await start(crib, {
      steps: [
        {
          id: 'group',
          kind: 'parallel',
          onError: 'skip',
          steps: [
            { id: 'bad', call: 'write', input: { text: { cel: '1' } } },
            {
              id: 'slow',
              call: 'gate',
              input: {},
              output: { cel: 'input.no' },
              onError: { fallback },
            },
          ],
        },
        { id: 'next', waitFor: 'go' },
      ],
    });
    await expect.poll(() => stepState(crib, runId, 'next'), { timeout: 20_000 }).toBe('open');
    openGate();
    await expect.poll(() => stepState(crib, runId, 'slow'), { timeout: 20_000 }).toBe('failed');
    await crib.flows.send(runId, 'go');
    expect(await finished).toMatchObject({ status: 'completed' });
    expect(written).toEqual([]);
  });
});

describe('a run that took too long', () => {
  it('starts no sub-flow after the step that its end has cut off', async () => {
    const crib = await open();
    await crib.flows.registerData({ name: 'inner', version: '1.0.0', steps: [late] });
    const { runId, finished } = await start(crib, {
      limits: { timeoutMs: 30 },
      steps: [
        { ...wait, onError: 'skip' },
        { id: 'sub', flow: 'inner@1.0.0' },
      ],
    });
    await expect
      .poll(() => stepState(crib, runId, RUN_LIMIT_KEY), { timeout: 20_000 })
      .toBe('done');
    openGate();
    expect(await finished).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } });
    expect(await crib.flows.get(`${runId}.sub`)).toBeUndefined();
    expect(written).toEqual([]);
  });
});
