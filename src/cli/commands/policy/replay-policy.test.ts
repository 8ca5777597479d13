import { afterEach, describe, expect, it } from 'vitest';
import { aTool, type TestCrib, testCrib } from '../../../../test/fixtures/test-crib.ts';
import type { AuditRow } from '../../../contract/audit.ts';
import type { Verdict } from '../../../contract/policy.ts';
import { recordedVerdict } from '../../../crib/audit/recorded-call.ts';
import { type JudgeAt, replayPolicy } from './replay-policy.ts';

const ALL = { from: undefined, limit: 1000, roles: {} };
const always =
  (effect: Verdict['effect'], rule = 'new-rule'): JudgeAt =>
  async () => ({ effect, rule, reason: 'because' });

let open: TestCrib | undefined;
afterEach(() => open?.close());

const crib = async (): Promise<TestCrib> => {
  open = await testCrib([
    aTool(),
    aTool({ name: 'writer', tier: 'write' }),
    aTool({ name: 'runner', tier: 'execute' }),
  ]);
  return open;
};

describe('replayPolicy', () => {
  it('finds the calls that would get another verdict', async () => {
    const { execute, store } = bound(await crib());
    await execute('echo', { a: 1 });
    await execute('runner', { a: 2 });
    const same = await replayPolicy(await store(), { ...ALL, after: byTool });
    expect(same).toMatchObject({ judged: 2, changes: [] });
    const denied = await replayPolicy(await store(), { ...ALL, after: always('deny') });
    expect(denied.changes.map(({ tool, before, after }) => [tool, before, after.effect])).toEqual([
      ['runner', { effect: 'ask', rule: 'tier-3-execute' }, 'deny'],
      ['echo', { effect: 'allow', rule: 'tier-1-read' }, 'deny'],
    ]);
  });

  it('judges with the recorded input and caller, also where the intent has the input', async () => {
    const { execute, store } = bound(await crib());
    await execute('writer', { path: 'x' }, { userId: 'ada', agentId: 'bot', sessionId: 's' });
    await execute('echo', { a: 1 });
    const seen: unknown[] = [];
    await replayPolicy(await store(), {
      ...ALL,
      roles: { roles: ['viewer'] },
      after: async (_, input, caller) => {
        seen.push([input, caller]);
        return { effect: 'allow', rule: 'r', reason: '' };
      },
    });
    expect(seen).toEqual([
      [{ a: 1 }, { agentId: 'local', sessionId: 'local', roles: ['viewer'] }],
      [{ path: 'x' }, { userId: 'ada', agentId: 'bot', sessionId: 's', roles: ['viewer'] }],
    ]);
  });

  it('finds no change in calls that the same rules judged, although roles are not on record', async () => {
    const { execute, store } = bound(await crib());
    await execute('echo', { a: 1 }, { userId: 'ada', permissions: [] });
    await execute('echo', { a: 2 });
    const rows = await (await store()).audit.query({ kind: 'outcome' });
    const version = `${String(rows[0]?.detail.policy)}-and-the-rest`;
    const after = always('deny');
    const same = await replayPolicy(await store(), { ...ALL, version, after });
    expect([same.judged, same.changes]).toEqual([2, []]);
    const other = await replayPolicy(await store(), { ...ALL, version: 'other', after });
    expect(other.changes).toHaveLength(1);
    const asRole = { roles: ['viewer'] };
    const role = await replayPolicy(await store(), { ...ALL, roles: asRole, version, after });
    expect(role.changes).toHaveLength(1);
  });

  it('compares two policies with each other, not with the record', async () => {
    const { execute, store } = bound(await crib());
    await execute('echo', {});
    const before = always('deny', 'old');
    const report = await replayPolicy(await store(), { ...ALL, before, after: always('allow') });
    expect(report.changes[0]?.before).toEqual({ effect: 'deny', rule: 'old' });
    const none = await replayPolicy(await store(), { ...ALL, before, after: always('deny') });
    expect(none.changes).toEqual([]);
  });

  it('counts what cannot be judged, by its reason, and what was judged redacted', async () => {
    const { execute, store, real } = bound(await crib());
    await execute('nobody', {});
    await execute('echo', { long: 'x'.repeat(20_000) });
    await execute('echo', { password: 'hunter2hunter2' });
    await execute('echo', { dry: true }, { dryRun: true });
    const report = await replayPolicy(await store(), { ...ALL, after: always('deny') });
    expect(report.notJudged).toEqual({ early: 1, shortened: 1, invalid: 0, unclear: 1 });
    expect(report).toMatchObject({ judged: 1, redacted: 1 });
    const gone = await replayPolicy(await store(), {
      ...ALL,
      after: async (row, input) => (await real.explain(`${row.tool}_gone`, input)).verdict,
    });
    expect(gone.notJudged.invalid).toBe(2);
  });

  it('a bug in a judge is thrown and gives no verdict', async () => {
    const { execute, store } = bound(await crib());
    await execute('echo', {});
    const after: JudgeAt = () => Promise.reject(new TypeError('a bug'));
    await expect(replayPolicy(await store(), { ...ALL, after })).rejects.toThrow('a bug');
  });

  it('judges as many calls as the limit allows, newest first, over several pages', async () => {
    const { execute, store, real } = bound(await crib());
    for (let at = 0; at < 205; at += 1) await execute('echo', { at });
    const start = real.runtime.now();
    expect((await replayPolicy(await store(), { ...ALL, after: always('deny') })).judged).toBe(205);
    const some = { ...ALL, limit: 3, after: always('deny') };
    expect((await replayPolicy(await store(), some)).changes).toHaveLength(3);
    const later = { ...ALL, from: start + 1, after: always('deny') };
    expect((await replayPolicy(await store(), later)).judged).toBe(0);
  });
});

