import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineFlow } from '../../contract/define-flow.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { FlowData } from '../../contract/flow-data.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { Tool } from '../../contract/tool.ts';
import { createCribHost } from '../../crib/create-crib.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const made: string[] = [];
const note = defineTool({
  name: 'note',
  description: 'Writes a text down.',
  tier: 'read_only',
  input: z.object({ text: z.string() }),
  run: ({ text }) => {
    made.push(text);
    return { text };
  },
});

const fail = defineTool({
  name: 'fail',
  description: 'Fails, and says that it may be called again.',
  tier: 'read_only',
  retry: RetryPolicies.NONE,
  input: z.object({}),
  run: (): string => {
    throw new ToolFailure('NETWORK', 'down');
  },
});

/** A crib on a store that outlives it, as another process would have it. */
const open = async (
  store: ReturnType<typeof createMemoryStore>,
  tools: readonly Tool[] = [note as Tool],
) => {
  const crib = await createCribHost({
    store: { ...store, close: async () => undefined },
    builtins: false,
    tools: [...tools],
  });
  cleanup.push(() => crib.close());
  return crib;
};

const say = (id: string, text: unknown = id) => ({ id, call: 'note', input: { text } });

const flow = (text: string): FlowData => ({
  name: 'sample',
  version: '1.0.0',
  kind: 'dag',
  steps: [
    say('a'),
    say('b'),
    { id: 'wait', waitFor: 'go', after: ['a', 'b'] },
    { ...say('c', text), after: ['wait'] },
  ],
});

describe('a run of a flow as data in another process', () => {
  it('continues where it stopped, and repeats no step', async () => {
    made.length = 0;
    const store = createMemoryStore();
    const first = await open(store);
    await first.flows.registerData(flow('c'));
    const { runId } = await first.flows.start('sample', {});
    await expect.poll(async () => (await first.flows.get(runId))?.status).toBe('waiting');
    expect((await first.flows.nodes(runId))?.nodes.map(({ status }) => status)).toEqual([
      ...['done', 'done', 'waiting', 'pending'],
    ]);
    await first.close();
    const second = await open(store);
    await second.flows.send(runId, 'go', null);
    await second.flows.registerData(flow('c'));
    await expect.poll(async () => (await second.flows.get(runId))?.status).toBe('completed');
    expect(made.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('goes on with a group to be tried again where its tools are not those of the start', async () => {
    const store = createMemoryStore();
    const first = await open(store, [note as Tool, fail as Tool]);
    const register = async (crib: typeof first) => {
      await crib.flows.registerData({ name: 'sub', version: '1.0.0', steps: [say('a')] });
      const steps = [
        { id: 'sub', flow: 'sub@1.0.0' },
        { id: 'fail', call: 'fail', input: {} },
      ];
      const retry = { attempts: 2, delayMs: 3_600_000 };
      await crib.flows.registerData({
        name: 'sample',
        version: '1.0.0',
        kind: 'parallel',
        steps: [
          { id: 'group', retry, steps },
          { id: 'wait', waitFor: 'go' },
        ],
      });
    };
    await register(first);
    const { runId } = await first.flows.start('sample', {});
    const stateOf = async (crib: typeof first, key: string) =>
      (await crib.flows.steps(runId)).find((step) => step.key === key)?.state;
    await expect.poll(() => stateOf(first, 'group.wait1')).toBe('open');
    await first.close();
    const second = await open(store, [{ ...note, tier: 'write' } as Tool, fail as Tool]);
    await second.flows.send(runId, 'go', null);
    await register(second);
    await expect.poll(() => stateOf(second, 'wait')).toBe('done');
    expect(await second.flows.get(runId)).toMatchObject({ status: 'sleeping' });
  });

  it('is blocked when the data under its version has changed', async () => {
    made.length = 0;
    const store = createMemoryStore();
    const first = await open(store);
    await first.flows.registerData(flow('c'));
    const { runId } = await first.flows.start('sample', {});
    await expect.poll(async () => (await first.flows.get(runId))?.status).toBe('waiting');
    await first.close();
    const second = await open(store);
    await second.flows.registerData(flow('something else'));
    await second.flows.send(runId, 'go', null);
    await expect.poll(async () => (await second.flows.get(runId))?.status).toBe('blocked');
    expect(made).not.toContain('something else');
  });
});

describe('registering', () => {
  it('the same data again is fine, other data under the version is a CONFLICT', async () => {
    const crib = await open(createMemoryStore());
    await crib.flows.registerData(flow('c'));
    await crib.flows.registerData(flow('c'));
    await expect(crib.flows.registerData(flow('d'))).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await crib.flows.data()).map(({ name }) => name)).toEqual(['sample']);
  });

  it('a flow as code keeps its name and version from data', async () => {
    const crib = await open(createMemoryStore());
    crib.flows.register(defineFlow({ name: 'sample', version: '1.0.0', run: async () => 1 }));
    await expect(crib.flows.registerData(flow('c'))).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('threats: runs that start each other', () => {
  it('a flow that starts itself ends with CALL_CYCLE and does not fill the store', async () => {
    const crib = await open(createMemoryStore());
    const self = defineFlow({
      name: 'self',
      version: '1.0.0',
      run: (context): Promise<unknown> => context.child(self, {}),
    });
    crib.flows.register(self);
    const { finished } = await crib.flows.start('self', {});
    expect((await finished).error?.code).toBe('CALL_CYCLE');
    expect((await crib.flows.list()).length).toBe(9);
  });

  it('the children of a run that fails are cancelled', async () => {
    const crib = await open(createMemoryStore());
    const inner = { name: 'inner', version: '1.0.0', steps: [{ id: 'w', waitFor: 'never' }] };
    await crib.flows.registerData(inner);
    await crib.flows.registerData({
      name: 'outer',
      version: '1.0.0',
      limits: { timeoutMs: 30 },
      steps: [{ id: 'sub', flow: 'inner@1.0.0' }],
    });
    const { finished } = await crib.flows.start('outer', {});
    expect((await finished).error?.code).toBe('TIMEOUT');
    await expect
      .poll(async () => (await crib.flows.list({ flow: 'inner' })).map(({ status }) => status))
      .toEqual(['cancelled']);
  });
});
