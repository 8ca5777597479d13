/** A run goes on as its caller may now, and shows what it cost. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CallAs } from '../../../contract/call-options.ts';
import { defineFlow } from '../../../contract/define-flow.ts';
import { defineTool } from '../../../contract/define-tool.ts';
import type { FlowContext } from '../../../contract/flow.ts';
import type { TokenRecord } from '../../../contract/tokens.ts';
import { createCribHost } from '../../create-crib.ts';
import type { CribOptions } from '../../crib-options.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const calls: string[] = [];
const undone: unknown[] = [];
const tools = [
  defineTool({
    ...{ name: 'look', description: 'Costs a quarter.', tier: 'read_only' },
    cost: { model: 'usage_based', fixed: 0.25 },
    input: z.object({}),
    run: () => {
      calls.push('look');
      return 'seen';
    },
  }),
  defineTool({
    ...{ name: 'change', description: 'Changes something.', tier: 'write' },
    input: z.object({ n: z.number() }),
    run: ({ n }, context) => {
      context.keepForUndo({ n });
      return n;
    },
    undo: async (_input, { kept }) => {
      undone.push(kept);
    },
  }),
] as const;

const rules = [{ name: 'all', effect: 'allow' as const, tools: ['change', 'look'] }];

const open = async (options: CribOptions = {}) => {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-flow-'));
  const crib = await createCribHost({
    ...{ root, home: join(root, 'home'), store: { sqlite: join(root, 'state.db') } },
    ...{ builtins: false, tools: [...tools], policy: { version: 1, rules } },
    ...options,
  });
  cleanup.push(() => rmSync(root, { recursive: true, force: true }));
  cleanup.push(() => crib.close());
  calls.length = 0;
  undone.length = 0;
  return crib;
};

const flowOf = (run: (flow: FlowContext) => Promise<unknown>) =>
  defineFlow({ name: 'sample', version: '1.0.0', run });

const TOKEN = {
  id: 't1',
  name: 'ci',
  role: 'agent',
  hash: 'x',
  createdAt: 1,
  createdBy: 'ada',
} as const;
const byToken: CallAs = {
  userId: 'token:ci',
  roles: ['agent'],
  authenticated: { userId: 'token:ci', agentId: 'token:ci', sessionId: 'token:t1' },
};
const twice = async (flow: FlowContext) => {
  await flow.call('look', {});
  await flow.waitForEvent('go');
  return flow.call('look', {});
};

describe('threat: the token that started a run', () => {
  it.each<[string, Partial<TokenRecord>, string]>([
    ['is revoked', {}, 'is revoked'],
    ['has expired', { expiresAt: 2 }, 'has expired'],
    ['is not known', { id: 't2' }, 'is revoked'],
  ])('%s: the run calls nothing more, and says why', async (title, token, message) => {
    const crib = await open();
    const store = await crib.store();
    await store.tokens.add({ ...TOKEN, ...token });
    const isLate = title === 'is revoked';
    crib.flows.register(flowOf(twice));
    const { runId, finished } = await crib.flows.start('sample', {}, byToken);
    if (isLate) {
      await expect.poll(async () => (await crib.flows.get(runId))?.status).toBe('waiting');
      expect(calls).toHaveLength(1);
      await store.tokens.revoke('t1', Date.now());
    }
    await crib.flows.send(runId, 'go');
    expect(await finished).toMatchObject({
      ...{ status: 'blocked', waitsFor: ['caller'] },
      error: { code: 'PERMISSION_DENIED', message: expect.stringContaining(message) },
    });
    expect(calls).toHaveLength(isLate ? 1 : 0);
  });

  it('is valid: the run continues', async () => {
    const crib = await open();
    await (await crib.store()).tokens.add(TOKEN);
    crib.flows.register(flowOf(twice));
    const { runId, finished } = await crib.flows.start('sample', {}, byToken);
    await crib.flows.send(runId, 'go');
    expect(await finished).toMatchObject({ status: 'completed', output: 'seen' });
  });
});

describe('the cost of a run', () => {
  it('is that of its calls and of its children, and of no other run', async () => {
    const crib = await open();
    const inner = defineFlow({
      ...{ name: 'inner', version: '1.0.0' },
      run: (flow: FlowContext) => flow.call('look', {}),
    });
    crib.flows.register(inner);
    crib.flows.register(
      flowOf(async (flow) => {
        await flow.call('look', {});
        return flow.child(inner, {});
      }),
    );
    for (const runId of ['run-1', 'run-10']) {
      await (await crib.flows.start('sample', {}, { userId: 'bo', runId })).finished;
    }
    expect(await crib.flows.get('run-1')).toMatchObject({ cost: { usd: 0.5, heldUsd: 0 } });
    expect(await crib.flows.get('run-1.2')).toMatchObject({ cost: { usd: 0.25 } });
  });
});

describe('an undo that needs approval', () => {
  const failing = defineFlow({
    ...{ name: 'failing', version: '1.0.0', undoOnFailure: true },
    run: async (flow: FlowContext) => {
      await flow.call('change', { n: 1 });
      await flow.call('change', { n: 2 });
      throw new Error('stop');
    },
  });
  const ask = { name: 'undo', effect: 'ask' as const, tools: ['toolcrib:undo', 'toolcrib:*'] };

  it('keeps the failed run waiting, and the calls before it are undone after it', async () => {
    const crib = await open({ policy: { version: 1, rules: [ask, ...rules] } });
    crib.flows.register(failing);
    const { runId, finished } = await crib.flows.start('failing', {}, { userId: 'bo' });
    for (const count of [1, 2]) {
      await expect.poll(async () => (await crib.approvals.list()).length).toBe(1);
      await expect.poll(async () => (await crib.flows.get(runId))?.status).toBe('waiting');
      expect(undone).toHaveLength(count - 1);
      const [question] = await crib.approvals.list();
      await crib.approvals.decide(question?.id ?? '', { approve: count === 1, by: 'ada' });
    }
    expect(await finished).toMatchObject({ status: 'failed', error: { message: 'stop' } });
    expect(undone).toEqual([{ n: 2 }]);
    const undos = (await crib.flows.steps(runId)).filter(({ kind }) => kind === 'undo');
    expect(undos).toMatchObject([
      { key: 'undo:2', state: 'done' },
      { key: 'undo:1', state: 'failed', error: { code: 'USER_CANCELLED' } },
    ]);
  });
});

describe('resuming a run', () => {
  it('never starts a second turn beside the first, however often it is asked for', async () => {
    const crib = await open();
    let running = 0;
    let most = 0;
    let turns = 0;
    crib.flows.register(
      flowOf(async (flow) => {
        turns += 1;
        running += 1;
        most = Math.max(most, running);
        await flow.value('slow', () => new Promise((done) => setTimeout(() => done(1), 60)));
        running -= 1;
        return 'over';
      }),
    );
    const { runId, finished } = await crib.flows.start('sample', {});
    const answers: boolean[] = [];
    const asking = (async () => {
      while ((await crib.flows.get(runId))?.status === 'running') {
        answers.push(...(await Promise.all([1, 2, 3].map(() => crib.flows.resume(runId)))));
      }
    })();
    expect(await finished).toMatchObject({ status: 'completed', output: 'over' });
    await asking;
    expect(new Set(answers)).toEqual(new Set([false]));
    expect([most, turns]).toEqual([1, 1]);
  });

  it('raced by two processes on one store continues a blocked run once', async () => {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-flow-'));
    cleanup.push(() => rmSync(root, { recursive: true, force: true }));
    let isChanged = false;
    let computed = 0;
    const code = flowOf(async (flow) => {
      await flow.value(isChanged ? 'other' : 'one', () => 1);
      await flow.waitForEvent('go');
      return flow.value('slow', async () => {
        computed += 1;
        await new Promise((done) => setTimeout(done, 50));
        return computed;
      });
    });
    const options = { root, home: join(root, 'home'), store: { sqlite: join(root, 'state.db') } };
    const cribs = [await open(options), await open(options)] as const;
    for (const crib of cribs) crib.flows.register(code);
    const [first, second] = cribs;
    const started = await first.flows.start('sample', {}, { runId: 'run' });
    await expect.poll(async () => (await first.flows.get('run'))?.status).toBe('waiting');
    isChanged = true;
    await first.flows.send('run', 'go');
    expect(await started.finished).toMatchObject({ status: 'blocked', waitsFor: ['step:1'] });
    isChanged = false;
    const asked = [first, second, first, second].map((crib) => crib.flows.resume('run'));
    expect((await Promise.all(asked)).some(Boolean)).toBe(true);
    const again = await second.flows.start('sample', {}, { runId: 'run' });
    expect(await again.finished).toMatchObject({ status: 'completed', output: 1 });
    expect(computed).toBe(1);
  });
});
