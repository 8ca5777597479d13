import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sendingTools } from '../../../../test/fixtures/sending-tools.ts';
import { LOCAL_CALLER } from '../../../contract/caller.ts';
import { defineFlow } from '../../../contract/define-flow.ts';
import { defineTool } from '../../../contract/define-tool.ts';
import type { FlowContext } from '../../../contract/flow.ts';
import type { FlowRun } from '../../../contract/flow-store.ts';
import { createMemoryStore } from '../../../stores/memory/create-memory-store.ts';
import { createCribHost } from '../../create-crib.ts';
import type { CribOptions } from '../../crib-options.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const { sent, send, paid } = sendingTools();

const open = async (options: CribOptions = {}) => {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-flow-'));
  const crib = await createCribHost({
    ...{ root, home: join(root, 'home'), store: { sqlite: join(root, 'state.db') } },
    ...{ builtins: false, tools: [send, paid] },
    ...options,
  });
  cleanup.push(() => rmSync(root, { recursive: true, force: true }));
  cleanup.push(() => crib.close());
  return crib;
};

const flowOf = (run: (flow: FlowContext) => Promise<unknown>) =>
  defineFlow({ name: 'sample', version: '1.0.0', run });

describe('approvals of a flow', () => {
  it('a call that needs approval waits in the inbox, and runs once when it is given', async () => {
    const crib = await open();
    crib.flows.register(flowOf((flow) => flow.call(send, { text: 'hello' })));
    const { runId, finished } = await crib.flows.start('sample', {});
    await expect.poll(async () => (await crib.flows.get(runId))?.status).toBe('waiting');
    expect(sent).toEqual([]);
    const [question] = await crib.approvals.list();
    expect(question).toMatchObject({ tool: 'send', request: { input: { text: 'hello' } } });
    await crib.approvals.decide(question?.id ?? '', { approve: true, by: 'ada' });
    expect(await finished).toMatchObject({ status: 'completed', output: { sent: 'hello' } });
    expect(sent.splice(0)).toEqual(['hello']);
  });

  it('a call that a person denies fails with USER_CANCELLED', async () => {
    const crib = await open();
    crib.flows.register(flowOf((flow) => flow.call(send, { text: 'no' })));
    const { finished } = await crib.flows.start('sample', {});
    await expect.poll(async () => (await crib.approvals.list()).length).toBe(1);
    const [question] = await crib.approvals.list();
    await crib.approvals.decide(question?.id ?? '', { approve: false, by: 'ada' });
    expect(await finished).toMatchObject({ status: 'failed', error: { code: 'USER_CANCELLED' } });
    expect(sent).toEqual([]);
  });

  it.each([true, false])('waitForApproval returns the answer %s of a person', async (approve) => {
    const crib = await open();
    crib.flows.register(flowOf((flow) => flow.waitForApproval('Send it?', { to: 'Bo' })));
    const { runId, finished } = await crib.flows.start('sample', {});
    await expect.poll(async () => (await crib.flows.get(runId))?.status).toBe('waiting');
    const [question] = await crib.approvals.list();
    expect(question?.request.input).toMatchObject({
      ...{ flow: 'sample', runId, question: 'Send it?', details: { to: 'Bo' } },
    });
    expect(question?.request.reason).toBe('A flow asks a person before it goes on.');
    await crib.approvals.decide(question?.id ?? '', { approve, by: 'ada', note: 'fine' });
    const answer = { approved: approve, by: 'ada', note: 'fine' };
    expect(await finished).toMatchObject({ status: 'completed', output: answer });
  });

  it('threat: a rule that allows everything does not answer waitForApproval', async () => {
    const rules = [{ name: 'all', effect: 'allow' as const, tools: ['*'] }];
    const crib = await open({ policy: { version: 1, rules } });
    crib.flows.register(flowOf((flow) => flow.waitForApproval('Send it?')));
    const { runId } = await crib.flows.start('sample', {});
    await expect.poll(async () => (await crib.flows.get(runId))?.status).toBe('waiting');
    expect(await crib.approvals.list()).toHaveLength(1);
  });

  it('a rule can deny the questions of flows', async () => {
    const rules = [{ name: 'none', effect: 'deny' as const, tools: ['*'] }];
    const crib = await open({ policy: { version: 1, rules } });
    crib.flows.register(flowOf((flow) => flow.waitForApproval('Send it?')));
    const { finished } = await crib.flows.start('sample', {});
    expect(await finished).toMatchObject({
      status: 'failed',
      error: { code: 'PERMISSION_DENIED' },
    });
    expect(await crib.approvals.list()).toEqual([]);
  });

  it('threat: the question of a flow cannot be put, or answered, by calling its tool by name', async () => {
    const crib = await open();
    const input = { flow: 'sample', runId: 'x', question: 'Send it?' };
    const result = await crib.execute('toolcrib:confirm', input);
    expect(result).toMatchObject({ success: false, error: { code: 'TOOL_NOT_FOUND' } });
  });
});

