/** Alerts of a crib: they fire, resolve, cool down and are silenced, over figures and over states. */
import { afterEach, describe, expect, it } from 'vitest';
import { aTool, type TestCrib, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { AlertNotification, NewAlert } from '../../contract/alerts.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { MINUTE_MS } from '../../kit/data/durations.ts';
import type { CribOptions } from '../crib-options.ts';

const cribs: TestCrib[] = [];

const open = async (options: CribOptions = {}): Promise<TestCrib> => {
  const flaky = aTool({
    name: 'flaky',
    run: () => {
      throw new ToolFailure('EXECUTION_FAILED', 'no');
    },
  });
  const sound = aTool({ name: 'sound', run: () => true });
  const crib = await testCrib([flaky, sound], options);
  cribs.push(crib);
  return crib;
};

afterEach(async () => {
  for (const crib of cribs.splice(0)) await crib.close();
});

const told = (crib: TestCrib) =>
  crib.runtime.logged
    .map(({ fields }) => fields as Partial<AlertNotification> & { event?: string })
    .filter(({ event }) => event?.startsWith('alert.'))
    .map(({ event, alert, subject }) => [event, alert, subject].filter(Boolean).join(' '));

const later = async (crib: TestCrib, ms: number): Promise<void> => {
  await crib.runtime.advance(ms);
  await crib.alerts.evaluate();
};

const stateOf = async (crib: TestCrib, id: string) =>
  (await crib.alerts.list()).find((alert) => alert.id === id)?.state;

const FAILS: NewAlert = { id: 'fails', when: 'calls >= 2 && errorRate > 0.5', window: '1m' };

describe('an alert over figures', () => {
  it('fires once while its condition holds, and sends one notification when it resolves', async () => {
    const crib = await open();
    await crib.alerts.set(FAILS);
    await crib.alerts.evaluate();
    expect(await stateOf(crib, 'fails')).toBe('ok');
    await crib.execute('flaky', {});
    await crib.execute('flaky', {});
    await later(crib, 1000);
    await later(crib, 1000);
    expect(await stateOf(crib, 'fails')).toBe('firing');
    expect(told(crib)).toEqual(['alert.fired fails']);
    await later(crib, 3 * MINUTE_MS);
    expect(told(crib)).toEqual(['alert.fired fails', 'alert.resolved fails']);
    expect(await stateOf(crib, 'fails')).toBe('ok');
    const [newest] = await crib.alerts.history();
    expect(newest).toMatchObject({
      type: 'alert.resolved',
      deliveries: [{ action: 'log', state: 'done', attempts: 1 }],
    });
  });

  it('fires only after its condition has held for the time that `for` names', async () => {
    const crib = await open();
    await crib.alerts.set({ ...FAILS, for: '30s' });
    for (let n = 0; n < 2; n++) await crib.execute('flaky', {});
    await crib.alerts.evaluate();
    expect(await stateOf(crib, 'fails')).toBe('pending');
    await later(crib, 29_000);
    expect(told(crib)).toEqual([]);
    await later(crib, 1000);
    expect(told(crib)).toEqual(['alert.fired fails']);
  });

  it('does not fire again before its cool-down is over', async () => {
    const crib = await open();
    await crib.alerts.set({ ...FAILS, coolDown: '10m' });
    for (let n = 0; n < 2; n++) await crib.execute('flaky', {});
    await crib.alerts.evaluate();
    await later(crib, 3 * MINUTE_MS);
    for (let n = 0; n < 2; n++) await crib.execute('flaky', {});
    await later(crib, 1000);
    expect(told(crib)).toEqual(['alert.fired fails', 'alert.resolved fails']);
    await later(crib, 7 * MINUTE_MS);
    for (let n = 0; n < 2; n++) await crib.execute('flaky', {});
    await later(crib, 1000);
    expect(told(crib).slice(2)).toEqual(['alert.fired fails']);
  });

  it('fires for each tool by itself', async () => {
    const crib = await open();
    await crib.alerts.set({ ...FAILS, each: 'tool' });
    for (let n = 0; n < 2; n++) await crib.execute('flaky', {});
    for (let n = 0; n < 5; n++) await crib.execute('sound', {});
    await crib.alerts.evaluate();
    expect(told(crib)).toEqual(['alert.fired fails flaky']);
    const [status] = await crib.alerts.list();
    expect(status?.subjects).toMatchObject([{ subject: 'flaky', state: 'firing' }]);
  });

  it('counts calls by code and refuses a code that there is not', async () => {
    const crib = await open();
    await crib.alerts.set({
      id: 'codes',
      when: 'byCode.EXECUTION_FAILED >= 1 && byCode.TIMEOUT == 0',
    });
    await crib.execute('flaky', {});
    await crib.alerts.evaluate();
    expect(await stateOf(crib, 'codes')).toBe('firing');
    const [fired] = await crib.alerts.history();
    expect(fired?.values).toEqual({ byCode: { EXECUTION_FAILED: 1 } });
    await expect(crib.alerts.set({ when: 'byCode.TIMED_OUT > 0' })).rejects.toThrow(/TIMED_OUT/);
  });
});

describe('a silence', () => {
  it('keeps the actions of an alert from running; what still fires at its end is sent then', async () => {
    const crib = await open();
    await crib.alerts.set({ ...FAILS, window: '1h' });
    await crib.alerts.silence('fails', { forMs: 10 * MINUTE_MS, note: 'maintenance', by: 'ada' });
    for (let n = 0; n < 2; n++) await crib.execute('flaky', {});
    await crib.alerts.evaluate();
    await later(crib, MINUTE_MS);
    expect(told(crib)).toEqual([]);
    expect((await crib.alerts.list())[0]).toMatchObject({
      state: 'firing',
      silence: { by: 'ada' },
    });
    expect(await crib.alerts.history()).toMatchObject([{ type: 'alert.fired', silenced: true }]);
    await later(crib, 10 * MINUTE_MS);
    expect(told(crib)).toEqual(['alert.fired fails']);
    const rows = await crib.audit.query({ kind: 'event' });
    expect(rows.map(({ userId, detail }) => [userId, detail.event])).toEqual([
      ['ada', 'alert.silenced'],
      ['local', 'alert.set'],
    ]);
  });

  it('sends nothing about an alert that began and ended within it', async () => {
    const crib = await open();
    await crib.alerts.set(FAILS);
    await crib.alerts.silence('fails', { forMs: 10 * MINUTE_MS });
    for (let n = 0; n < 2; n++) await crib.execute('flaky', {});
    await crib.alerts.evaluate();
    await later(crib, 5 * MINUTE_MS);
    await later(crib, 10 * MINUTE_MS);
    expect(told(crib)).toEqual([]);
    expect(await crib.alerts.unsilence('fails')).toBe(false);
  });

  it('delays the notification that an alert has resolved, and does not drop it', async () => {
    const crib = await open();
    await crib.alerts.set(FAILS);
    for (let n = 0; n < 2; n++) await crib.execute('flaky', {});
    await crib.alerts.evaluate();
    await crib.alerts.silence('fails', { forMs: 10 * MINUTE_MS });
    await later(crib, 5 * MINUTE_MS);
    expect(await stateOf(crib, 'fails')).toBe('ok');
    expect(told(crib)).toEqual(['alert.fired fails']);
    await later(crib, 6 * MINUTE_MS);
    await later(crib, MINUTE_MS);
    expect(told(crib)).toEqual(['alert.fired fails', 'alert.resolved fails']);
  });

  it('ends in the future, within a year', async () => {
    const crib = await open();
    await crib.alerts.set(FAILS);
    await expect(crib.alerts.silence('fails', { forMs: 0 })).rejects.toThrow(/future/);
    await expect(crib.alerts.silence('fails', {})).rejects.toThrow(/either until or forMs/);
    const far = crib.runtime.now() + 400 * 86_400_000;
    await expect(crib.alerts.silence('fails', { until: far })).rejects.toThrow(/within a year/);
    await expect(crib.alerts.silence('fals', { forMs: 1 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      extras: { suggestions: [expect.stringContaining('fails')] },
    });
  });
});

describe('the condition of an alert', () => {
  it('is refused at the start, with its setting, place and remedy', async () => {
    const config = { observation: { alerts: { slow: { when: 'calls > 1 && p96 > 10' } } } };
    await expect(open({ config })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/observation\.alerts\.slow: when, CEL, character 14: .*p96/),
      extras: { suggestions: [expect.stringMatching(/did you mean p9\d/)] },
    });
  });

  it('has to be true or false', async () => {
    const crib = await open();
    await expect(crib.alerts.set({ when: 'calls + 1' })).rejects.toThrow(/gives double/);
  });

  it.each([
    ['approvals.waiting == 0 && approvals.oldestMs == 0'],
    ['audit.ok'],
    ['jobs.dead == 0 && 0 == jobs.waiting && jobs.active != 1'],
    ['circuits.size() == 0'],
    ['!servers.exists(s, s.down && s.forMs > 60000)'],
    ['!quarantined.exists(t, t.reason == "changed")'],
    ['!budgets.exists(b, b.used > 0.8)'],
    ['now > timestamp("2020-01-01T00:00:00Z")'],
    ['denied * 2 >= 0 && p50 <= p95 && throughput < 1.5 && costUsd == 0'],
  ])('can be %s', async (when) => {
    const crib = await open();
    await crib.alerts.set({ id: 'state', when });
    const { findings, problem } = await crib.alerts.test('state', { deliver: false });
    expect({ findings, problem }).toMatchObject({
      findings: [{ subject: '', holds: true }],
      problem: undefined,
    });
  });

  it('that cannot be worked out keeps the state and says why', async () => {
    const crib = await open();
    await crib.alerts.set({ id: 'odd', when: 'budgets[0].used > 0.5' });
    await crib.alerts.evaluate();
    expect((await crib.alerts.list())[0]).toMatchObject({
      state: 'unknown',
      problem: expect.any(String),
    });
  });
});

