/** Preconditions that say as data what must hold: each kind is judged, whatever its `check` says. */
import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { Precondition } from '../../contract/precondition.ts';
import type { Tool } from '../../contract/tool.ts';

const yes = () => true;
const needing = (...preconditions: readonly object[]): Tool =>
  aTool({
    preconditions: preconditions.map(
      (each) => ({ description: 'it', critical: true, ...each }) as Precondition,
    ),
  });
const setting = (name: string, value: unknown): Tool =>
  aTool({
    name,
    effects: [
      {
        type: 'state_change',
        description: '',
        reversible: true,
        state: 'mode',
        change: 'set',
        value: value as string,
      },
    ],
  });
const codeOf = async (crib: Awaited<ReturnType<typeof testCrib>>, as?: object) =>
  (await crib.execute('echo', {}, as)).error?.code;

describe('a precondition of kind state', () => {
  const state = { type: 'state', state: 'mode', expectedValue: { on: 1 } };

  it('is met only by the value it expects, without a check', async () => {
    const crib = await testCrib([
      needing(state),
      setting('right', { on: 1 }),
      setting('wrong', { on: 2 }),
    ]);
    expect(await codeOf(crib)).toBe('PRECONDITION_FAILED');
    await crib.execute('right', {});
    expect(await codeOf(crib)).toBeUndefined();
    await crib.execute('wrong', {});
    expect(await codeOf(crib)).toBe('PRECONDITION_FAILED');
  });

  it('fails on another value although its check says yes', async () => {
    const crib = await testCrib([needing({ ...state, check: yes }), setting('wrong', 'off')]);
    expect(await codeOf(crib)).toBeUndefined();
    await crib.execute('wrong', {});
    expect(await codeOf(crib)).toBe('PRECONDITION_FAILED');
  });

  it('takes a function that judges the value, and one that throws is not met', async () => {
    const above = { ...state, expectedValue: (value: number) => value > 3 };
    const throwing = {
      ...state,
      expectedValue: () => {
        throw new Error('x');
      },
    };
    const crib = await testCrib([needing(above), setting('five', 5), setting('two', 2)]);
    await crib.execute('two', {});
    expect(await codeOf(crib)).toBe('PRECONDITION_FAILED');
    await crib.execute('five', {});
    expect(await codeOf(crib)).toBeUndefined();
    const other = await testCrib([needing(throwing), setting('five', 5)]);
    await other.execute('five', {});
    expect(await codeOf(other)).toBe('PRECONDITION_FAILED');
  });

  it('is not met by the state of another session', async () => {
    const crib = await testCrib([needing(state), setting('right', { on: 1 })]);
    await crib.execute('right', {}, { userId: 'ada', sessionId: 'one' });
    expect(await codeOf(crib, { userId: 'ada', sessionId: 'two' })).toBe('PRECONDITION_FAILED');
    expect(await codeOf(crib, { userId: 'ada', sessionId: 'one' })).toBeUndefined();
  });
});

describe('a precondition of kind permission', () => {
  const permission = { type: 'permission', permission: 'browser:automate', check: yes };

  it('stops a caller who does not hold it although its check says yes', async () => {
    const crib = await testCrib([needing(permission)]);
    const as = { userId: 'ada', permissions: ['tool:echo'] };
    expect(await codeOf(crib, as)).toBe('PRECONDITION_FAILED');
    expect(await codeOf(crib, { ...as, permissions: ['tool:echo', 'browser:*'] })).toBeUndefined();
    expect(await codeOf(crib)).toBeUndefined();
  });

  it('lets a caller pass who was granted it', async () => {
    const crib = await testCrib([needing({ ...permission, check: undefined })]);
    const as = { userId: 'ada', permissions: ['tool:echo'] };
    await crib.permissions.grant({
      subject: { user: 'ada' },
      resource: 'browser:automate',
      actions: ['*'],
      skipsApproval: false,
      by: 'test',
    });
    expect(await codeOf(crib, as)).toBeUndefined();
    expect(await codeOf(crib, { ...as, userId: 'eve' })).toBe('PRECONDITION_FAILED');
  });

  it('stops a caller who holds it when its check refuses', async () => {
    const crib = await testCrib([needing({ ...permission, check: () => false })]);
    expect(await codeOf(crib)).toBe('PRECONDITION_FAILED');
  });
});