const byTool: JudgeAt = async ({ tool }) => ({
  effect: tool === 'runner' ? 'ask' : 'allow',
  rule: 'new-rule',
  reason: '',
});

function bound(real: TestCrib) {
  return {
    real,
    execute: real.execute.bind(real),
    store: real.store.bind(real),
  };
}

const verdictOf = (
  detail: AuditRow['detail'],
  code: AuditRow['code'] = '',
  status: AuditRow['status'] = 'success',
) => recordedVerdict({ detail, code, status } as AuditRow);

it.each([
  ['a call that ran', { rule: 'r' }, '', 'success', { effect: 'allow', rule: 'r' }],
  ['a tool that failed', { rule: 'r' }, 'NOT_FOUND', 'failure', { effect: 'allow', rule: 'r' }],
  ['a refusal', { rule: '' }, 'PERMISSION_DENIED', 'denied', { effect: 'deny', rule: '' }],
  [
    'an approved one',
    { rule: 'r', approvedBy: 'ada' },
    '',
    'success',
    { effect: 'ask', rule: 'r' },
  ],
  ['one by a grant', { rule: 'r', grantId: 'g' }, '', 'success', { effect: 'ask', rule: 'r' }],
  ['one that waits', { rule: 'r' }, '', 'pending', { effect: 'ask', rule: 'r' }],
  ['a no', { rule: 'r' }, 'USER_CANCELLED', 'denied', { effect: 'ask', rule: 'r' }],
  ['a dry run', { rule: 'r', dryRun: true }, '', 'success', { rule: 'r' }],
  ['a later gate', { rule: 'r' }, 'BUDGET_EXCEEDED', 'denied', { rule: 'r' }],
  ['an earlier gate', { rule: '' }, 'VALIDATION_ERROR', 'failure', undefined],
  ['a row of another shape', {}, 'SECURITY_VIOLATION', 'denied', undefined],
] as const)('recordedVerdict reads the verdict of %s', (_, detail, code, status, verdict) => {
  expect(verdictOf(detail, code, status)).toEqual(verdict);
});
