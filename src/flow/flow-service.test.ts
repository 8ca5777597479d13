import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineFlow } from '../contract/define-flow.ts';
import { defineTool } from '../contract/define-tool.ts';
import type { FlowContext, FlowDefinition } from '../contract/flow.ts';
import type { FlowRun } from '../contract/flow-store.ts';
import type { Runtime } from '../contract/runtime.ts';
import { createCribHost } from '../crib/create-crib.ts';
import { createRuntime } from '../crib/create-runtime.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';
import { FlowRegistry } from './flow-registry.ts';
import { FlowService, type FlowServiceDeps } from './flow-service.ts';
import type { FlowSeals } from './run-seals.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const store = createMemoryStore();
const made: string[] = [];
const double = defineTool({
  name: 'double',
  description: 'Doubles a number.',
  tier: 'read_only',
  input: z.object({ n: z.number() }),
  run: ({ n }) => {
    made.push(`double ${n}`);
    return { n: n * 2 };
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
const slow = defineTool({
  name: 'slow',
  description: 'Takes a while.',
  tier: 'read_only',
  input: z.object({ ms: z.number() }),
  run: async ({ ms }) => {
    await pause(ms);
    made.push(`slow ${ms}`);
    return ms;
  },
});

const change = defineTool({
  name: 'change',
  description: 'Changes something.',
  tier: 'write',
  input: z.object({}),
  run: () => 'done',
});
const policy = {
  version: 1 as const,
  rules: [{ name: 'all', effect: 'allow' as const, tools: ['*'] }],
};

const fails = (message: string): never => {
  throw new Error(message);
};
const strict = defineFlow({
  name: 'strict',
  version: '1.0.0',
  input: z.strictObject({ n: z.number() }),
  run: async (_flow, { n }) => n,
});

const registries = new WeakMap<FlowService, FlowRegistry>();
const register = <I>(service: FlowService, flow: FlowDefinition<I, unknown>): void => {
  registries.get(service)?.register(flow);
  service.continueDue();
};

/** Seals with a text of its own, and accepts one. */
const sealsWith = (own: string): FlowSeals => ({
  isOn: true,
  seal: () => own,
  isOurs: (_, seal) => seal === 'seal',
  isRunOurs: async (_, seal) => seal === 'seal',
});

/** A clock on which no wait is longer than 5 ms. */
const hurried = (): Runtime => {
  const runtime = createRuntime();
  return { ...runtime, after: (ms, callback) => runtime.after(Math.min(ms, 5), callback) };
};

let ids = 0;
const openService = async (parts: Partial<FlowServiceDeps> = {}): Promise<FlowService> => {
  const crib = await createCribHost({
    store,
    builtins: false,
    tools: [double, fail, slow, change],
    policy,
  });
  const registry = new FlowRegistry();
  const service = new FlowService({
    registry,
    runtime: createRuntime(),
    events: crib.events,
    tools: crib.tools,
    flows: async () => store.flows,
    nextId: () => `run-${++ids}`,
    execute: (tool, input, as) => crib.execute(tool, input, as),
    cutOffCalls: async () => [],
    undo: (executionId, as) => crib.executions.undo(executionId, as),
    confirm: () => Promise.reject(new Error('not used')),
    approval: async () => undefined,
    seals: async () => sealsWith('seal'),
    refusalOf: () => undefined,
    planCover: async () => undefined,
    withdraw: async () => undefined,
    redactError: async (error) => error,
    gathersRecords: true,
    ...parts,
  });
  registries.set(service, registry);
  open.push(crib, service);
  return service;
};

const runFlow = async (
  run: (flow: FlowContext, input: never) => Promise<unknown>,
  input: unknown = {},
): Promise<{ readonly run: FlowRun; readonly service: FlowService }> => {
  const service = await openService();
  const name = `flow-${++ids}`;
  register(service, defineFlow({ name, version: '1.0.0', run: run as never }));
  const { finished } = await service.start(name, input);
  return { run: await finished, service };
};

describe('a flow as code', () => {
  it('returns what its code returns, with the data of its calls', async () => {
    const { run } = await runFlow(
      async (flow, { n }: { n: number }) => {
        const first = await flow.call(double, { n });
        const second = await flow.call(double, first);
        return second.n;
      },
      { n: 3 },
    );
    expect(run).toMatchObject({ status: 'completed', output: 12 });
  });

  it('its calls carry the id of the run as trace id', async () => {
    const traces: (string | undefined)[] = [];
    const probe = defineTool({
      name: 'probe',
      description: 'Notes the trace id.',
      tier: 'read_only',
      input: z.object({}),
      run: (_input, { traceId }) => {
        traces.push(traceId);
        return {};
      },
    });
    const crib = await createCribHost({ store, builtins: false, tools: [probe] });
    open.push(crib);
    const service = await openService({
      execute: (tool, input, as) => crib.execute(tool, input, as),
      tools: crib.tools,
    });
    const code = async (flow: FlowContext): Promise<unknown> => flow.call('probe', {});
    register(service, defineFlow({ name: 'traced', version: '1.0.0', run: code }));
    const { runId, finished } = await service.start('traced', {});
    expect(await finished).toMatchObject({ status: 'completed' });
    expect(traces).toEqual([runId]);
  });

  it('fails with the code of a call that its code does not catch', async () => {
    const { run } = await runFlow((flow) => flow.call('fail', {}));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'EXECUTION_FAILED' } });
  });

  it('continues when its code catches the failure of a call', async () => {
    const { run } = await runFlow(async (flow) => {
      const code = await flow.call('fail', {}).catch((error) => error.code);
      return { code, after: await flow.call(double, { n: 1 }) };
    });
    expect(run.output).toEqual({ code: 'EXECUTION_FAILED', after: { n: 2 } });
  });

  it('runs tasks in a window, never more at once than allowed', async () => {
    let running = 0;
    let most = 0;
    const { run } = await runFlow((flow) =>
      flow.all(
        [5, 4, 3, 2, 1].map((ms) => async () => {
          running += 1;
          most = Math.max(most, running);
          const data = await flow.call(slow, { ms });
          running -= 1;
          return data;
        }),
        { maxConcurrency: 2 },
      ),
    );
    expect(run.output).toEqual([5, 4, 3, 2, 1]);
    expect(most).toBe(2);
  });

  it('refuses input that does not fit its schema, and writes no run', async () => {
    const service = await openService();
    const input = z.object({ n: z.number() });
    register(service, defineFlow({ name: 'typed', version: '1.0.0', input, run: async () => 1 }));
    await expect(service.start('typed', { n: 'x' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(await store.flows.list({ flow: 'typed' })).toEqual([]);
  });

  it('started twice under one id runs once', async () => {
    const service = await openService();
    let runs = 0;
    const run = async () => ++runs;
    register(service, defineFlow({ name: 'once', version: '1.0.0', run }));
    const starts = await Promise.all(
      [1, 2, 3].map(() => service.start('once', {}, { runId: 'id' })),
    );
    const outputs = await Promise.all(starts.map(async ({ finished }) => (await finished).output));
    expect(outputs).toEqual([1, 1, 1]);
  });

  it('sleeps, waits for an event, and computes a value once', async () => {
    const service = await openService();
    let computed = 0;
    const run = async (flow: FlowContext) => {
      const value = await flow.value('id', () => ++computed);
      await flow.sleep(20);
      const payload = await flow.waitForEvent('go');
      return { value, payload };
    };
    register(service, defineFlow({ name: 'waits', version: '1.0.0', run }));
    const { runId, finished } = await service.start('waits', {});
    await expect.poll(async () => (await store.flows.get(runId))?.waitsFor).toEqual(['event:go']);
    expect(await service.send(runId, 'go', { n: 7 })).toBe(true);
    expect((await finished).output).toEqual({ value: 1, payload: { n: 7 } });
    expect(computed).toBe(1);
  });

  it('fails with TIMEOUT when an event does not come in time', async () => {
    const { run } = await runFlow((flow) => flow.waitForEvent('never', { timeoutMs: 30 }));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } });
  });

  it('runs another flow and returns its output', async () => {
    const inner = defineFlow({
      name: 'inner',
      version: '1.0.0',
      run: async (flow: FlowContext, { n }: { n: number }) => (await flow.call(double, { n })).n,
    });
    const { run } = await runFlow(async (flow) => [
      await flow.child(inner, { n: 1 }),
      await flow.child(inner, { n: 2 }),
    ]);
    expect(run.output).toEqual([2, 4]);
    expect(await store.flows.list({ flow: 'inner' })).toHaveLength(2);
  });

  it('cancelled, ends as cancelled together with the runs that it has started', async () => {
    const service = await openService();
    const inner = defineFlow({
      name: 'inner-waits',
      version: '1.0.0',
      run: (flow: FlowContext) => flow.waitForEvent('never'),
    });
    const run = (flow: FlowContext) => flow.child(inner, {});
    register(service, defineFlow({ name: 'outer-waits', version: '1.0.0', run }));
    const { runId, finished } = await service.start('outer-waits', {});
    await expect.poll(async () => (await store.flows.get(runId))?.status).toBe('waiting');
    expect(await service.cancel(runId)).toBe(true);
    expect((await finished).status).toBe('cancelled');
    expect(await store.flows.list({ flow: 'inner-waits' })).toMatchObject([
      { status: 'cancelled' },
    ]);
    expect(await service.cancel(runId)).toBe(false);
  });
});