describe('the actions of an alert', () => {
  const note = (notes: unknown[], seen: unknown[] = []) =>
    defineTool({
      name: 'note',
      description: 'Notes a text.',
      tier: 'read_only',
      input: { type: 'object', properties: { text: { type: 'string' } } },
      run: (input: unknown, { caller }: { caller?: unknown } & object) => {
        notes.push(input);
        seen.push(caller);
        return true;
      },
    } as never);

  it('call a tool as the caller that is named, with the notification in its input', async () => {
    const crib = await open();
    const notes: unknown[] = [];
    crib.tools.register(note(notes));
    await crib.alerts.set({
      ...FAILS,
      actions: [
        {
          type: 'tool',
          tool: 'note',
          input: { text: { cel: 'input.alert + " " + input.type + " " + caller.user' } },
          as: { user: 'watch', permissions: ['tool:note'] },
        },
      ],
    });
    for (let n = 0; n < 2; n++) await crib.execute('flaky', {});
    await crib.alerts.evaluate();
    expect(await crib.alerts.history()).toMatchObject([{ deliveries: [{ state: 'done' }] }]);
    expect(notes).toEqual([{ text: 'fails alert.fired watch' }]);
    const [row] = await crib.audit.query({ tool: 'note' });
    expect(row).toMatchObject({ userId: 'watch', agentId: 'alerts', status: 'success' });
  });

  it('give a call no right that its caller does not have', async () => {
    const crib = await open();
    const notes: unknown[] = [];
    crib.tools.register(
      defineTool({
        name: 'secret_note',
        description: 'Notes a text.',
        tier: 'read_only',
        permissions: ['notes:write'],
        input: { type: 'object' },
        run: (input: unknown) => notes.push(input),
      }),
    );
    await crib.alerts.set({
      ...FAILS,
      actions: [{ type: 'tool', tool: 'secret_note', as: { user: 'watch' } }],
    });
    for (let n = 0; n < 2; n++) await crib.execute('flaky', {});
    await crib.alerts.evaluate();
    expect(notes).toEqual([]);
    expect(await crib.alerts.history()).toMatchObject([
      { deliveries: [{ action: 'tool', state: 'failed', attempts: 1 }] },
    ]);
  });

  it('add a job, once', async () => {
    const crib = await open();
    crib.jobs.register('page', () => true);
    await crib.alerts.set({
      ...FAILS,
      actions: [
        {
          type: 'job',
          job: 'page',
          payload: { about: { from: 'input.alert' } },
          as: { user: 'watch' },
        },
      ],
    });
    for (let n = 0; n < 2; n++) await crib.execute('flaky', {});
    await crib.alerts.evaluate();
    await crib.alerts.evaluate();
    const jobs = await crib.jobs.list();
    expect(jobs).toMatchObject([{ payload: { about: 'fails' }, caller: { userId: 'watch' } }]);
    expect(jobs).toHaveLength(1);
  });

  it('are refused when the alert is set, for an invalid template', async () => {
    const crib = await open();
    const actions = [
      { type: 'tool', tool: 'note', input: { text: { cel: 'inptu.alert' } }, as: { user: 'w' } },
    ] as const;
    await expect(crib.alerts.set({ ...FAILS, actions })).rejects.toThrow(/inptu/);
  });
});

