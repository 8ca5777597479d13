/** Undos of a failed run that say what they could not take back of its sub-flows. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { ALLOW_ALL } from '../../../test/fixtures/vendors/vendor-crib.ts';
import type { Crib } from '../../contract/crib.ts';
import type { FlowData } from '../../contract/flow-data.ts';
import type { JournalStep } from '../../contract/flow-store.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { ReplayClaim, ReplayRequest } from '../../contract/store.ts';
import { createCribHost } from '../../crib/create-crib.ts';
import type { CribOptions } from '../../crib/crib-options.ts';
import { openDatabase } from '../../kit/sqlite/open-database.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const ASKS = {
  version: 1 as const,
  rules: [
    { name: 'undo', effect: 'ask' as const, tools: ['toolcrib:undo'], everyTime: true },
    { name: 'all', effect: 'allow' as const, tools: ['*'] },
  ],
};

const undone: unknown[] = [];
let letGo = (): void => undefined;
/** Sends a mail; that to dan takes until it is let go, whoever has cancelled it. */
const send = aTool({
  name: 'send',
  tier: 'write',
  run: (async ({ to }: { to: string }) => {
    if (to !== 'dan') return;
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
  }) as never,
  undo: (async ({ to }: { to: string }) => void undone.push(to)) as never,
});
const fails = aTool({
  name: 'fails',
  retry: RetryPolicies.NONE,
  run: () => {
    throw new Error('The service is down.');
  },
});

const sendTo = (to: string) => ({ id: `to_${to}`, call: 'send', input: { to } });
const FAIL = { id: 'fail', call: 'fails', input: {} };
const flowOf = (name: string, steps: FlowData['steps']): FlowData => ({
  ...{ name, version: '1.0.0', steps, undoOnFailure: true },
});

const open = async (
  flows: readonly FlowData[],
  { policy = ALLOW_ALL, ...more }: CribOptions = {},
): Promise<Crib> => {
  undone.length = 0;
  const tools = [send, fails];
  const crib = await createCribHost({ builtins: false, store: 'memory', tools, policy, ...more });
  cleanup.push(() => crib.close());
  for (const flow of flows) await crib.flows.registerData(flow);
  return crib;
};

const SUB = { id: 'sub', flow: 'sub@1.0.0' };
const MAIN = flowOf('main', [sendTo('ada'), SUB]);

const undosOf = async (crib: Crib): Promise<readonly JournalStep[]> =>
  (await crib.flows.steps('run')).filter(({ kind }) => kind === 'undo');

/** Approves what is asked until the run is over. */
const approveAll = async (crib: Crib): Promise<void> => {
  const isOver = async (): Promise<boolean> => {
    for (const { id, state } of await crib.approvals.list()) {
      if (state === 'waiting') await crib.approvals.decide(id, { approve: true, by: 'ada' });
    }
    return (await crib.flows.get('run'))?.status === 'failed';
  };
  await expect.poll(isOver).toBe(true);
};