/** The same store as a second process finds it: what the first one held is free. */
const restart = async (
  first: FlowService,
  parts: Partial<FlowServiceDeps> = {},
): Promise<FlowService> => {
  await first.close();
  for (const { id } of await store.flows.list({ status: 'running' })) {
    await store.flows.change(id, { status: 'waiting', updatedAt: 0, wakeAt: 0 });
  }
  return openService(parts);
};

describe('a flow that another process goes on with', () => {
  it('does not run a step again that has ended', async () => {
    const run = async (flow: FlowContext) => {
      const { n } = await flow.call(double, { n: 21 });
      await flow.waitForEvent('go');
      return n;
    };
    const flow = defineFlow({ name: 'resumed', version: '1.0.0', run });
    const first = await openService();
    register(first, flow);
    const { runId } = await first.start('resumed', {});
    await expect.poll(async () => (await store.flows.get(runId))?.status).toBe('waiting');
    const second = await restart(first);
    register(second, flow);
    await second.send(runId, 'go', null);
    expect((await second.whenOver(runId)).output).toBe(42);
    expect(made.filter((each) => each === 'double 21')).toHaveLength(1);
  });

  it('repeats concurrent branches in the order in which they ended', async () => {
    const branch = async (flow: FlowContext, ms: number) => {
      await flow.call(slow, { ms });
      return flow.call(double, { n: ms });
    };
    const run = async (flow: FlowContext) => {
      const all = await flow.all([40, 10, 25].map((ms) => () => branch(flow, ms)));
      await flow.waitForEvent('go');
      return all.map(({ n }) => n);
    };
    const flow = defineFlow({ name: 'branches', version: '1.0.0', run });
    const first = await openService();
    register(first, flow);
    const { runId } = await first.start('branches', {});
    await expect.poll(async () => (await store.flows.get(runId))?.status).toBe('waiting');
    const second = await restart(first);
    register(second, flow);
    await second.send(runId, 'go', null);
    expect(await second.whenOver(runId)).toMatchObject({
      status: 'completed',
      output: [80, 20, 50],
    });
  });

  it('makes the steps of a branch again that went on after the code had ended', async () => {
    const run = async (flow: FlowContext) => {
      const branch = async () => {
        for (const n of [1, 2]) await flow.call(double, { n });
        await flow.call(slow, { ms: 301 });
      };
      const last = flow.call(double, { n: 3 });
      void branch();
      await last;
      return 'over';
    };
    const flow = defineFlow({ name: 'late', version: '1.0.0', run });
    const first = await openService();
    register(first, flow);
    const { runId } = await first.start('late', {});
    await expect.poll(async () => (await store.flows.steps(runId)).length).toBe(3);
    const second = await restart(first);
    register(second, flow);
    expect(await second.whenOver(runId)).toMatchObject({ status: 'completed', output: 'over' });
    expect(made).toContain('slow 301');
  });

  const changed = async (before: unknown, after: unknown): Promise<FlowRun> => {
    const name = `changed-${++ids}`;
    const first = await openService();
    register(first, defineFlow({ name, version: '1.0.0', run: before as never }));
    const { runId } = await first.start(name, {});
    await expect.poll(async () => (await store.flows.get(runId))?.status).toBe('waiting');
    const second = await restart(first, { runtime: hurried() });
    register(second, defineFlow({ name, version: '1.0.0', run: after as never }));
    await second.send(runId, 'go', null);
    return second.whenOver(runId);
  };
  const original = async (flow: FlowContext) => {
    await flow.call(double, { n: 1 });
    return flow.waitForEvent('go');
  };

  it.each([
    ['calls another tool', (flow: FlowContext) => flow.call('fail', {}), 'Step 1 is call fail'],
    ['gives another input', (flow: FlowContext) => flow.call(double, { n: 2 }), 'another input'],
    ['ends without a step', async () => 1, 'the code ended without it'],
    [
      'never makes a step',
      (flow: FlowContext) => new Promise(() => flow),
      'the code has not made it for 5 minutes',
    ],
  ])('is blocked, with the step named, when its code %s', async (_, code, message) => {
    const run = await changed(original, code);
    expect(run).toMatchObject({
      status: 'blocked',
      waitsFor: ['step:1'],
      error: { code: 'CONFLICT' },
    });
    expect(run.error?.message).toContain(message);
  });

  it('waits while its version is not registered, and can be moved to another', async () => {
    const first = await openService();
    register(first, defineFlow({ name: 'moved', version: '1.0.0', run: original }));
    const { runId } = await first.start('moved', {});
    await expect.poll(async () => (await store.flows.get(runId))?.status).toBe('waiting');
    const second = await restart(first);
    register(second, defineFlow({ name: 'moved', version: '2.0.0', run: original }));
    await second.send(runId, 'go', 'x');
    await pause(50);
    expect((await store.flows.get(runId))?.status).toBe('waiting');
    expect(await second.resume(runId, { version: '2.0.0' })).toBe(true);
    expect(await second.whenOver(runId)).toMatchObject({ status: 'completed', output: 'x' });
  });

  it('threat: a run that this user did not seal is not continued', async () => {
    const first = await openService({ seals: async () => sealsWith('forged') });
    register(first, defineFlow({ name: 'planted', version: '1.0.0', run: original }));
    const { runId } = await first.start('planted', {});
    await expect.poll(async () => (await store.flows.get(runId))?.status).toBe('waiting');
    const second = await restart(first);
    register(second, defineFlow({ name: 'planted', version: '1.0.0', run: original }));
    await second.send(runId, 'go', null);
    expect(await second.whenOver(runId)).toMatchObject({
      status: 'blocked',
      waitsFor: ['seal'],
      error: {
        code: 'SECURITY_VIOLATION',
        message: expect.stringContaining('The start of the run'),
      },
    });
  });
});

