/** The threat: an approval for a call inside a tool is used by something else, or more than once. */
import { describe, expect, it } from 'vitest';
import { aTool, type TestCrib, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { CallAs } from '../../contract/call-options.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { CribOptions } from '../../crib/crib-options.ts';

const yes = { approve: true, by: 'ada' };

/** `outer` and `other` hand their input on to `wipe`, and give its result back as data. */
const setUp = async (options: CribOptions = {}) => {
  const runs: unknown[] = [];
  const caller = (name: string) =>
    aTool({
      name,
      run: (async (input: unknown, { call }: ToolContext) => call('wipe', input)) as never,
    });
  const wipe = (description = 'Wipes.') =>
    aTool({
      name: 'wipe',
      description,
      tier: 'execute',
      run: ((input: unknown) => runs.push(input)) as never,
    });
  const crib = await testCrib([caller('outer'), caller('other'), wipe()], options);
  return { crib, runs, wipe };
};

const inner = async (
  crib: TestCrib,
  { tool = 'outer', input = { n: 1 }, as }: { tool?: string; input?: unknown; as?: CallAs } = {},
): Promise<ToolResult> => (await crib.execute(tool, input, as)).data as ToolResult;

/** Asked inside `outer`, and answered. */
const approved = async (crib: TestCrib, answer = yes): Promise<string> => {
  const { approval } = await inner(crib);
  const id = approval?.approvalId ?? '';
  expect(await crib.approvals.decide(id, answer)).toBe(true);
  return id;
};

describe('threat: approvals of inner calls', () => {
  it('benign: an approved inner call runs once when the same tool makes it again', async () => {
    const { crib, runs } = await setUp();
    const approvalId = await approved(crib);
    expect(await inner(crib)).toMatchObject({ success: true });
    expect(runs).toEqual([{ n: 1 }]);
    const [, outcome] = await crib.audit.query({ kind: 'outcome' });
    expect(outcome?.detail).toMatchObject({ approvedBy: 'ada', approvalId });
    expect((await inner(crib)).status).toBe('pending');
    expect(runs).toHaveLength(1);
  });

  it('benign: its caller can make the approved call with the id of the approval, and only once', async () => {
    const { crib, runs } = await setUp();
    const approvalId = await approved(crib);
    expect(await crib.execute('wipe', { n: 1 }, { approvalId })).toMatchObject({ success: true });
    expect((await inner(crib)).status).toBe('pending');
    expect(runs).toHaveLength(1);
  });

  it('benign: the input that was edited in the inbox is the one that runs', async () => {
    const { crib, runs } = await setUp();
    await approved(crib, { ...yes, input: { n: 2 } } as typeof yes);
    await inner(crib);
    expect(runs).toEqual([{ n: 2 }]);
  });

  it.each([
    ['another input', { input: { n: 2 } }],
    ['another tool around it', { tool: 'other' }],
    ['another session', { as: { sessionId: 's2' } }],
    ['another agent', { as: { agentId: 'a2' } }],
    ['another user', { as: { userId: 'u2' } }],
  ])('hostile: an approval of an inner call does not count for %s', async (_name, changed) => {
    const { crib, runs } = await setUp();
    await approved(crib);
    expect((await inner(crib, changed)).status).toBe('pending');
    expect(runs).toEqual([]);
  });

  it("hostile: a tool cannot use the approval of a caller's own call", async () => {
    const { crib, runs } = await setUp();
    const { approval } = await crib.execute('wipe', { n: 1 });
    const own = approval?.approvalId ?? '';
    await crib.approvals.decide(own, yes);
    expect((await inner(crib)).approval?.approvalId).not.toBe(own);
    expect(runs).toEqual([]);
  });

  it('hostile: a caller that names no approval gets none', async () => {
    const { crib, runs } = await setUp();
    await approved(crib);
    expect((await crib.execute('wipe', { n: 1 })).status).toBe('pending');
    expect(runs).toEqual([]);
  });

  it('hostile: a changed definition, a denial and an expired approval do not run the call', async () => {
    const { crib, runs, wipe } = await setUp({ config: { approvals: { expiresMinutes: 1 } } });
    await approved(crib);
    await crib.tools.update(wipe('Wipes more.'));
    expect((await inner(crib)).status).toBe('pending');
    await crib.tools.update(wipe());
    await crib.runtime.advance(60_000);
    expect((await inner(crib)).status).toBe('pending');
    await approved(crib, { ...yes, approve: false });
    expect((await inner(crib)).status).toBe('pending');
    expect(runs).toEqual([]);
  });

  it('hostile: two calls at once use one approval once', async () => {
    const { crib, runs } = await setUp();
    await approved(crib);
    const both = await Promise.all([inner(crib), inner(crib)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['pending', 'success']);
    expect(runs).toHaveLength(1);
  });

  it('hostile: an approval that was planted in the store, or bound to another tool, does not count', async () => {
    const { crib, runs } = await setUp();
    const { approvals } = await crib.store();
    const { approval } = await inner(crib);
    await approvals.decide(approval?.approvalId ?? '', { ...yes, at: 1 });
    expect((await inner(crib)).status).toBe('pending');
    const id = await approved(crib);
    const record = await approvals.get(id);
    if (record) await approvals.create({ ...record, id: `${id}2`, within: 'other' });
    expect((await inner(crib, { tool: 'other' })).status).toBe('pending');
    expect(runs).toEqual([]);
  });

  it('hostile: a call that a rule denies now stays denied, although it was approved', async () => {
    const denies = { now: false };
    const policy = {
      version: '1',
      judge: ({ tool }: { tool: { name: string } }) =>
        tool.name !== 'wipe'
          ? { effect: 'allow' as const, rule: 'r', reason: '' }
          : { effect: denies.now ? ('deny' as const) : ('ask' as const), rule: 'w', reason: '' },
    };
    const { crib, runs } = await setUp({ policy: policy as never });
    await approved(crib);
    denies.now = true;
    expect((await inner(crib)).error?.code).toBe('PERMISSION_DENIED');
    expect(runs).toEqual([]);
  });
});