describe('a precondition of kind dependency', () => {
  const on = (status: string) => ({ type: 'dependency', tool: 'login', status, check: yes });

  it('available is met by a tool that can be called, and by no other', async () => {
    const missing = await testCrib([needing(on('available'))]);
    expect(await codeOf(missing)).toBe('PRECONDITION_FAILED');
    const crib = await testCrib([needing(on('available')), aTool({ name: 'login' })]);
    expect(await codeOf(crib)).toBeUndefined();
    crib.tools.setEnabled('login', false);
    expect(await codeOf(crib)).toBe('PRECONDITION_FAILED');
  });

  it('completed is met by a call of the same user and session that succeeded', async () => {
    const login = aTool({
      name: 'login',
      run: ((input: { fail?: boolean }) => {
        if (input.fail) throw new Error('no');
        return 1;
      }) as never,
    });
    const crib = await testCrib([needing(on('completed')), login]);
    const ada = { userId: 'ada', sessionId: 's' };
    expect(await codeOf(crib, ada)).toBe('PRECONDITION_FAILED');
    await crib.execute('login', { fail: true }, ada);
    await crib.execute('login', {}, { ...ada, dryRun: true });
    await crib.execute('login', {}, { ...ada, userId: 'eve' });
    await crib.execute('login', {}, { ...ada, sessionId: 'other' });
    expect(await codeOf(crib, ada)).toBe('PRECONDITION_FAILED');
    await crib.execute('login', {}, ada);
    expect(await codeOf(crib, ada)).toBeUndefined();
  });

  it('completed is not met by a call that was undone', async () => {
    const undo = async () => {};
    const login = aTool({ name: 'login', tier: 'write', undo: undo as never });
    const crib = await testCrib([needing(on('completed')), login]);
    const done = await crib.execute('login', {});
    expect(done.success).toBe(true);
    expect(await codeOf(crib)).toBeUndefined();
    expect((await crib.executions.undo(done.metadata.executionId)).success).toBe(true);
    expect(await codeOf(crib)).toBe('PRECONDITION_FAILED');
  });
});

describe('a precondition of kind resource', () => {
  it('that is required stops the call although it is not marked critical', async () => {
    const browser = { type: 'resource', resource: 'browser', critical: false, check: () => false };
    const crib = await testCrib([needing({ ...browser, availability: 'required' })]);
    expect(await codeOf(crib)).toBe('PRECONDITION_FAILED');
    const preferred = await testCrib([needing({ ...browser, availability: 'preferred' })]);
    const result = await preferred.execute('echo', {});
    expect([result.success, result.metadata.degraded]).toEqual([true, true]);
  });
});

describe('a precondition that cannot be judged', () => {
  it.each([
    ['an unknown kind', { type: 'weather' }],
    ['a resource without a check', { type: 'resource', resource: 'browser' }],
    ['a custom one without a check', { type: 'custom', id: 'x' }],
    ['a state without a value or a check', { type: 'state', state: 'x' }],
    ['a dependency of unknown status', { type: 'dependency', tool: 'echo', status: 'done' }],
    [
      'an unknown availability',
      { type: 'resource', resource: 'x', availability: 'no', check: yes },
    ],
    ['a misspelt field', { type: 'state', state: 'x', expected: 1, check: yes }],
    ['critical that is a text', { type: 'custom', id: 'x', critical: 'yes', check: yes }],
  ])('%s is refused with CONFIG_INVALID when the tool is defined', (_, precondition) => {
    const define = () => needing(precondition);
    expect(define).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }) as Error);
  });

  it('stops the call when it changed after the tool was registered', async () => {
    const changing = { type: 'custom', id: 'x', check: yes };
    const tool = needing(changing);
    const crib = await testCrib([tool]);
    Object.assign(tool.preconditions?.[0] ?? {}, { type: 'weather', critical: false });
    expect(await codeOf(crib)).toBe('PRECONDITION_FAILED');
  });
});
