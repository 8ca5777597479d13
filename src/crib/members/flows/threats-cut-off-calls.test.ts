/** Runs that are cancelled while a call of theirs is under way or in doubt. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import { ALLOW_ALL } from '../../../../test/fixtures/vendors/vendor-crib.ts';
import { LOCAL_CALLER } from '../../../contract/caller.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import type { FlowData } from '../../../contract/flow-data.ts';
import type { JournalStep } from '../../../contract/flow-store.ts';
import { createMemoryStore } from '../../../stores/memory/create-memory-store.ts';
import { createCribHost } from '../../create-crib.ts';
import type { CribOptions } from '../../crib-options.ts';

const cleanup: (() => unknown)[] = [];
const sent: string[] = [];
let letGo: () => void;
let gate: Promise<void>;
beforeEach(() => {
  sent.length = 0;
  gate = new Promise((resolve) => {
    letGo = resolve;
  });
});
afterEach(async () => {
  letGo();
  for (const each of cleanup.splice(0).reverse()) await each();
});

/** Sends a mail; that to bob takes until it is let go, whoever has cancelled it. */
const send = aTool({
  name: 'send',
  tier: 'write',
  run: (async ({ to }: { to: string }) => {
    sent.push(to);
    if (to === 'bob') await gate;
  }) as never,
});

const sendTo = (to: string) => ({ id: `to_${to}`, call: 'send', input: { to } });
const MAILS: FlowData = {
  ...{ name: 'mails', version: '1.0.0' },
  steps: [sendTo('ada'), sendTo('bob'), sendTo('cy')],
};

const open = async (store: CribOptions['store'], more: CribOptions = {}): Promise<CribHost> => {
  const options = { builtins: false, tools: [send], policy: ALLOW_ALL, ...more };
  const crib = await createCribHost({ ...options, ...(store && { store }) });
  cleanup.push(() => crib.close());
  return crib;
};

/** Starts the mails, and waits until the one to bob is on its way. */
const startMails = async (crib: CribHost): Promise<void> => {
  await crib.flows.registerData(MAILS);
  const { finished } = await crib.flows.start('mails', {}, { runId: 'run' });
  finished.catch(() => undefined);
  await expect.poll(() => sent).toEqual(['ada', 'bob']);
};

const callsOf = async (crib: CribHost): Promise<readonly JournalStep[]> =>
  (await crib.flows.steps('run')).filter(({ kind }) => kind === 'call');

describe('threat: a cancelled run that hides a call whose effect nobody knows', () => {
  it('names the call that was under way, in its steps and in its graph', async () => {
    const crib = await open('memory');
    await startMails(crib);
    expect(await crib.flows.cancel('run')).toBe(true);
    const [ada, bob, ...more] = await callsOf(crib);
    expect([ada?.state, bob?.state, more.length]).toEqual(['done', 'failed', 0]);
    expect(bob).toMatchObject({ key: 'to_bob', name: 'send', error: { code: 'CANCELLED' } });
    expect(bob?.error?.inDoubt).toBe(bob?.executionId);
    const status = await crib.executions.status(bob?.executionId ?? '');
    expect(status).toMatchObject({ tool: 'send', effect: 'unknown' });
    const { nodes = [] } = (await crib.flows.nodes('run')) ?? {};
    const node = { id: 'to_bob', status: 'cancelled', executionId: bob?.executionId };
    expect(nodes[1]).toMatchObject({ ...node, because: expect.stringContaining('nobody knows') });
  });

  it('names the call of another process that was under way', async () => {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-cut-off-'));
    cleanup.push(() => rmSync(root, { recursive: true, force: true }));
    const store = { sqlite: join(root, 'state.db') };
    const place = { root, home: join(root, 'home') };
    const [worker, other] = [await open(store, place), await open(store, place)];
    await startMails(worker);
    expect(await other.flows.cancel('run')).toBe(true);
    for (const crib of [other, worker]) {
      const [ada, bob] = await callsOf(crib);
      expect([ada?.state, bob?.state]).toEqual(['done', 'failed']);
      expect(bob?.error?.inDoubt).toBe(bob?.executionId);
    }
  });

  it('keeps the doubt about the call that had blocked it', async () => {
    const store = createMemoryStore();
    const crib = await open(store);
    await crib.flows.registerData(MAILS);
    const run = { id: 'run', epoch: 1, flow: 'mails', version: '1.0.0', input: {} };
    const at = { createdAt: Date.now(), updatedAt: Date.now() };
    const step = { key: 'to_ada', kind: 'call' as const, name: 'send', digest: 'd' };
    const doubtful = { ...step, state: 'open' as const, executionId: 'call-1', startedAt: 1 };
    await store.flows.create(
      { ...run, ...at, caller: LOCAL_CALLER, status: 'blocked', waitsFor: ['call:call-1'] },
      { steps: [doubtful], isReleased: true },
    );
    expect(await crib.flows.cancel('run')).toBe(true);
    const [ada] = await callsOf(crib);
    expect(ada).toMatchObject({ state: 'failed', error: { inDoubt: 'call-1' } });
  });

  it('benign: doubts nothing that was on record, or had not begun', async () => {
    const crib = await open('memory');
    await crib.flows.registerData({
      ...MAILS,
      steps: [sendTo('ada'), { id: 'nap', sleepMs: 9e6 }],
    });
    await crib.flows.start('mails', {}, { runId: 'run' });
    await expect.poll(async () => (await crib.flows.get('run'))?.status).toBe('sleeping');
    expect(await crib.flows.cancel('run')).toBe(true);
    const steps = await crib.flows.steps('run');
    const states = steps.map(({ key, state }) => `${key} ${state}`);
    expect(states).toEqual(['flow-definition done', 'to_ada done', 'nap failed']);
    expect(steps.some(({ error }) => error?.inDoubt !== undefined)).toBe(false);
  });
});