describe('alerts that a program sets', () => {
  it('are named by their content, so that the same alert continues after a restart', async () => {
    const crib = await open();
    const { id: _, ...unnamed } = FAILS;
    const first = await crib.alerts.set(unnamed);
    expect(await crib.alerts.set({ ...unnamed })).toBe(first);
    expect(await crib.alerts.remove(first)).toBe(true);
    expect(await crib.alerts.remove(first)).toBe(false);
    expect(await crib.alerts.list()).toEqual([]);
  });

  it('cannot take the place of a configured one', async () => {
    const config = { observation: { alerts: { fails: { when: 'calls > 1' } } } };
    const crib = await open({ config });
    await expect(crib.alerts.set(FAILS)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await crib.alerts.remove('fails')).toBe(false);
  });

  it('are refused with the fault when they are invalid', async () => {
    const crib = await open();
    await expect(crib.alerts.set({ when: 'calls > 1', for: '5 minutes' })).rejects.toThrow(
      /for: expected a span/,
    );
    await expect(crib.alerts.set({ when: 'calls > 1', tool: 'a', each: 'tool' })).rejects.toThrow(
      /only one of/,
    );
    const actions = [{ type: 'webhook', url: 'file:///etc/passwd' }] as const;
    await expect(crib.alerts.set({ when: 'calls > 1', actions })).rejects.toThrow(/https/);
  });
});
