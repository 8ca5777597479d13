/** Checks of a whole crib: bounded in time and size, without effects, kept, and announced once. */
import { describe, expect, it, vi } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { CribEvents } from '../../contract/events.ts';
import type { Tool } from '../../contract/tool.ts';

const never = () => new Promise<never>(() => undefined);

/** A tool whose own check answers whatever it is told to. */
const moody = () => {
  const mood: { answer: () => unknown; asked: number } = {
    answer: () => ({ healthy: true }),
    asked: 0,
  };
  const tool = aTool({
    name: 'moody',
    healthCheck: async () => {
      mood.asked += 1;
      return (await mood.answer()) as never;
    },
  });
  return { mood, tool };
};

const changesOf = (crib: Awaited<ReturnType<typeof testCrib>>) => {
  const changes: CribEvents['health.changed'][] = [];
  crib.events.on('health.changed', (change) => changes.push(change));
  return changes;
};

const TOOLS = { kinds: ['tool'] } as const;

describe('crib.health.check', () => {
  it('looks at the store, the queue, the model, the sandboxes and every tool that is on', async () => {
    const crib = await testCrib([aTool()]);
    const { healthy, ready, checks, timestamp } = await crib.health.check();
    expect([healthy, ready, timestamp]).toEqual([true, true, crib.runtime.now()]);
    const subjects = checks.map(({ subject }) => subject);
    expect(subjects).toEqual(
      expect.arrayContaining(['store', 'queue', 'model', 'sandbox:wasm', 'tool:echo']),
    );
    expect(checks.find(({ kind }) => kind === 'store')).toMatchObject({ state: 'well' });
  });

  it('checks one subject by its id, and a tool by its name or an alias', async () => {
    const crib = await testCrib([aTool({ aliases: ['say'] })]);
    expect((await crib.health.check('store')).subject).toBe('store');
    expect((await crib.health.check('echo')).subject).toBe('tool:echo');
    expect((await crib.health.check('say')).subject).toBe('tool:echo');
    expect((await crib.health.check('tool:echo')).healthy).toBe(true);
  });

  it.each(['nobody', 'server:nobody', 'source:nobody', 'sandbox:nobody', 'tool:store', ''])(
    'refuses %j with NOT_FOUND or VALIDATION_ERROR',
    async (subject) => {
      const crib = await testCrib([aTool()]);
      const code = expect.stringMatching(/^(NOT_FOUND|VALIDATION_ERROR)$/);
      await expect(crib.health.check(subject)).rejects.toMatchObject({ code });
    },
  );

  it('refuses options that are not known', async () => {
    const crib = await testCrib([aTool()]);
    const wrong = { kinds: ['everything'] } as never;
    await expect(crib.health.check(wrong)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const none = { timeoutMs: 0 };
    await expect(crib.health.check('echo', none)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('a tool that fails makes the crib unhealthy, but the server stays ready', async () => {
    const { tool, mood } = moody();
    mood.answer = () => ({ healthy: false, message: 'no disk' });
    const crib = await testCrib([tool]);
    const { healthy, ready } = await crib.health.check(TOOLS);
    expect([healthy, ready]).toEqual([false, true]);
  });

  it('a credential that nobody has set up makes its tool unwell, but is no outage', async () => {
    const auth = { type: 'api_key', required: true, configKey: 'NOBODY_HAS_THIS_KEY' } as const;
    const crib = await testCrib([aTool({ auth })]);
    const { healthy, checks } = await crib.health.check(TOOLS);
    expect([healthy, checks[0]?.state]).toEqual([true, 'unwell']);
    expect(checks[0]?.checks[0]?.fix).toContain('toolcrib secrets set NOBODY_HAS_THIS_KEY');
  });
});

describe('a hostile check', () => {
  it.each([
    ['throws', () => Promise.reject(new Error('boom'))],
    ['answers nonsense', () => 'yes'],
    ['answers null', () => null],
    [
      'answers an object whose getters throw',
      () => ({
        get healthy() {
          throw new Error('trap');
        },
      }),
    ],
    ['throws something that is no error', () => Promise.reject(Object.create(null))],
  ])('that %s is unwell, and disturbs no other', async (_, answer) => {
    const { tool, mood } = moody();
    mood.answer = answer;
    const crib = await testCrib([tool, aTool()]);
    const { checks } = await crib.health.check(TOOLS);
    expect(checks.map(({ name, state }) => [name, state])).toEqual([
      ['moody', 'unwell'],
      ['echo', 'well'],
    ]);
  });

  it('that hangs is cut off, and is not begun again while it hangs', async () => {
    const { tool, mood } = moody();
    mood.answer = never;
    const crib = await testCrib([tool, aTool()]);
    const first = crib.health.check({ ...TOOLS, timeoutMs: 1000 });
    await crib.runtime.advance(5000);
    const [hung, other] = (await first).checks;
    expect([hung?.state, other?.state]).toEqual(['unwell', 'well']);
    expect(hung?.checks[0]?.message).toContain('No answer within 1 s');
    const again = await crib.health.check('moody', { timeoutMs: 1000 });
    expect(again.checks[0]?.message).toBe('An earlier check has not answered yet');
    expect(mood.asked).toBe(1);
  });

  it('that floods is cut to a bounded size, without characters that nobody sees', async () => {
    const { tool, mood } = moody();
    mood.answer = () => ({ healthy: false, message: `\u202E\u001b[31m${'x'.repeat(5_000_000)}` });
    const crib = await testCrib([tool]);
    const result = await crib.health.check('moody');
    expect(JSON.stringify(result).length).toBeLessThan(2000);
    for (const hidden of ['\u202E', '\u001b']) {
      expect(result.checks[0]?.message).not.toContain(hidden);
    }
  });

  it('asked for many times at once runs once', async () => {
    const { tool, mood } = moody();
    let answer: (health: unknown) => void = () => undefined;
    mood.answer = () => new Promise((resolve) => (answer = resolve));
    const crib = await testCrib([tool]);
    const all = Promise.all(Array.from({ length: 50 }, () => crib.health.check('moody')));
    await crib.runtime.advance(1);
    answer({ healthy: true });
    expect(new Set((await all).map(({ state }) => state))).toEqual(new Set(['well']));
    expect(mood.asked).toBe(1);
  });

  it('never runs a tool, asks a model, spends money or writes a row of the trail', async () => {
    const run = vi.fn(() => 'ran');
    const generate = vi.fn();
    const model = { configured: true, generate } as never;
    const tools: readonly Tool[] = [aTool({ run, cost: { model: 'usage_based', fixed: 5 } })];
    const crib = await testCrib(tools, { model });
    await crib.health.check();
    await crib.health.check('echo');
    expect(run).not.toHaveBeenCalled();
    expect(generate).not.toHaveBeenCalled();
    expect(await crib.audit.query()).toEqual([]);
    expect(await crib.usage.summary()).toEqual([]);
  });

  it('does not show a secret that its tool says aloud', async () => {
    const { tool, mood } = moody();
    const secrets = { get: async () => 'canary-5f2a9b7c1d' };
    mood.answer = () => ({ healthy: false, message: 'refused canary-5f2a9b7c1d' });
    const withKey = { ...tool, auth: { type: 'api_key', required: true, configKey: 'K' } } as Tool;
    const crib = await testCrib([withKey], { secrets });
    expect(JSON.stringify(await crib.health.check('moody'))).not.toContain('canary');
    expect(JSON.stringify(await crib.health.history('moody'))).not.toContain('canary');
  });
});

describe('what is kept of checks', () => {
  it('is the last result and the changes; only a change is announced', async () => {
    const { tool, mood } = moody();
    const crib = await testCrib([tool]);
    const announced = changesOf(crib);
    expect(await crib.health.latest()).toBeUndefined();
    await crib.health.check('moody');
    await crib.health.check('moody');
    expect(announced).toEqual([]);
    await crib.runtime.advance(1000);
    mood.answer = () => ({ healthy: false, message: 'no disk' });
    await crib.health.check('moody');
    await crib.health.check(TOOLS);
    await crib.runtime.advance(1000);
    mood.answer = () => ({ healthy: true });
    await crib.health.check('moody');
    expect(announced.map(({ subject, before, state }) => [subject, before, state])).toEqual([
      ['tool:moody', 'well', 'unwell'],
      ['tool:moody', 'unwell', 'well'],
    ]);
    const { last, changes } = await crib.health.history('moody');
    expect(last?.state).toBe('well');
    expect(changes.map(({ state, reason }) => [state, reason])).toEqual([
      ['well', undefined],
      ['unwell', 'no disk'],
      ['well', undefined],
    ]);
    expect((await crib.health.latest())?.checks.map(({ subject }) => subject)).toEqual([
      'tool:moody',
    ]);
  });

  it('stays bounded when a subject flickers', async () => {
    const { tool, mood } = moody();
    let isWell = false;
    mood.answer = () => {
      isWell = !isWell;
      return { healthy: isWell };
    };
    const crib = await testCrib([tool]);
    for (let at = 0; at < 120; at++) await crib.health.check('moody');
    expect((await crib.health.history('moody')).changes).toHaveLength(50);
  });

  it('leaves out what a planted store holds and what is not there any more', async () => {
    const crib = await testCrib([aTool()]);
    const { memory } = await crib.store();
    await memory.write({
      space: 'toolcrib:health',
      key: 'last',
      value: { allAt: 'x', results: { 'tool:gone': { subject: 'tool:gone' }, 'tool:echo': 7 } },
    });
    await memory.write({ space: 'toolcrib:health', key: 'changes:tool:echo', value: [{}, 'x'] });
    expect(await crib.health.latest()).toBeUndefined();
    expect(await crib.health.history('echo')).toEqual({ changes: [] });
  });
});
