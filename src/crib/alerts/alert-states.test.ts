/** Alerts over what a crib is like: circuits, budgets, denied calls, slow calls. */
import { afterEach, describe, expect, it } from 'vitest';
import { aTool, type TestCrib, testCrib } from '../../../test/fixtures/test-crib.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import type { CribOptions } from '../crib-options.ts';
import { WatchedStates } from './alert-facts.ts';

const cribs: TestCrib[] = [];

const open = async (tools: readonly Tool[], options: CribOptions = {}): Promise<TestCrib> => {
  const crib = await testCrib(tools, options);
  cribs.push(crib);
  return crib;
};

afterEach(async () => {
  for (const crib of cribs.splice(0)) await crib.close();
});

const later = async (crib: TestCrib, ms: number): Promise<void> => {
  await crib.runtime.advance(ms);
  await crib.alerts.evaluate();
};

const newest = async (crib: TestCrib) => (await crib.alerts.history({ limit: 1 }))[0];
const stateOf = async (crib: TestCrib, id: string) =>
  (await crib.alerts.list()).find((alert) => alert.id === id)?.state;

describe('an alert over open circuits', () => {
  it('fires while a tool rests for any caller, and resolves when the tool works again', async () => {
    const mood = { fails: true };
    const flaky = aTool({
      name: 'flaky',
      run: () => {
        if (mood.fails) throw new ToolFailure('SERVER_ERROR', 'no');
        return 'works';
      },
    });
    const breaker = { enabled: true, failures: 2, restMs: 30_000 };
    const crib = await open([flaky], { config: { execution: { breaker } } });
    await crib.alerts.set({ id: 'rests', when: 'circuits.size() > 0', coolDown: '0s' });
    for (const userId of ['ada', 'grace']) {
      for (let n = 0; n < 3; n++) await crib.execute('flaky', {}, { userId });
    }
    expect(crib.health.circuits()).not.toEqual([]);
    await crib.alerts.evaluate();
    expect(await newest(crib)).toMatchObject({ alert: 'rests', values: { circuits: ['flaky'] } });
    mood.fails = false;
    await crib.runtime.advance(31_000);
    await crib.execute('flaky', {}, { userId: 'ada' });
    await crib.execute('flaky', {}, { userId: 'grace' });
    expect(crib.health.circuits()).toEqual([]);
    await later(crib, 1000);
    expect(await newest(crib)).toMatchObject({ type: 'alert.resolved' });
  });
});

describe('an alert over money', () => {
  it('fires when a budget is nearly used up, and when a window costs too much', async () => {
    const paid = aTool({ name: 'paid', cost: { model: 'usage_based', fixed: 0.3 } });
    const crib = await open([paid], { config: { budget: { dailyUsd: 1 } } });
    await crib.alerts.set({ id: 'budget', when: 'budgets.exists(b, b.used > 0.8)' });
    await crib.alerts.set({ id: 'spend', when: 'costUsd > 0.5', each: 'caller', window: '10m' });
    await crib.execute('paid', {}, { userId: 'ada' });
    await crib.alerts.evaluate();
    expect([await stateOf(crib, 'budget'), await stateOf(crib, 'spend')]).toEqual(['ok', 'ok']);
    for (let n = 0; n < 2; n++) await crib.execute('paid', {}, { userId: 'ada' });
    await later(crib, 1000);
    expect(await stateOf(crib, 'budget')).toBe('firing');
    const [spend] = await crib.alerts.history({ alert: 'spend' });
    expect(spend).toMatchObject({ subject: 'ada', values: { costUsd: 0.9 } });
  });
});

describe('an alert over refused calls', () => {
  it('counts denied calls apart from errors, and waits for the time of `for`', async () => {
    const crib = await open([aTool({ name: 'reader' })], {
      policy: { version: 1, rules: [{ name: 'no', effect: 'deny' }] },
    });
    await crib.alerts.set({ id: 'denied', when: 'denied >= 2 && errors == 0', for: '20s' });
    for (let n = 0; n < 2; n++) await crib.execute('reader', {});
    await crib.alerts.evaluate();
    expect(await stateOf(crib, 'denied')).toBe('pending');
    await later(crib, 20_000);
    expect(await newest(crib)).toMatchObject({ alert: 'denied', values: { denied: 2 } });
  });
});

describe('an alert over durations', () => {
  it('fires for the slow tool alone', async () => {
    const holder: { crib?: TestCrib } = {};
    const slow = aTool({
      name: 'slow',
      run: async () => {
        await holder.crib?.runtime.advance(4000);
        return 'late';
      },
    });
    const crib = await open([slow, aTool({ name: 'quick' })]);
    holder.crib = crib;
    await crib.alerts.set({ id: 'slow', when: 'calls > 0 && p95 > 2000', each: 'tool' });
    await crib.execute('slow', {});
    await crib.execute('quick', {});
    await crib.alerts.evaluate();
    const [status] = await crib.alerts.list();
    expect(status?.subjects.map(({ subject }) => subject)).toEqual(['slow']);
  });
});

describe('what a process has seen of its servers', () => {
  const clock = { now: 0 };
  const statusOf = (state: string, tools = 0) =>
    ({ name: 'demo', transport: 'stdio', state, tools, restarts: 0 }) as never;
  const watching = () => {
    clock.now = 0;
    const watched = new WatchedStates(() => clock.now);
    const see = (at: number, state: string, tools = 0) => {
      clock.now = at;
      const [facts] = watched.servers([statusOf(state, tools)]);
      return [facts?.down, facts?.forMs, watched.unsettled.has('demo')];
    };
    return see;
  };

  it('keeps a server down while it is started again, and counts that time', () => {
    const see = watching();
    expect(see(0, 'ready', 3)).toEqual([false, 0, false]);
    expect(see(1000, 'restarting', 3)).toEqual([true, 0, false]);
    expect(see(2000, 'starting', 3)).toEqual([true, 1000, false]);
    expect(see(3000, 'open', 3)).toEqual([true, 2000, false]);
    expect(see(4000, 'ready', 3)).toEqual([false, 0, false]);
  });

  it('does not know how a server is before its first start, for a minute at most', () => {
    const see = watching();
    expect(see(0, 'idle')).toEqual([false, 0, true]);
    expect(see(1000, 'starting')).toEqual([false, 1000, true]);
    expect(see(2000, 'restarting')).toEqual([true, 0, false]);
    const slow = watching();
    expect(slow(0, 'starting')).toEqual([false, 0, true]);
    expect(slow(60_000, 'starting')).toEqual([false, 60_000, false]);
    // Its tools are known from the last time: it works as far as anybody knows.
    expect(watching()(0, 'idle', 3)).toEqual([false, 0, false]);
  });
});
