import { describe, expect, it } from 'vitest';
import { aTool, type TestCrib, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { CallAs } from '../../contract/call-options.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { NewGrant } from '../../contract/grant.ts';
import type { Policy, Verdict } from '../../contract/policy.ts';
import type { Tool } from '../../contract/tool.ts';

const policyOf = (judge: () => unknown): Policy => ({
  version: '1',
  judge: judge as () => Verdict,
});

describe('authorize', () => {
  it.each([
    [
      'a throw',
      () => {
        throw new Error('x');
      },
    ],
    ['silence', () => undefined],
    ['an unknown answer', () => ({ effect: 'maybe', rule: 'r', reason: 'r' })],
    ['deny', () => ({ effect: 'deny', rule: 'r', reason: 'Because.' })],
  ])('%s means no', async (_name, judge) => {
    let ran = 0;
    const crib = await testCrib([aTool({ run: () => ++ran })], { policy: policyOf(judge) });
    expect((await crib.execute('echo', {})).error?.code).toBe('PERMISSION_DENIED');
    expect(ran).toBe(0);
  });

  it('judges what was parsed, never what was sent', async () => {
    const seen: unknown[] = [];
    const policy: Policy = {
      version: '1',
      judge: ({ input }) => {
        seen.push(input);
        return { effect: 'allow', rule: 'r', reason: '' };
      },
    };
    const input = { type: 'object', properties: { safe: { default: true } } };
    const crib = await testCrib([aTool({ input })], { policy });
    await crib.execute('echo', {});
    expect(seen).toEqual([{ safe: true }]);
  });

  it('writes the rule that let the call pass into the trail', async () => {
    const crib = await testCrib([aTool()]);
    await crib.execute('echo', {});
    const [row] = await crib.audit.query();
    expect(row?.detail.rule).toBe('tier-1-read');
  });

  it('a caller without the permission is refused', async () => {
    const crib = await testCrib([aTool({ permissions: ['tool:echo'] })]);
    expect((await crib.execute('echo', {}, { userId: 'eve', permissions: [] })).status).toBe(
      'denied',
    );
    expect(
      (await crib.execute('echo', {}, { userId: 'ada', permissions: ['tool:echo'] })).success,
    ).toBe(true);
  });
});

describe('a caller with a list of tools', () => {
  const shared = { permissions: ['net:read'] };
  const open = (more: readonly Tool[] = []) =>
    testCrib([
      aTool({ name: 'listed', ...shared }),
      aTool({ name: 'other', aliases: ['twin'], ...shared }),
      aTool({ name: 'free', permissions: [] }),
      ...more,
    ]);
  const ada = { userId: 'ada', tools: ['listed'], permissions: ['tool:listed', 'net:read'] };
  const codeOf = async (crib: TestCrib, tool: string, as: CallAs = ada) =>
    (await crib.execute(tool, {}, as)).error?.code ?? 'success';

  it('calls the tools on its list', async () => {
    expect(await codeOf(await open(), 'listed')).toBe('success');
  });

  it.each([
    ['shares its permission', 'other', ada],
    ['is named by an alias', 'twin', ada],
    ['is named by an alias on the list', 'twin', { ...ada, tools: ['twin'] }],
    ['needs no permission', 'free', ada],
    ['could be called by its permissions', 'other', { ...ada, permissions: ['*'] }],
    ['could be called by an owner', 'other', { tools: ['listed'] }],
    ['is not on a list that is empty', 'listed', { ...ada, tools: [] }],
  ])('is refused a tool that %s, and the refusal is on record', async (_how, tool, as) => {
    const crib = await open();
    expect(await codeOf(crib, tool, as)).toBe('PERMISSION_DENIED');
    const rows = await (await crib.store()).audit.query({ kind: 'outcome' });
    expect(rows).toMatchObject([{ status: 'denied', code: 'PERMISSION_DENIED' }]);
  });

  it('is refused a tool off its list although a grant and a rule allow it', async () => {
    const policy = { version: 1 as const, rules: [{ name: 'all', effect: 'allow' as const }] };
    const crib = await testCrib([aTool({ name: 'other' })], { policy });
    const grant = { resource: 'tool:*', actions: ['*'], skipsApproval: true, by: 'boss' };
    await crib.permissions.grant({ ...grant, subject: { user: 'ada' } });
    expect(await codeOf(crib, 'other')).toBe('PERMISSION_DENIED');
    const { verdict } = await crib.explain('other', {}, ada);
    expect(verdict).toMatchObject({ effect: 'deny', rule: 'tool-not-listed' });
    const { tools: _tools, ...unlisted } = ada;
    expect((await crib.explain('other', {}, unlisted)).verdict.effect).toBe('allow');
  });

  it('is refused inner calls of tools off its list', async () => {
    const outer = aTool({
      name: 'outer',
      run: (async (_: unknown, { call }: ToolContext) => (await call('free', {})).status) as never,
    });
    const crib = await open([outer]);
    const as = { userId: 'ada', tools: ['outer'] };
    expect((await crib.execute('outer', {}, as)).data).toBe('denied');
    expect((await crib.execute('outer', {}, { ...as, tools: ['outer', 'free'] })).data).toBe(
      'success',
    );
  });

  it.each(['listed', [7], {}])('is refused when its list is %j', async (tools) => {
    const as = { ...ada, tools: tools as never };
    expect(await codeOf(await open(), 'listed', as)).toBe('VALIDATION_ERROR');
  });
});

describe('permissions', () => {
  const search = aTool({ name: 'search', permissions: ['tool:search', 'net:read'] });
  const ada = { userId: 'ada', roles: ['reader'], permissions: [] };
  const grantOf = (resource: string, more: Partial<NewGrant> = {}): NewGrant => ({
    subject: { user: 'ada' },
    resource,
    actions: ['*'],
    skipsApproval: false,
    by: 'boss',
    ...more,
  });
  const codeOf = async (crib: TestCrib, as: CallAs = ada) =>
    (await crib.execute('search', {}, as)).error?.code ?? 'success';

  it('are held by callers that name none, and by callers to whom they were granted', async () => {
    const crib = await testCrib([search]);
    expect(await codeOf(crib, {})).toBe('success');
    expect(await codeOf(crib, { userId: 'ada' })).toBe('success');
    expect(await codeOf(crib)).toBe('PERMISSION_DENIED');
    expect(await codeOf(crib, { ...ada, permissions: ['tool:*', 'net:read'] })).toBe('success');
  });

  it('can be granted, all of those that the tool names, until they are revoked', async () => {
    const crib = await testCrib([search]);
    await crib.permissions.grant(grantOf('tool:search'));
    expect(await codeOf(crib)).toBe('PERMISSION_DENIED');
    const { id } = await crib.permissions.grant(grantOf('net:*', { subject: { role: 'reader' } }));
    expect(await codeOf(crib)).toBe('success');
    expect(await codeOf(crib, { ...ada, userId: 'bob' })).toBe('PERMISSION_DENIED');
    expect(await crib.permissions.revoke(id)).toBe(true);
    expect(await crib.permissions.revoke(id)).toBe(false);
    expect(await codeOf(crib)).toBe('PERMISSION_DENIED');
    const events = await crib.audit.query({ kind: 'event' });
    expect(events.map(({ detail }) => detail.event)).toEqual([
      'permission.revoked',
      'permission.granted',
      'permission.granted',
    ]);
  });

  it('can be revoked after they expired, without a row in the trail', async () => {
    const crib = await testCrib([search]);
    const expiresAt = crib.runtime.now() + 1000;
    const { id } = await crib.permissions.grant(grantOf('tool:search', { expiresAt }));
    await crib.runtime.advance(1000);
    expect(await crib.permissions.revoke(id)).toBe(true);
    const events = await crib.audit.query({ kind: 'event' });
    expect(events).toHaveLength(1);
  });

  it('end with their time and depend on their condition', async () => {
    const crib = await testCrib([search]);
    const expiresAt = crib.runtime.now() + 1000;
    await crib.permissions.grant(grantOf('tool:search', { expiresAt }));
    await crib.permissions.grant(grantOf('net:read', { condition: 'caller.session == "s1"' }));
    expect(await codeOf(crib, { ...ada, sessionId: 's1' })).toBe('success');
    expect(await codeOf(crib, { ...ada, sessionId: 's2' })).toBe('PERMISSION_DENIED');
    await crib.runtime.advance(1000);
    expect(await codeOf(crib, { ...ada, sessionId: 's1' })).toBe('PERMISSION_DENIED');
  });

  it('do not answer the question to a person unless they say so', async () => {
    const wipe = aTool({ name: 'search', tier: 'execute' });
    const crib = await testCrib([wipe]);
    await crib.permissions.grant(grantOf('tool:search'));
    expect((await crib.execute('search', {}, ada)).status).toBe('pending');
    await crib.permissions.grant(grantOf('tool:search', { skipsApproval: true }));
    expect((await crib.execute('search', {}, ada)).status).toBe('success');
  });

  it('are those that the caller names when the policy has no roles', async () => {
    const policy: Policy = {
      version: '1',
      judge: () => ({ effect: 'allow', rule: 'r', reason: '' }),
    };
    const crib = await testCrib([search], { policy });
    expect(await codeOf(crib)).toBe('PERMISSION_DENIED');
    expect(await codeOf(crib, { ...ada, permissions: ['*'] })).toBe('success');
  });

  it('never beat a deny', async () => {
    const rules = [{ name: 'no', effect: 'deny' as const, tools: ['search'] }];
    const crib = await testCrib([search], { policy: { version: 1, rules } });
    await crib.permissions.grant(grantOf('*', { skipsApproval: true }));
    expect(await codeOf(crib)).toBe('PERMISSION_DENIED');
  });

  it('come with roles of the policy, too', async () => {
    const roles = { reader: { permissions: ['tool:search', 'net:read'] } };
    const crib = await testCrib([search], { policy: { version: 1, roles } });
    expect(await codeOf(crib)).toBe('success');
    expect(await codeOf(crib, { userId: 'ada', permissions: [] })).toBe('PERMISSION_DENIED');
  });

  it.each([
    ['an empty name', { subject: { user: ' ' } }],
    ['a resource with a star inside', { resource: 'tool:*x' }],
    ['an empty resource', { resource: '' }],
    ['no action', { actions: [] }],
    ['an empty action', { actions: [''] }],
    ['an end in the past', { expiresAt: 1 }],
    ['an end that is no time', { expiresAt: Number.NaN }],
    ['a condition that is none', { condition: 'input.' }],
  ])('are refused with %s', async (_name, more) => {
    const crib = await testCrib([search]);
    const granting = crib.permissions.grant(grantOf('tool:x', more));
    await expect(granting).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await crib.permissions.list()).toEqual([]);
  });
});

