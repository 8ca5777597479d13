/** A group, a list of items or a step that is out of time cancels what it has started. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ToolContext } from '../../../contract/context.ts';
import { defineTool } from '../../../contract/define-tool.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { FlowData, FlowDataStep } from '../../../contract/flow-data.ts';
import { RetryPolicies } from '../../../contract/retry.ts';
import { createCribHost } from '../../../crib/create-crib.ts';
import type { CribOptions } from '../../../crib/crib-options.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

let running = 0;
let aborted = 0;
const called: string[] = [];
/** Ends only when it is cancelled. */
const hang = defineTool({
  name: 'hang',
  description: 'Waits for its signal.',
  tier: 'read_only',
  input: z.looseObject({}),
  run: (_input, { signal }: ToolContext) =>
    new Promise((_, reject) => {
      running += 1;
      signal.addEventListener('abort', () => {
        aborted += 1;
        reject(new Error('stopped'));
      });
    }),
});
/** Fails once so many calls of `hang` run. */
const fail = defineTool({
  name: 'fail',
  description: 'Fails.',
  tier: 'read_only',
  retry: RetryPolicies.NONE,
  input: z.object({ after: z.number().default(0) }),
  run: async ({ after }) => {
    while (running < after) await new Promise((resolve) => setImmediate(resolve));
    throw new ToolFailure('EXECUTION_FAILED', 'down');
  },
});
const note = defineTool({
  name: 'note',
  description: 'Notes.',
  tier: 'read_only',
  input: z.object({ text: z.string() }),
  run: ({ text }) => called.push(text),
});
const send = defineTool({
  name: 'send',
  description: 'Sends.',
  tier: 'external_api',
  input: z.looseObject({}),
  run: () => called.push('send'),
});

const open = async (options: CribOptions = {}) => {
  running = 0;
  aborted = 0;
  called.length = 0;
  const crib = await createCribHost({
    store: 'memory',
    builtins: false,
    tools: [hang, fail, note, send],
    ...options,
  });
  cleanup.push(() => crib.close());
  return crib;
};

/** The time of a step that calls holds for what is called instead as well. */
const INSTEAD: readonly (readonly [string, Partial<FlowDataStep>])[] = [
  ['alternative', { when: 'false', else: { call: 'hang' } }],
  ['fallback', { onError: { fallback: { call: 'hang' } } }],
];

const flowOf = (steps: readonly FlowDataStep[], part: Partial<FlowData> = {}): FlowData => ({
  name: 'sample',
  version: '1.0.0',
  kind: 'parallel',
  steps,
  ...part,
});

const run = async (data: FlowData, input: unknown = {}, options: CribOptions = {}) => {
  const crib = await open(options);
  await crib.flows.registerData(data);
  const { runId, finished } = await crib.flows.start('sample', input);
  const end = await finished;
  const { nodes = [] } = (await crib.flows.nodes(runId)) ?? {};
  const status = Object.fromEntries(nodes.map((node) => [node.id, node.status]));
  return { crib, runId, end, status, nodes };
};

