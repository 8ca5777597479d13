/** Every run ends or goes on by itself: nothing that goes wrong in a step or between two may be lost. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LOCAL_CALLER } from '../contract/caller.ts';
import type { Crib } from '../contract/crib.ts';
import { defineFlow } from '../contract/define-flow.ts';
import { defineTool } from '../contract/define-tool.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { FlowContext } from '../contract/flow.ts';
import type { FlowRun, Flows } from '../contract/flow-store.ts';
import type { Store } from '../contract/store.ts';
import { createCribHost } from '../crib/create-crib.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';

const cleanup: (() => unknown)[] = [];
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const slow = defineTool({
  name: 'slow',
  description: 'Takes a while.',
  tier: 'read_only',
  input: z.object({ ms: z.number() }),
  run: async ({ ms }) => {
    await pause(ms);
    return ms;
  },
});
const fail = defineTool({
  name: 'fail',
  description: 'Fails.',
  tier: 'read_only',
  input: z.object({}),
  run: (): number => {
    throw new Error('no');
  },
});

const openCrib = async (store: Store = createMemoryStore()): Promise<Crib> => {
  const crib = await createCribHost({ store, builtins: false, tools: [slow, fail] });
  cleanup.push(() => crib.close());
  return crib;
};

/** A store whose flows do something else in some of their methods. */
const storeWith = (change: (flows: Flows) => Partial<Flows>): Store => {
  const store = createMemoryStore();
  const changed = change(store.flows);
  const flows = new Proxy(store.flows, {
    get: (target, name) => {
      const method = Reflect.get(changed, name) ?? Reflect.get(target, name);
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'flows') return flows;
      const member = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
};

const flowOf = (run: (flow: FlowContext) => Promise<unknown>) =>
  defineFlow({ name: 'sample', version: '1.0.0', run });

const runFlow = async (
  run: (flow: FlowContext) => Promise<unknown>,
  crib?: Crib,
): Promise<FlowRun> => {
  const host = crib ?? (await openCrib());
  host.flows.register(flowOf(run));
  // Under an id of its own the run is written before its first step.
  return (await host.flows.start('sample', {}, { runId: 'run' })).finished;
};

const circular: Record<string, unknown> = {};
circular.self = circular;
const typed = defineFlow({
  name: 'typed',
  version: '1.0.0',
  input: z.object({ n: z.number() }),
  run: async () => 1,
});
const namesake = defineFlow({ name: 'typed', version: '1.0.0', run: async () => 2 });

describe('a step of a flow that cannot end', () => {
  it.each<[string, string, (flow: FlowContext) => Promise<unknown>]>([
    [
      'computes a value by code that throws',
      'EXECUTION_FAILED',
      (flow) =>
        flow.value('id', () => {
          throw new Error('no');
        }),
    ],
    ['computes a value that is no JSON', 'EXECUTION_FAILED', (flow) => flow.value('id', () => 1n)],
    ['returns an output that is no JSON', 'EXECUTION_FAILED', async () => circular],
    [
      'throws a failure whose suggestions are no list',
      'NOT_FOUND',
      async () => {
        throw new ToolFailure('NOT_FOUND', 'none', { suggestions: 'List them.' } as never);
      },
    ],
    [
      'throws a failure whose issues are no list and whose extras are circular',
      'NOT_FOUND',
      async () => {
        throw new ToolFailure('NOT_FOUND', 'none', { issues: 1, partial: circular } as never);
      },
    ],
    [
      'throws a failure without extras',
      'NOT_FOUND',
      async () => {
        throw Object.assign(new Error('none'), { code: 'NOT_FOUND', extras: null });
      },
    ],
    [
      'computes a value by code that throws a failure with a partial result that is no JSON',
      'NOT_FOUND',
      (flow) =>
        flow.value('id', () => {
          throw new ToolFailure('NOT_FOUND', 'none', { partial: 1n });
        }),
    ],
    [
      'starts a child with input that does not fit',
      'VALIDATION_ERROR',
      (flow) => flow.child(typed, { n: 'x' } as never),
    ],
    [
      'starts two children of the same name and version, but other code',
      'CONFLICT',
      async (flow) => {
        await flow.child(namesake, {});
        return flow.child(typed, { n: 1 });
      },
    ],
    [
      'calls a tool with input that is no JSON',
      'EXECUTION_FAILED',
      (flow) => flow.call('slow', circular),
    ],
  ])('a flow that %s fails with %s', async (_, code, run) => {
    expect(await runFlow(run)).toMatchObject({ status: 'failed', error: { code } });
  });

  it('a flow can catch the failure of a value, and of the start of a child', async () => {
    const run = await runFlow(async (flow) => {
      const value = await flow.value('id', () => Promise.reject(new Error('no'))).catch(() => 'a');
      const child = await flow.child(typed, { n: 'x' } as never).catch(() => 'b');
      return [value, child];
    });
    expect(run).toMatchObject({ status: 'completed', output: ['a', 'b'] });
  });

  it('a value reaches the code as a replay will read it', async () => {
    const run = await runFlow(async (flow) => {
      const value: unknown = await flow.value('at', () => ({ at: new Date(0), gone: undefined }));
      return typeof (value as { at: unknown }).at;
    });
    expect(run.output).toBe('string');
  });

  it('a rejection that the code of a flow never looks at does not end the process', async () => {
    process.on('unhandledRejection', note);
    cleanup.push(() => process.off('unhandledRejection', note));
    const run = await runFlow(async (flow) => {
      void flow.call('fail', {});
      void flow.value('id', () => Promise.reject(new Error('no')));
      void flow.child(typed, {} as never);
      void flow.all([() => flow.call('fail', {})]);
      void flow.sleep(-1);
      await flow.sleep(20);
      return 'done';
    });
    await pause(20);
    expect(run.output).toBe('done');
    expect(unhandled.splice(0)).toEqual([]);
  });
});

describe('a run whose store fails for a moment', () => {
  it('is continued by the same process once the journal can be written again', async () => {
    let failures = 1;
    const store = storeWith((flows) => ({
      record: async (claim, steps) => {
        if (failures-- > 0) throw new Error('disk full');
        await flows.record(claim, steps);
      },
    }));
    const run = await runFlow(
      async (flow) => {
        const value = await flow.value('id', () => 7);
        await flow.call(slow, { ms: 120 });
        await flow.value('next', () => 8);
        await flow.call(slow, { ms: 120 });
        return value;
      },
      await openCrib(store),
    );
    expect(failures).toBeLessThan(1);
    expect(run).toMatchObject({ status: 'completed', output: 7 });
  }, 15_000);

  it('is continued by the same process once its end can be written again', async () => {
    let failures = 1;
    const store = storeWith((flows) => ({
      release: async (claim, change, options) => {
        if (failures-- > 0) throw new Error('disk full');
        return flows.release(claim, change, options);
      },
    }));
    const run = await runFlow(async () => 7, await openCrib(store));
    expect(failures).toBeLessThan(1);
    expect(run).toMatchObject({ status: 'completed', output: 7 });
  }, 15_000);

  it('is continued by the same process after a store that was away for several seconds', async () => {
    let failures = 4;
    const store = storeWith((flows) => ({
      release: async (claim, change, options) => {
        if (failures-- > 0) throw new Error('the store is away');
        return flows.release(claim, change, options);
      },
    }));
    const run = await runFlow(async () => 7, await openCrib(store));
    expect(failures).toBeLessThan(1);
    expect(run).toMatchObject({ status: 'completed', output: 7 });
  }, 30_000);

  it('is refused when it cannot be written at all', async () => {
    const store = storeWith(() => ({ create: () => Promise.reject(new Error('disk full')) }));
    const crib = await openCrib(store);
    crib.flows.register(flowOf((flow) => flow.call(slow, { ms: 1 })));
    await expect(crib.flows.start('sample', {})).rejects.toThrow('disk full');
    await expect(crib.flows.start('sample', {}, { runId: 'x' })).rejects.toThrow('disk full');
  });
});

describe('what a run waits for', () => {
  it('a child that ends while its parent is being put aside wakes the parent', async () => {
    const store = storeWith((flows) => ({
      release: async (claim, change, options) => {
        // The parent is put aside only after its child has ended.
        while (change.status === 'waiting') {
          if ((await flows.get(`${claim.id}.1`))?.status === 'completed') break;
          await pause(2);
        }
        if (change.status === 'waiting') await pause(20);
        return flows.release(claim, change, options);
      },
    }));
    const inner = defineFlow({
      name: 'inner',
      version: '1.0.0',
      run: (flow: FlowContext) => flow.call(slow, { ms: 20 }),
    });
    const run = await runFlow((flow) => flow.child(inner, {}), await openCrib(store));
    expect(run).toMatchObject({ status: 'completed', output: 20 });
  });

  it('an event that comes while its step is being written is taken, though another step runs', async () => {
    let crib: Crib | undefined;
    const store = storeWith((flows) => ({
      record: async (claim, steps) => {
        if (steps.some(({ kind, state }) => kind === 'event' && state === 'open')) {
          await crib?.flows.send(claim.id, 'go', 'payload');
        }
        await flows.record(claim, steps);
      },
    }));
    crib = await openCrib(store);
    const order: string[] = [];
    const run = await runFlow(async (flow) => {
      const event = flow.waitForEvent('go').then(() => order.push('event'));
      const call = flow.call(slow, { ms: 400 }).then(() => order.push('call'));
      await Promise.all([event, call]);
    }, crib);
    expect(run.status).toBe('completed');
    expect(order).toEqual(['event', 'call']);
  });

  it('an event that another process sends is not lost when a step of another name has seen it', async () => {
    const flows: { store?: Flows } = {};
    const store = storeWith((each) => {
      flows.store = each;
      return {};
    });
    const crib = await openCrib(store);
    crib.flows.register(
      flowOf(async (flow) => {
        const first = flow.waitForEvent('first');
        await flow.call(slow, { ms: 300 });
        const second = flow.waitForEvent('second', { timeoutMs: 600_000 });
        return Promise.race([first, second]);
      }),
    );
    const { runId, finished } = await crib.flows.start('sample', {});
    await expect.poll(async () => (await flows.store?.steps(runId))?.length).toBe(1);
    await flows.store?.send(runId, { name: 'first', payload: 'x', at: Date.now() });
    expect(await finished).toMatchObject({ status: 'completed', output: 'x' });
  });

  it('a sleep ends in time while another step of the flow still runs', async () => {
    const order: string[] = [];
    await runFlow(async (flow) => {
      const sleep = flow.sleep(20).then(() => order.push('sleep'));
      const call = flow.call(slow, { ms: 500 }).then(() => order.push('call'));
      await Promise.all([sleep, call]);
    });
    expect(order).toEqual(['sleep', 'call']);
  });

  it('the answer to an older question wakes its run while 150 newer runs wait', async () => {
    const send = defineTool({
      name: 'send',
      description: 'Sends.',
      tier: 'external_api',
      input: z.object({}),
      run: () => 'sent',
    });
    const store = createMemoryStore();
    const crib = await createCribHost({ store, builtins: false, tools: [send] });
    cleanup.push(() => crib.close());
    crib.flows.register(flowOf((flow) => flow.call(send, {})));
    const waits = defineFlow({
      name: 'waits',
      version: '1.0.0',
      run: (flow: FlowContext) => flow.waitForEvent('never'),
    });
    crib.flows.register(waits);
    const { runId, finished } = await crib.flows.start('sample', {});
    await expect.poll(async () => (await crib.flows.get(runId))?.status).toBe('waiting');
    for (let made = 0; made < 150; made += 1) await crib.flows.start('waits', {});
    const [question] = await crib.approvals.list();
    await crib.approvals.decide(question?.id ?? '', { approve: true, by: 'ada' });
    expect(await finished).toMatchObject({ status: 'completed', output: 'sent' });
  });
});

describe('a finished run', () => {
  it('is forgotten 30 days after its end, one that waits is not', async () => {
    const store = createMemoryStore();
    const days = (count: number) => Date.now() - count * 24 * 3_600_000;
    for (const id of ['old', 'recent', 'waits']) {
      const at = days(id === 'recent' ? 29 : 31);
      const moments = { createdAt: at, updatedAt: at };
      const run = { id, epoch: 1, flow: 'gone', version: '1.0.0', input: {}, ...moments };
      await store.flows.create({ ...run, caller: LOCAL_CALLER, status: 'running' });
      const status = id === 'waits' ? 'waiting' : 'completed';
      await store.flows.release({ id, epoch: 1 }, { status, updatedAt: at });
    }
    await runFlow(async () => 1, await openCrib(store));
    const left = async () => (await store.flows.list({ flow: 'gone' })).map(({ id }) => id);
    await expect.poll(left).toEqual(['waits', 'recent']);
  });
});

describe('waiting for a run', () => {
  it('is over when the crib is closed, and no rejection is left unhandled', async () => {
    process.on('unhandledRejection', note);
    cleanup.push(() => process.off('unhandledRejection', note));
    const crib = await openCrib();
    crib.flows.register(flowOf((flow) => flow.waitForEvent('never')));
    const { finished } = await crib.flows.start('sample', {});
    await crib.close();
    await expect(finished).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const other = await openCrib();
    other.flows.register(flowOf((flow) => flow.waitForEvent('never')));
    await other.flows.start('sample', {});
    await other.close();
    await pause(20);
    expect(unhandled.splice(0)).toEqual([]);
  });

  it('leaves no rejection unhandled when the crib is closed while the run is read', async () => {
    process.on('unhandledRejection', note);
    cleanup.push(() => process.off('unhandledRejection', note));
    let slowReads = 1;
    const store = storeWith((flows) => ({
      get: async (runId) => {
        if (slowReads-- > 0) await pause(300);
        return flows.get(runId);
      },
    }));
    const crib = await openCrib(store);
    crib.flows.register(flowOf((flow) => flow.waitForEvent('never')));
    const { finished } = await crib.flows.start('sample', {}, { runId: 'run' });
    await crib.close();
    await pause(400);
    await expect(finished).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(unhandled.splice(0)).toEqual([]);
  });
});

describe('cancelling a run', () => {
  it('also ends a child that is being started at that moment', async () => {
    let crib: Crib | undefined;
    const store = storeWith((flows) => ({
      create: async (run) => {
        if (run.parent) await crib?.flows.cancel(run.parent.runId);
        return flows.create(run);
      },
    }));
    crib = await openCrib(store);
    const inner = defineFlow({
      name: 'inner',
      version: '1.0.0',
      run: (flow: FlowContext) => flow.waitForEvent('never'),
    });
    const run = await runFlow((flow) => flow.child(inner, {}), crib);
    expect(run.status).toBe('cancelled');
    const statuses = async () => (await crib?.flows.list({ flow: 'inner' }))?.map((e) => e.status);
    await expect.poll(statuses).toEqual(['cancelled']);
  });
});
