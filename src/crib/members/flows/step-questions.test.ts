/** Which question and which answer belongs to which step of which run. */
import { afterEach, describe, expect, it } from 'vitest';
import { type LaterClock, laterClock } from '../../../../test/fixtures/later-clock.ts';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import { defineFlow } from '../../../contract/define-flow.ts';
import type { FlowContext } from '../../../contract/flow.ts';
import type { Store } from '../../../contract/store.ts';
import type { Tier } from '../../../contract/tool.ts';
import { HOUR_MS } from '../../../kit/data/durations.ts';
import { createMemoryStore } from '../../../stores/memory/create-memory-store.ts';
import { createCribHost } from '../../create-crib.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const ASK = {
  version: 1 as const,
  rules: [{ name: 'ask', effect: 'ask' as const, tools: ['*'] }],
};

interface Opened {
  readonly crib: CribHost;
  readonly sent: string[];
}

const openCrib = async (
  run: (flow: FlowContext) => Promise<unknown>,
  parts: { readonly store?: Store; readonly clock?: LaterClock; readonly tier?: Tier } = {},
): Promise<Opened> => {
  const { store = createMemoryStore(), clock = laterClock(), tier = 'external_api' } = parts;
  const sent: string[] = [];
  const send = aTool({ name: 'send', tier, run: () => sent.push('mail') });
  const { runtime } = clock;
  const given = { builtins: false, tools: [send], policy: ASK, store, runtime };
  const crib = await createCribHost(given);
  open.push(crib);
  crib.flows.register(defineFlow({ name: 'mailing', version: '1.0.0', run }));
  return { crib, sent };
};

const waiting = (crib: CribHost) => crib.approvals.list({ state: 'waiting' });

const decideAll = async (crib: CribHost, approve: boolean): Promise<void> => {
  for (const { id } of await waiting(crib)) await crib.approvals.decide(id, { approve, by: 'ada' });
};

const send = (flow: FlowContext) => flow.call('send', {});

describe('two runs that wait for equal calls', () => {
  it('each have a question of their own, and a yes to both lets both go on', async () => {
    const { crib, sent } = await openCrib(send);
    const runs = [await crib.flows.start('mailing', {}), await crib.flows.start('mailing', {})];
    await expect.poll(() => waiting(crib)).toHaveLength(2);
    await decideAll(crib, true);
    const ends = await Promise.all(runs.map(({ finished }) => finished));
    expect(ends.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(sent).toHaveLength(2);
  });

  it.each(['external_api', 'read_only'] as const)(
    'are not denied when the other one is cancelled: tier %s',
    async (tier) => {
      const { crib } = await openCrib(send, { tier });
      const twin = await crib.flows.start('mailing', {});
      const run = await crib.flows.start('mailing', {});
      await expect.poll(() => waiting(crib)).toHaveLength(2);
      await crib.flows.cancel(twin.runId);
      expect(await waiting(crib)).toHaveLength(1);
      await decideAll(crib, true);
      expect(await run.finished).toMatchObject({ status: 'completed' });
    },
  );
});

describe('branches of one run that ask the same', () => {
  it.each<[string, (flow: FlowContext) => Promise<unknown>]>([
    ['in words', (flow) => flow.waitForApproval('Publish?')],
    ['by equal calls', send],
  ])('each have a question of their own: %s', async (_how, ask) => {
    const { crib } = await openCrib((flow) => flow.all([1, 2, 3].map(() => () => ask(flow))));
    const { finished } = await crib.flows.start('mailing', {});
    await expect.poll(() => waiting(crib)).toHaveLength(3);
    await decideAll(crib, true);
    expect(await finished).toMatchObject({ status: 'completed' });
  });

  it('each have a question of their own: by equal calls that only read', async () => {
    const all = (flow: FlowContext) => flow.all([1, 2].map(() => () => send(flow)));
    const { crib } = await openCrib(all, { tier: 'read_only' });
    const { finished } = await crib.flows.start('mailing', {});
    await expect.poll(() => waiting(crib)).toHaveLength(2);
    await decideAll(crib, true);
    expect(await finished).toMatchObject({ status: 'completed' });
  });
});

describe('an answer that was given in time', () => {
  /** Answers while no process works on the run, and goes on with it two hours later. */
  const answeredLate = async (
    run: (flow: FlowContext) => Promise<unknown>,
    approve: boolean,
    tier?: Tier,
  ) => {
    const store = createMemoryStore();
    const clock = laterClock();
    const parts = { clock, ...(tier && { tier }) };
    const keptOpen: Store = new Proxy(store, {
      get: (target, name) => (name === 'close' ? async () => undefined : Reflect.get(target, name)),
    });
    const first = await openCrib(run, { store: keptOpen, ...parts });
    const { finished } = await first.crib.flows.start('mailing', {}, { runId: 'run' });
    finished.catch(() => undefined);
    await expect
      .poll(async () => (await store.flows.get('run'))?.status, { timeout: 5_000 })
      .toBe('waiting');
    // A process without the flow: it answers and does not go on.
    await first.crib.close();
    const answering = await createCribHost({ store: keptOpen, runtime: clock.runtime });
    await decideAll(answering, approve);
    await answering.close();
    clock.advance(2 * HOUR_MS);
    const next = await openCrib(run, { store: keptOpen, ...parts });
    return { ...next, end: await next.crib.flows.finished('run') };
  };

  it.each(['external_api', 'read_only'] as const)(
    'counts when the run goes on hours later: tier %s',
    async (tier) => {
      const { end, sent } = await answeredLate(send, true, tier);
      expect(end).toMatchObject({ status: 'completed' });
      expect(sent).toHaveLength(1);
    },
  );

  it('that is a no stays one', async () => {
    const { end, sent } = await answeredLate(send, false);
    expect(end).toMatchObject({ status: 'failed', error: { code: 'USER_CANCELLED' } });
    expect(sent).toEqual([]);
  });

  it.each([true, false])('to a question in words counts: %s', async (approve) => {
    const { end } = await answeredLate((flow) => flow.waitForApproval('Publish?'), approve);
    expect(end).toMatchObject({ status: 'completed', output: { approved: approve, by: 'ada' } });
  });
});

describe('the questions of two runs of one flow', () => {
  it('are told apart in the inbox by what their runs were given', async () => {
    const { crib } = await openCrib((flow) => flow.waitForApproval('Send it?'));
    for (const topic of ['bees', 'ants']) await crib.flows.start('mailing', { topic });
    await expect.poll(() => waiting(crib)).toHaveLength(2);
    const summaries = (await waiting(crib)).map(({ summary }) => summary);
    expect(summaries.toSorted()).toEqual([
      expect.stringMatching(/^question: Send it\?, flow: mailing, input: .*ants/),
      expect.stringMatching(/^question: Send it\?, flow: mailing, input: .*bees/),
    ]);
  });
});