describe('threat: the undo of a run that passes over what its sub-flow has left', () => {
  it('undoes the calls that a cancelled sub-flow was about to undo and did not', async () => {
    const sub = flowOf('sub', [sendTo('bob'), sendTo('cy'), FAIL]);
    const crib = await open([sub, MAIN], { policy: ASKS });
    await crib.flows.start('main', {}, { runId: 'run' });
    const waitsFor = async () => (await crib.flows.get('run.sub'))?.waitsFor?.[0] ?? '';
    await expect.poll(waitsFor).toContain('approval:');
    expect(await crib.flows.cancel('run.sub')).toBe(true);
    await approveAll(crib);
    expect(undone).toEqual(['cy', 'bob', 'ada']);
    expect((await undosOf(crib)).map(({ state }) => state)).toEqual(['done', 'done', 'done']);
  });

  it('names a call of a blocked and cancelled sub-flow of which nobody knows whether it was made', async () => {
    const store = createMemoryStore();
    const replays = {
      ...store.replays,
      claim: async (request: ReplayRequest): Promise<ReplayClaim> =>
        request.key.includes('to_cy')
          ? { state: 'unknown', executionId: 'call-cy' }
          : store.replays.claim(request),
    };
    const sub = flowOf('sub', [sendTo('bob'), sendTo('cy')]);
    const crib = await open([sub, MAIN], { store: { ...store, replays } });
    const { finished } = await crib.flows.start('main', {}, { runId: 'run' });
    await expect.poll(async () => (await crib.flows.get('run.sub'))?.status).toBe('blocked');
    expect(await crib.flows.cancel('run.sub')).toBe(true);
    expect((await finished).status).toBe('failed');
    expect(undone).toEqual(['bob', 'ada']);
    const [cy, ...others] = await undosOf(crib);
    expect(cy).toMatchObject({ key: 'undo:sub/to_cy', error: { inDoubt: 'call-cy' } });
    expect([cy, ...others].map((step) => step?.state)).toEqual(['failed', 'done', 'done']);
  });

  it('names a call that was under way when its sub-flow was cancelled', async () => {
    const sub = flowOf('sub', [sendTo('bob'), sendTo('dan')]);
    const crib = await open([sub, MAIN]);
    cleanup.push(() => letGo());
    const { finished } = await crib.flows.start('main', {}, { runId: 'run' });
    const begun = async () => (await crib.executions.running()).map(({ tool }) => tool);
    await expect.poll(begun).toEqual(['send']);
    await expect.poll(async () => (await crib.flows.steps('run.sub')).length).toBeGreaterThan(2);
    expect(await crib.flows.cancel('run.sub')).toBe(true);
    expect((await finished).status).toBe('failed');
    const [dan] = await undosOf(crib);
    expect(dan).toMatchObject({ key: 'undo:sub/to_dan', state: 'failed' });
    expect(dan?.error?.inDoubt).toBe(dan?.name);
    expect(undone).toEqual(['bob', 'ada']);
  });
});

describe('threat: a sub-flow whose journal was changed before the undo of its parent', () => {
  /** Runs a flow whose sub-flow is over, changes the store, then lets the flow fail. */
  const runChanged = async (sql: string) => {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-unmade-'));
    cleanup.push(() => rmSync(root, { recursive: true, force: true }));
    const path = join(root, 'state.db');
    const main = flowOf('main', [sendTo('ada'), SUB, { id: 'wait', waitFor: 'go' }, FAIL]);
    const place = { root, home: join(root, 'home'), store: { sqlite: path } };
    const crib = await open([flowOf('sub', [sendTo('bob')]), main], place);
    const { finished } = await crib.flows.start('main', {}, { runId: 'run' });
    const waitsFor = async () => (await crib.flows.get('run'))?.waitsFor;
    await expect.poll(waitsFor).toEqual(['event:go']);
    const database = await openDatabase(path);
    database.exec(sql);
    database.close();
    await crib.flows.send('run', 'go');
    expect((await finished).status).toBe('failed');
    expect(undone).toEqual(['ada']);
    return undosOf(crib);
  };

  it.each([
    [
      'is not what this user wrote',
      "UPDATE flow_steps SET record = replace(record, '\"startedAt\":1', '\"startedAt\":2') WHERE run_id = 'run.sub'",
      'SECURITY_VIOLATION',
    ],
    ['is gone', "DELETE FROM flow_runs WHERE id = 'run.sub'", 'NOT_FOUND'],
  ])('says that nothing of it was undone when its journal %s', async (_what, sql, code) => {
    const undos = await runChanged(sql);
    expect(undos).toMatchObject([
      { key: 'undo:sub', name: 'run.sub', state: 'failed', error: { code } },
      { key: 'undo:to_ada', state: 'done' },
    ]);
  });
});