describe('shadow rules', () => {
  it('let the call pass, and leave what they would have done in the trail and on the bus', async () => {
    const rules = [
      { name: 'soon', effect: 'deny' as const, shadow: true, reason: 'Not for long.' },
    ];
    const crib = await testCrib([aTool()], { policy: { version: 1, rules } });
    const seen: unknown[] = [];
    crib.events.on('policy.shadowed', (event) => seen.push(event.findings));
    expect((await crib.execute('echo', {})).success).toBe(true);
    const [row] = await crib.audit.query();
    const findings = [{ rule: 'soon', effect: 'deny', reason: 'Not for long.' }];
    expect([row?.detail.shadow, seen]).toEqual([findings, [findings]]);
  });

  it('can be a whole policy, by configuration', async () => {
    const rules = [{ name: 'no', effect: 'deny' as const }];
    const config = { policy: { shadow: true } };
    const crib = await testCrib([aTool()], { policy: { version: 1, rules }, config });
    expect((await crib.execute('echo', {})).success).toBe(true);
  });
});

describe('explain', () => {
  it('names the rule that decides and the rules that were considered, and runs nothing', async () => {
    const rules = [
      { name: 'other', effect: 'deny' as const, tools: ['else'] },
      { name: 'mine', effect: 'ask' as const, reason: 'To be sure.' },
    ];
    const crib = await testCrib([aTool()], { policy: { version: 1, rules } });
    const { verdict, considered } = await crib.explain('echo', {});
    expect(verdict).toMatchObject({ effect: 'ask', rule: 'mine' });
    expect(considered.slice(0, 2)).toMatchObject([
      { rule: 'other', matched: false, origin: 'the program' },
      { rule: 'mine', matched: true },
    ]);
    expect(await crib.audit.query()).toEqual([]);
  });

  it('lists missing permissions and grants that answer', async () => {
    const tool = aTool({ name: 'wipe', tier: 'execute', permissions: ['disk:wipe'] });
    const crib = await testCrib([tool]);
    const as = { userId: 'ada', permissions: [] };
    expect(await crib.explain('wipe', {}, as)).toMatchObject({
      verdict: { effect: 'deny', rule: 'permission-missing' },
    });
    const grant = { subject: {}, actions: ['*'], by: 'boss' };
    await crib.permissions.grant({ ...grant, resource: 'disk:*', skipsApproval: false });
    expect(await crib.explain('wipe', {}, as)).toMatchObject({ verdict: { effect: 'ask' } });
    await crib.permissions.grant({ ...grant, resource: 'tool:wipe', skipsApproval: true });
    expect(await crib.explain('wipe', {}, as)).toMatchObject({ verdict: { effect: 'allow' } });
  });

  it('works with a policy that cannot explain itself, and fails on what is no call', async () => {
    const policy: Policy = {
      version: '1',
      judge: () => ({ effect: 'deny', rule: 'r', reason: '' }),
    };
    const crib = await testCrib([aTool({ input: { type: 'object', required: ['a'] } })], {
      policy,
    });
    expect(await crib.explain('echo', { a: 1 })).toMatchObject({ verdict: { effect: 'deny' } });
    await expect(crib.explain('nobody', {})).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
    await expect(crib.explain('echo', {})).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
