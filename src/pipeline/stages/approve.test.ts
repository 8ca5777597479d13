import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ApprovalRequest, Approver } from '../../contract/approver.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { Policy } from '../../contract/policy.ts';

const dangerous = (seen: { runs: number }, extra: Parameters<typeof aTool>[0] = {}) =>
  aTool({ name: 'wipe', tier: 'execute', run: () => ++seen.runs, ...extra });

describe('approve', () => {
  it('asks with everything a person needs, and runs on yes', async () => {
    const seen = { runs: 0 };
    const asked: ApprovalRequest[] = [];
    const tool = dangerous(seen, {
      cost: { model: 'usage_based', fixed: 0.3 },
      capabilities: [{ action: 'wipe', description: '', estimatedTime: 500 }],
    });
    const crib = await testCrib([tool], { approver: (request) => asked.push(request) > 0 });
    const result = await crib.execute('wipe', { disk: 'a', password: 'shown to the approver' });
    expect([result.success, seen.runs]).toEqual([true, 1]);
    expect(asked[0]).toMatchObject({
      tool: 'wipe',
      tier: 'execute',
      action: 'wipe',
      input: { disk: 'a', password: 'shown to the approver' },
      estimatedCost: 0.3,
      estimatedTime: 500,
      reason: 'Every execution of a program or of code needs approval.',
    });
    const [row] = await crib.audit.query();
    expect(row?.detail.approvedBy).toBe('callback');
  });

  it('asks the approver that came with the call, for the calls it makes as well', async () => {
    const seen = { runs: 0 };
    const outer = aTool({
      name: 'outer',
      run: ((_input: unknown, { call }: ToolContext) => call('wipe', {})) as never,
    });
    const crib = await testCrib([dangerous(seen), outer], { approver: () => false });
    const approver: Approver = { ask: async () => ({ answer: 'approve', by: 'Ada' }) };
    expect((await crib.execute('wipe', {}, { approver })).success).toBe(true);
    expect((await crib.execute('outer', {}, { approver })).success).toBe(true);
    expect(seen.runs).toBe(2);
    expect((await crib.execute('wipe', {})).error?.code).toBe('USER_CANCELLED');
    const rows = await crib.audit.query();
    expect(rows.filter(({ detail }) => detail.approvedBy === 'Ada')).not.toEqual([]);
  });

  it.each([
    ['no', () => false],
    ['a truthy answer that is not true', () => 'yes' as unknown as boolean],
    [
      'a throw',
      () => {
        throw new Error('x');
      },
    ],
  ])('%s is a no', async (_name, approver) => {
    const seen = { runs: 0 };
    const crib = await testCrib([dangerous(seen)], { approver });
    const result = await crib.execute('wipe', {});
    expect([result.status, result.error?.code, seen.runs]).toEqual(['denied', 'USER_CANCELLED', 0]);
  });

  it('without an approver the call is pending, and runs once it is approved, exactly once', async () => {
    const seen = { runs: 0 };
    const crib = await testCrib([dangerous(seen)]);
    const pending = await crib.execute('wipe', { a: 1 });
    expect([pending.status, pending.error?.code]).toEqual(['pending', 'APPROVAL_REQUIRED']);
    const approvalId = pending.approval?.approvalId ?? '';
    expect((await crib.execute('wipe', { a: 1 }, { approvalId })).status).toBe('pending');
    expect(await crib.approvals.decide(approvalId, { approve: true, by: 'ada' })).toBe(true);
    expect(await crib.approvals.decide(approvalId, { approve: false, by: 'eve' })).toBe(false);
    const results = await Promise.all(
      Array.from({ length: 5 }, () => crib.execute('wipe', { a: 1 }, { approvalId })),
    );
    expect(results.filter(({ success }) => success)).toHaveLength(1);
    expect(seen.runs).toBe(1);
    expect((await crib.execute('wipe', { a: 1 }, { approvalId })).error?.code).toBe(
      'APPROVAL_EXPIRED',
    );
  });

  it.each([
    ['another input', { a: 2 }, {}],
    ['another user', { a: 1 }, { userId: 'eve' }],
    ['another session', { a: 1 }, { sessionId: 'other' }],
    ['an unknown approval', { a: 1 }, { approvalId: 'approval_forged' }],
  ])('an approval is no good for %s', async (_name, input, as) => {
    const seen = { runs: 0 };
    const crib = await testCrib([dangerous(seen)]);
    const pending = await crib.execute('wipe', { a: 1 });
    const approvalId = pending.approval?.approvalId ?? '';
    await crib.approvals.decide(approvalId, { approve: true, by: 'ada' });
    const result = await crib.execute('wipe', input, { approvalId, ...as });
    expect([result.error?.code, seen.runs]).toEqual(['APPROVAL_EXPIRED', 0]);
  });

  it('approvals expire, and a denied one stays denied', async () => {
    const seen = { runs: 0 };
    const crib = await testCrib([dangerous(seen)], {
      config: { approvals: { expiresMinutes: 10 } },
    });
    const late = (await crib.execute('wipe', {})).approval?.approvalId ?? '';
    await crib.approvals.decide(late, { approve: true, by: 'ada' });
    await crib.runtime.advance(10 * 60 * 1000);
    expect((await crib.execute('wipe', {}, { approvalId: late })).error?.code).toBe(
      'APPROVAL_EXPIRED',
    );
    const denied = (await crib.execute('wipe', {})).approval?.approvalId ?? '';
    await crib.approvals.decide(denied, { approve: false, by: 'ada' });
    expect((await crib.execute('wipe', {}, { approvalId: denied })).error?.code).toBe(
      'USER_CANCELLED',
    );
    expect(seen.runs).toBe(0);
  });

  it('deny rules are judged again after the wait', async () => {
    const seen = { runs: 0 };
    let effect: 'ask' | 'deny' = 'ask';
    const policy: Policy = {
      version: '1',
      judge: () => ({ effect, rule: 'r', reason: 'Changed.' }),
    };
    const approver = () => {
      effect = 'deny';
      return true;
    };
    const crib = await testCrib([dangerous(seen)], { policy, approver });
    expect((await crib.execute('wipe', {})).error?.code).toBe('PERMISSION_DENIED');
    expect(seen.runs).toBe(0);
  });

  it('nobody is asked about a call that the budget cannot cover', async () => {
    let asked = 0;
    const seen = { runs: 0 };
    const tool = dangerous(seen, { cost: { model: 'usage_based', fixed: 11 } });
    const crib = await testCrib([tool], { approver: () => ++asked > 0 });
    expect((await crib.execute('wipe', {})).error?.code).toBe('BUDGET_EXCEEDED');
    expect(asked).toBe(0);
  });

  it('nobody is asked about a call whose program may not run, and it says why', async () => {
    let asked = 0;
    const seen = { runs: 0 };
    const tool = dangerous(seen, {
      needs: { commands: ['ls', 'cat *'] },
      programs: ({ script }: { script: string }) => [
        { argv: ['ls'] },
        { argv: ['bash', '-c', script] },
      ],
    } as Parameters<typeof aTool>[0]);
    const crib = await testCrib([tool], { approver: () => ++asked > 0 });
    const refused = await crib.execute('wipe', { script: 'cat a; whoami' });
    expect(refused).toMatchObject({
      status: 'denied',
      error: {
        code: 'PERMISSION_DENIED',
        message:
          'The command was refused: Command 2 of 2 (whoami): The command is not on the allowlist.',
        suggestions: [expect.stringContaining('commands.allow')],
      },
    });
    expect([asked, seen.runs, (await crib.approvals.list()).length]).toEqual([0, 0, 0]);
    expect((await crib.execute('wipe', { script: 'cat a; ls' })).success).toBe(true);
    expect([asked, seen.runs]).toEqual([1, 1]);
  });

  it('an approval is not used up by a call whose program may not run', async () => {
    const seen = { runs: 0 };
    const allowed = new Set(['ls']);
    const tool = dangerous(seen, {
      needs: { commands: ['ls'] },
      programs: () => [{ argv: [allowed.has('ls') ? 'ls' : 'whoami'] }],
    });
    const crib = await testCrib([tool]);
    const approvalId = (await crib.execute('wipe', {})).approval?.approvalId ?? '';
    await crib.approvals.decide(approvalId, { approve: true, by: 'alice' });
    allowed.clear();
    expect((await crib.execute('wipe', {}, { approvalId })).status).toBe('denied');
    allowed.add('ls');
    expect((await crib.execute('wipe', {}, { approvalId })).status).toBe('success');
    expect(seen.runs).toBe(1);
  });

  it('a tool that names programs without declaring any is refused before a person is asked', async () => {
    let asked = 0;
    const tool = dangerous({ runs: 0 }, { programs: () => [{ argv: ['ls'] }] });
    const crib = await testCrib([tool], { approver: () => ++asked > 0 });
    const { error } = await crib.execute('wipe', {});
    expect(error?.message).toContain('declared no programs');
    expect(asked).toBe(0);
  });

  it('a call cancelled while it waits does not run', async () => {
    const seen = { runs: 0 };
    let answer: (yes: boolean) => void = () => undefined;
    const approver = () => new Promise<boolean>((resolve) => (answer = resolve));
    const crib = await testCrib([dangerous(seen)], { approver });
    const controller = new AbortController();
    const call = crib.execute('wipe', {}, { signal: controller.signal });
    await crib.runtime.advance(1);
    controller.abort();
    answer(true);
    expect([(await call).status, seen.runs]).toEqual(['cancelled', 0]);
    expect(await crib.approvals.list()).toEqual([]);
  });
});