describe('the caller of a flow', () => {
  it('is who started the run, without roles that it was not given', async () => {
    const crib = await open({ approver: () => true });
    crib.flows.register(flowOf((flow) => flow.call(send, { text: 'x' })));
    const { runId, finished } = await crib.flows.start('sample', {}, { userId: 'bo' });
    await finished;
    sent.length = 0;
    expect((await crib.flows.get(runId))?.caller).toMatchObject({ userId: 'bo', roles: [] });
    const [row] = await crib.audit.query({ tool: 'send', kind: 'outcome' });
    expect(row).toMatchObject({ userId: 'bo' });
  });

  it('threat: a run cannot spend more than the token allows that started it', async () => {
    const crib = await open({ config: { budget: { dailyUsd: 100 } } });
    const twice = async (flow: FlowContext) => {
      await flow.call(paid, {});
      return flow.call(paid, {});
    };
    crib.flows.register(flowOf(twice));
    const { finished } = await crib.flows.start('sample', {}, { userId: 'bo', dailyUsd: 1.5 });
    expect(await finished).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
  });
});

describe('a flow that fails', () => {
  it('undoes its calls, newest first, when its definition asks for it', async () => {
    const undone: unknown[] = [];
    const step = defineTool({
      name: 'step',
      description: 'Does something.',
      tier: 'write',
      input: z.object({ n: z.number() }),
      run: ({ n }, context) => {
        context.keepForUndo({ n });
        return n;
      },
      undo: async (_input, { kept }) => {
        undone.push(kept);
      },
    });
    const rules = [{ name: 'step', effect: 'allow' as const, tools: ['step'] }];
    const crib = await open({ tools: [step], policy: { version: 1, rules } });
    const run = async (flow: FlowContext) => {
      await flow.call(step, { n: 1 });
      await flow.call(step, { n: 2 });
      throw new Error('stop');
    };
    crib.flows.register(defineFlow({ name: 'undoes', version: '1.0.0', undoOnFailure: true, run }));
    const { runId, finished } = await crib.flows.start('undoes', {});
    expect((await finished).status).toBe('failed');
    expect(undone).toEqual([{ n: 2 }, { n: 1 }]);
    const undos = (await crib.flows.steps(runId)).filter(({ kind }) => kind === 'undo');
    expect(undos.map(({ state }) => state)).toEqual(['done', 'done']);
  });

  it('takes all of it back also when somebody cancels it meanwhile, who is told so', async () => {
    const undone: unknown[] = [];
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const step = defineTool({
      ...{ name: 'step', description: 'Does something.', tier: 'write' },
      input: z.object({ n: z.number() }),
      run: ({ n }) => n,
      undo: async ({ n }) => {
        await gate;
        undone.push(n);
      },
    });
    const rules = [{ name: 'step', effect: 'allow' as const, tools: ['step'] }];
    const crib = await open({ tools: [step], policy: { version: 1, rules } });
    const run = async (flow: FlowContext) => {
      await flow.call(step, { n: 1 });
      await flow.call(step, { n: 2 });
      throw new Error('stop');
    };
    crib.flows.register(defineFlow({ name: 'undoes', version: '1.0.0', undoOnFailure: true, run }));
    const { runId, finished } = await crib.flows.start('undoes', {});
    const undos = async () => (await crib.flows.steps(runId)).filter(({ kind }) => kind === 'undo');
    await expect.poll(undos, { timeout: 20_000 }).toMatchObject([{ state: 'open' }]);
    await expect(crib.flows.cancel(runId)).rejects.toMatchObject({ code: 'CONFLICT' });
    goOn();
    expect(await finished).toMatchObject({ status: 'failed', error: { message: 'stop' } });
    expect(undone).toEqual([2, 1]);
    expect(await crib.flows.cancel(runId)).toBe(false);
  });

  it('undoes a call that had ended before its process died, and answers by its key since', async () => {
    const undone: unknown[] = [];
    const step = defineTool({
      ...{ name: 'step', description: 'Does something.', tier: 'write' },
      input: z.object({ n: z.number() }),
      run: ({ n }) => n,
      undo: async ({ n }) => {
        undone.push(n);
      },
    });
    const rules = [{ name: 'step', effect: 'allow' as const, tools: ['step'] }];
    const crib = await open({ tools: [step], policy: { version: 1, rules } });
    const run = async (flow: FlowContext) => {
      await flow.call(step, { n: 1 });
      throw new Error('stop');
    };
    crib.flows.register(defineFlow({ name: 'undoes', version: '1.0.0', undoOnFailure: true, run }));
    // What a process leaves that dies between the end of the call and its row in the journal.
    await crib.execute(step, { n: 1 }, { idempotencyKey: 'flow:left:1' });
    const { finished } = await crib.flows.start('undoes', {}, { runId: 'left' });
    expect((await finished).status).toBe('failed');
    expect(undone).toEqual([1]);
  });

  it('threat: keeps no secret that its code has thrown', async () => {
    const crib = await open();
    const secret = `sk_live_${'4eC39HqLyjWDarjtT1zdp7dc'}`;
    const run = (flow: FlowContext): Promise<unknown> =>
      flow.value('account', () => {
        throw new Error(`refused: ${secret}`);
      });
    crib.flows.register(flowOf(run));
    const { runId, finished } = await crib.flows.start('sample', {});
    const { status, error } = await finished;
    expect(status).toBe('failed');
    expect(error?.message).toMatch(/^refused: /);
    expect(
      JSON.stringify([await crib.flows.get(runId), await crib.flows.steps(runId)]),
    ).not.toContain(secret);
  });
});