describe('the failure of a group', () => {
  it('cancels the calls of its siblings by their signal, and records them as cancelled', async () => {
    const { end, status, nodes } = await run(
      flowOf([
        { id: 'one', call: 'hang' },
        { id: 'two', call: 'hang' },
        { id: 'bad', call: 'fail', input: { after: 2 } },
      ]),
    );
    expect(end).toMatchObject({ status: 'failed', error: { message: 'down' } });
    expect(aborted).toBe(2);
    expect(status).toEqual({ one: 'cancelled', two: 'cancelled', bad: 'failed' });
    expect(nodes[0]?.because).toContain('cancelled');
  });

  it('ends sleeps, waits, questions and sub-flows of its siblings; the questions are withdrawn', async () => {
    const crib = await open();
    await crib.flows.registerData(
      flowOf([{ id: 'inner', sleepMs: 1_000_000 }], { name: 'sub', kind: 'sequential' }),
    );
    await crib.flows.registerData(
      flowOf([
        { id: 'sleep', sleepMs: 1_000_000 },
        { id: 'event', waitFor: 'go' },
        { id: 'ask', approve: 'Go on?' },
        { id: 'call', call: 'send' },
        { id: 'flow', flow: 'sub@1.0.0' },
        {
          id: 'late',
          kind: 'sequential',
          steps: [
            { id: 'gate', waitFor: 'fail' },
            { id: 'bad', call: 'fail' },
          ],
        },
      ]),
    );
    const { runId, finished } = await crib.flows.start('sample', {});
    await expect.poll(async () => (await crib.approvals.list()).length).toBe(2);
    await expect.poll(async () => (await crib.flows.get(`${runId}.flow`))?.status).toBe('sleeping');
    await crib.flows.send(runId, 'fail');
    expect(await finished).toMatchObject({ status: 'failed', error: { message: 'down' } });
    const { nodes = [] } = (await crib.flows.nodes(runId)) ?? {};
    const status = Object.fromEntries(nodes.map((node) => [node.id, node.status]));
    expect(status).toMatchObject({
      sleep: 'cancelled',
      event: 'cancelled',
      ask: 'cancelled',
      call: 'cancelled',
      flow: 'cancelled',
      bad: 'failed',
    });
    expect((await crib.flows.get(`${runId}.flow`))?.status).toBe('cancelled');
    expect(await crib.approvals.list()).toEqual([]);
    const open_ = (await crib.flows.steps(runId)).filter(({ state }) => state === 'open');
    expect(open_).toEqual([]);
    expect(called).toEqual([]);
  });

  it('is over before what recovers from it begins: its siblings are not retried, nor fall back', async () => {
    const { end, status } = await run(
      flowOf(
        [
          {
            id: 'group',
            kind: 'parallel',
            onError: { fallback: { call: 'note', input: { text: 'group' } } },
            steps: [
              {
                id: 'one',
                call: 'hang',
                retry: { attempts: 3, delayMs: 1 },
                onError: { fallback: { call: 'note', input: { text: 'one' } } },
              },
              { id: 'bad', call: 'fail', input: { after: 1 } },
            ],
          },
          { id: 'after', call: 'note', input: { text: 'after' } },
        ],
        { kind: 'sequential' },
      ),
    );
    expect(end.status).toBe('completed');
    expect([running, aborted]).toEqual([1, 1]);
    expect(called).toEqual(['group', 'after']);
    expect(status).toMatchObject({ one: 'cancelled', bad: 'failed', after: 'done' });
  });

  it('reaches the groups and items inside of it', async () => {
    const { end } = await run(
      flowOf([
        {
          id: 'list',
          forEach: { items: { from: 'input.items' } },
          kind: 'parallel',
          steps: [
            { id: 'one', call: 'hang' },
            { id: 'two', call: 'hang' },
          ],
        },
        { id: 'bad', call: 'fail', input: { after: 4 } },
      ]),
      { items: [1, 2] },
    );
    expect(end).toMatchObject({ status: 'failed', error: { message: 'down' } });
    expect(aborted).toBe(4);
  });

  it('leaves the siblings alone where the flow goes on after failures', async () => {
    const { end, status } = await run(
      flowOf(
        [
          { id: 'bad', call: 'fail' },
          { id: 'good', call: 'note', input: { text: 'good' } },
        ],
        { onFailure: 'continue', join: 'any_success' },
      ),
    );
    expect(end.status).toBe('completed');
    expect(status).toEqual({ bad: 'failed', good: 'done' });
  });

  it('is the same in another process that takes the run over', async () => {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-cancel-'));
    cleanup.push(() => rmSync(root, { recursive: true, force: true }));
    const options = { root, home: join(root, 'home'), store: { sqlite: join(root, 'state.db') } };
    const data = flowOf(
      [
        {
          id: 'group',
          kind: 'parallel',
          onError: 'skip',
          steps: [
            { id: 'sleep', sleepMs: 1_000_000 },
            { id: 'bad', call: 'fail' },
          ],
        },
        { id: 'gate', waitFor: 'go' },
        { id: 'after', call: 'note', input: { text: 'after' } },
      ],
      { kind: 'sequential' },
    );
    const first = await open(options);
    await first.flows.registerData(data);
    const { runId } = await first.flows.start('sample', {});
    await expect.poll(async () => (await first.flows.get(runId))?.status).toBe('waiting');
    await first.close();
    const second = await open(options);
    await second.flows.registerData(data);
    await second.flows.send(runId, 'go');
    expect(await second.flows.finished(runId)).toMatchObject({ status: 'completed' });
    expect(called).toEqual(['after']);
  });
});

describe('a failed item', () => {
  it('cancels the items that run, and is the only one that is counted', async () => {
    const either = (item: string): FlowDataStep => ({
      id: item,
      kind: 'conditional',
      forEach: { items: { from: 'input.items' }, maxConcurrency: 4 },
      steps: [
        { id: 'slow', when: 'item > 0', call: 'hang' },
        { id: 'bad', call: 'fail', input: { after: 3 } },
      ],
    });
    const { end } = await run(flowOf([either('list')]), { items: [1, 2, 3, 0, 5, 6] });
    expect(end).toMatchObject({
      status: 'failed',
      error: { message: '1 of 6 items failed: down' },
    });
    expect([running, aborted]).toEqual([3, 3]);
  });
});

describe('a step that is out of time', () => {
  it('cancels what it has started', async () => {
    const { end, status } = await run(
      flowOf([
        {
          id: 'group',
          kind: 'parallel',
          timeoutMs: 30,
          steps: [
            { id: 'one', call: 'hang' },
            { id: 'wait', waitFor: 'never' },
          ],
        },
      ]),
    );
    expect(end).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } });
    expect(status).toMatchObject({ one: 'cancelled', wait: 'cancelled' });
    expect(aborted).toBe(1);
  });
});

describe('the time of a step that calls', () => {
  it.each(INSTEAD)('holds for its %s, too', async (_what, part) => {
    const crib = await open();
    await crib.flows.registerData(flowOf([{ id: 'a', call: 'fail', timeoutMs: 30, ...part }]));
    const { finished } = await crib.flows.start('sample', {});
    expect((await finished).error?.code).toBe('TIMEOUT');
    expect([running, aborted]).toEqual([1, 1]);
  });
});