describe('the undo of a failed run', () => {
  it('is called as the caller of the run, with its budget and a key of its own', async () => {
    const asked: unknown[] = [];
    const service = await openService({
      undo: async (_executionId, as) => {
        asked.push(as);
        return Promise.reject(new Error('crash'));
      },
    });
    const run = async (flow: FlowContext) => {
      await flow.call(change, {});
      return fails('stop');
    };
    const name = `undoes-${++ids}`;
    register(service, defineFlow({ name, version: '1.0.0', undoOnFailure: true, run }));
    const { runId } = await service.start(name, {}, { userId: 'bo', dailyUsd: 2 });
    await expect.poll(async () => (await store.flows.get(runId))?.waitsFor).toEqual(['retry']);
    const idempotencyKey = `flow:${runId}:undo:1`;
    expect(asked).toMatchObject([{ userId: 'bo', dailyUsd: 2, flowId: runId, idempotencyKey }]);
  });
});

describe('a step that fails before anything is called', () => {
  it.each([
    [
      'a value that cannot be made',
      (flow: FlowContext): Promise<unknown> => flow.value('id', () => fails('no id')),
    ],
    [
      'a value that cannot be stored',
      (flow: FlowContext): Promise<unknown> => flow.value('id', () => 1n),
    ],
    [
      'a child with a wrong input',
      (flow: FlowContext): Promise<unknown> => flow.child(strict, { n: 'x' as never }),
    ],
  ])('fails the run, and the code may catch it: %s', async (_title, step) => {
    const service = await openService();
    const plain = { name: `early-${++ids}`, version: '1.0.0' };
    register(service, defineFlow({ ...plain, run: step }));
    const failed = await (await service.start(plain.name, {})).finished;
    expect(failed.status).toBe('failed');
    const caught = { name: `early-${++ids}`, version: '1.0.0' };
    register(service, defineFlow({ ...caught, run: (flow) => step(flow).catch(() => 'caught') }));
    expect((await (await service.start(caught.name, {})).finished).output).toBe('caught');
  });

  it('an end that cannot be kept fails the run with INTERNAL, and is not tried again', async () => {
    const redactError = () => fails('This error is not understood.');
    const service = await openService({ redactError });
    const run = () => fails('stop');
    register(service, defineFlow({ name: 'unkept', version: '1.0.0', run: async () => run() }));
    const { finished } = await service.start('unkept', {});
    expect(await finished).toMatchObject({ status: 'failed', error: { code: 'INTERNAL' } });
  });

  it('an output that cannot be stored fails the run', async () => {
    const service = await openService();
    register(service, defineFlow({ name: 'big', version: '1.0.0', run: async () => [1n] }));
    const run = await (await service.start('big', {})).finished;
    expect(run).toMatchObject({ status: 'failed', error: { code: 'EXECUTION_FAILED' } });
  });
});