describe('the steps of a run', () => {
  it('show what has ended and is not written yet', async () => {
    const crib = await open();
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const run = async (flow: FlowContext): Promise<void> => {
      await flow.value('first', () => 1);
      await flow.value('second', () => gate);
    };
    crib.flows.register(flowOf(run));
    const { runId, finished } = await crib.flows.start('sample', {});
    const states = async () =>
      (await crib.flows.steps(runId)).map(({ name, state }) => [name, state]);
    expect(await states()).toEqual([
      ['first', 'done'],
      ['second', 'open'],
    ]);
    goOn();
    await finished;
  });

  it('stay as they were when the code of the flow or a reader changes what it got', async () => {
    const crib = await open({ store: 'memory' });
    const run = async (flow: FlowContext): Promise<void> => {
      const value = await flow.value('list', () => [1]);
      value.push(2);
      await flow.call('nothing', {}).catch((error) => error.extras.suggestions.push('x'));
    };
    crib.flows.register(flowOf(run));
    const { runId, finished } = await crib.flows.start('sample', {});
    await finished;
    const [list] = await crib.flows.steps(runId);
    (list?.value as number[] | undefined)?.push(3);
    const steps = await crib.flows.steps(runId);
    expect(steps[0]?.value).toEqual([1]);
    expect(steps[1]?.error?.code).toBe('TOOL_NOT_FOUND');
    expect(steps[1]?.error?.suggestions).not.toContain('x');
  });

  it('show no sleep as open once the run is over', async () => {
    const crib = await open();
    crib.flows.register(
      flowOf(async (flow) => {
        void flow.sleep(60_000, { key: 'limit' });
        return flow.value('work', () => 1);
      }),
    );
    const { runId, finished } = await crib.flows.start('sample', {});
    expect((await finished).status).toBe('completed');
    const sleep = (await crib.flows.steps(runId)).find(({ key }) => key === 'limit');
    expect(sleep).toMatchObject({ state: 'failed', error: { code: 'CANCELLED' } });
  });

  it('show no wait as open once the run was cancelled', async () => {
    const crib = await open();
    crib.flows.register(flowOf((flow) => flow.waitForEvent('never')));
    const { runId, finished } = await crib.flows.start('sample', {});
    await expect.poll(async () => (await crib.flows.get(runId))?.status).toBe('waiting');
    expect((await crib.flows.steps(runId)).map(({ state }) => state)).toEqual(['open']);
    await crib.flows.cancel(runId);
    await finished;
    const [wait] = await crib.flows.steps(runId);
    expect(wait).toMatchObject({ state: 'failed', error: { code: 'CANCELLED' } });
    expect(wait?.finishedAt).toBe((await crib.flows.get(runId))?.updatedAt);
  });
});

describe('a run whose version is registered nowhere', () => {
  it.each([
    ['that sleeps', 'sleeping'],
    ['whose event came', 'waiting'],
    ['whose process was killed while it ran', 'running'],
  ] as const)('%s says so once it is due for a while', async (_title, status) => {
    const store = createMemoryStore();
    const crib = await open({ store });
    const now = Date.now();
    const caller = { ...LOCAL_CALLER };
    const run = (id: string, wakeAt: number): FlowRun => ({
      ...{ id, epoch: 1, flow: 'gone', version: '1.0.0', input: null, caller, status, wakeAt },
      ...{ createdAt: now, updatedAt: now },
    });
    for (const each of [run('late', now - 60_000), run('soon', now + 60_000)]) {
      await store.flows.create(each, { isReleased: true });
    }
    expect(await crib.flows.get('late')).toMatchObject({ status, missingVersion: true });
    expect(await crib.flows.get('soon')).not.toHaveProperty('missingVersion');
    const listed = await crib.flows.list({ flow: 'gone' });
    expect(listed.filter(({ missingVersion }) => missingVersion).map(({ id }) => id)).toEqual([
      'late',
    ]);
    const flow = async () => 'over';
    crib.flows.register(defineFlow({ name: 'gone', version: '1.0.0', run: flow }));
    expect(await crib.flows.get('late')).not.toHaveProperty('missingVersion');
  });
});
