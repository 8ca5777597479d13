import { describe, expect, it } from 'vitest';
import { ask, someCaller, someTool } from '../../../test/fixtures/policy-question.ts';
import type { PolicyQuestion } from '../../contract/policy.ts';
import type { Tier } from '../../contract/tool.ts';
import { compilePolicy, type PolicyOptions } from './compile-policy.ts';
import type { PolicyDocument, PolicyRule, PolicySource } from './document/policy-document.ts';

const user = (document: Partial<PolicyDocument>): PolicySource => ({
  origin: 'policy.yml',
  kind: 'user',
  document: { version: 1, ...document },
});
const project = (document: Partial<PolicyDocument>): PolicySource => ({
  ...user(document),
  origin: 'repo.yml',
  kind: 'project',
});
const rule = (name: string, effect: PolicyRule['effect'], extra: Partial<PolicyRule> = {}) => ({
  name,
  effect,
  ...extra,
});
const judge = (
  sources: readonly PolicySource[],
  question: Partial<PolicyQuestion> = {},
  options: PolicyOptions = {},
) => compilePolicy(sources, options).judge(ask(question));
const byUser = (rules: PolicyRule[], question: Partial<PolicyQuestion> = {}) =>
  judge([user({ rules })], question);

describe('the order of rules', () => {
  it('does not matter to a deny', () => {
    const verdict = byUser([
      rule('a', 'allow'),
      rule('b', 'ask'),
      rule('c', 'deny'),
      rule('d', 'deny'),
    ]);
    expect(verdict).toEqual({ effect: 'deny', rule: 'c', reason: 'The rule c forbids this call.' });
  });

  it('decides between allow and ask', () => {
    expect(byUser([rule('a', 'allow'), rule('b', 'ask')])).toMatchObject({ rule: 'a' });
    expect(byUser([rule('b', 'ask', { reason: 'Why.' }), rule('a', 'allow')])).toEqual({
      effect: 'ask',
      rule: 'b',
      reason: 'Why.',
    });
  });

  it('puts the built-in rules last', () => {
    expect(byUser([rule('a', 'allow')], { tier: 'execute' })).toMatchObject({ rule: 'a' });
    expect(byUser([], { tier: 'execute' }).rule).toBe('tier-3-execute');
  });

  it('does not matter when no rule fits: the call is denied', () => {
    expect(judge([user({ builtin: false })])).toMatchObject({
      effect: 'deny',
      rule: 'default-deny',
    });
    expect(byUser([rule('a', 'allow')], { tier: 'root' as Tier }).effect).toBe('deny');
  });

  it('asks every time when a rule requires it', () => {
    expect(byUser([rule('a', 'ask', { everyTime: true })])).toMatchObject({ everyTime: true });
    expect(byUser([rule('a', 'ask', { everyTime: false })])).not.toHaveProperty('everyTime');
  });
});

describe('the conditions of a rule', () => {
  const tool = someTool({
    name: 'write_file',
    aliases: ['wf'],
    source: 'mcp',
    capabilities: [{ action: 'delete', description: '' }],
  });
  const capability = tool.capabilities[0];
  const caller = someCaller({ userId: 'u', agentId: 'a', sessionId: 's', roles: ['r'] });
  const effect = (extra: Partial<PolicyRule>, question: Partial<PolicyQuestion> = {}) =>
    byUser([rule('x', 'deny', extra)], { tool, capability, caller, ...question }).effect;

  it.each<[Partial<PolicyRule>]>([
    [{ tools: ['other', 'write_*'] }],
    [{ tiers: ['read_only'] }],
    [{ actions: ['delete'] }],
    [{ sources: ['mcp', 'team'] }],
    [{ callers: { users: ['u'], agents: ['a'], sessions: ['s'], roles: ['q', 'r'] } }],
    [{ callers: {} }],
    [{ when: 'tool.name == "write_file"' }],
  ])('%j fits', (extra) => expect(effect(extra)).toBe('deny'));

  it.each<[Partial<PolicyRule>]>([
    [{ tools: ['wf'] }],
    [{ tiers: ['write'] }],
    [{ actions: ['create'] }],
    [{ sources: ['builtin'] }],
    [{ callers: { users: ['v'] } }],
    [{ callers: { users: ['u'], agents: ['b'] } }],
    [{ callers: { sessions: ['t'] } }],
    [{ callers: { users: ['u'], roles: ['q'] } }],
    [{ when: 'tool.name == "read_file"' }],
    [{ tools: ['write_*'], tiers: ['execute'] }],
  ])('%j does not fit', (extra) => expect(effect(extra)).toBe('allow'));

  it('takes an unknown action for any that the tool can do, unless the rule allows', () => {
    const unknown = { capability: undefined };
    expect(effect({ actions: ['delete'] }, unknown)).toBe('deny');
    expect(effect({ actions: ['create'] }, unknown)).toBe('allow');
    const rules = [rule('x', 'allow', { actions: ['delete'] })];
    expect(byUser(rules, { tool, tier: 'execute', ...unknown }).effect).toBe('ask');
  });

  it('sees the permissions and the isolation that come with roles', () => {
    const document = {
      roles: { r: { permissions: ['p'], isolation: 'basic' as const } },
      rules: [
        rule('x', 'deny', { when: '"p" in caller.permissions && caller.isolation == "basic"' }),
      ],
    };
    expect(judge([user(document)], { caller }).effect).toBe('deny');
  });
});

describe('a condition that cannot be evaluated', () => {
  const when = 'input.path.startsWith("prod/")';

  it.each(['deny', 'ask'] as const)(
    'counts as %s, and the reason does not show the value',
    (effect) => {
      const verdict = byUser([rule('x', effect, { when })], { input: { path: 42_424_242 } });
      expect(verdict).toMatchObject({ effect, rule: 'x' });
      expect(verdict.reason).toContain('could not be evaluated');
      expect(verdict.reason).not.toContain('42424242');
    },
  );

  it('allows nothing', () => {
    expect(byUser([rule('x', 'allow', { when })], { tier: 'execute' }).rule).toBe('tier-3-execute');
  });
});

describe('data flow rules', () => {
  const flow = { untrusted: true, sensitivity: 'private' } as const;

  it('cannot be hidden by a rule that allows, wherever it stands', () => {
    const question = { tier: 'external_api', flow } as const;
    expect(byUser([rule('a', 'allow')], question)).toMatchObject({
      rule: 'flow-trifecta',
      everyTime: true,
    });
    const secret = { ...question, flow: { ...flow, sensitivity: 'secret' as const } };
    expect(byUser([rule('a', 'allow')], secret).rule).toBe('flow-secret');
    expect(byUser([rule('a', 'deny')], secret).rule).toBe('a');
  });

  it('beat a question that a grant could answer, not one asked every time', () => {
    const question = { tier: 'external_api', flow } as const;
    expect(byUser([rule('a', 'ask')], question).rule).toBe('flow-trifecta');
    expect(byUser([rule('a', 'ask', { everyTime: true })], question).rule).toBe('a');
  });

  it('hold without the tier rules, and go only when switched off', () => {
    const sources = [user({ builtin: false, rules: [rule('a', 'allow')] })];
    const question = { tier: 'external_api', flow } as const;
    expect(judge(sources, question).effect).toBe('ask');
    expect(judge(sources, question, { flow: 'deny' }).effect).toBe('deny');
    expect(judge(sources, question, { flow: 'off' }).effect).toBe('allow');
  });
});

describe('repository config: a project can only narrow', () => {
  it('its allow lifts nothing', () => {
    const sources = [user({}), project({ rules: [rule('p', 'allow')] })];
    expect(judge(sources, { tier: 'execute' }).rule).toBe('tier-3-execute');
    expect(compilePolicy(sources).warnings).toEqual([
      'repo.yml: rule p: a project can only narrow; it is ignored',
    ]);
    const alone = [user({ builtin: false }), project({ rules: [rule('p', 'allow')] })];
    expect(judge(alone).rule).toBe('default-deny');
  });

  it('its ask and deny count, also behind an allow of the user', () => {
    const allow = user({ rules: [rule('u', 'allow')] });
    expect(judge([allow, project({ rules: [rule('p', 'ask')] })]).rule).toBe('p');
    expect(judge([project({ rules: [rule('p', 'deny')] }), allow]).rule).toBe('p');
    const pair = project({ rules: [rule('p', 'allow'), rule('q', 'ask')] });
    expect(judge([allow, pair]).rule).toBe('q');
  });

  it('cannot take the name from a rule of the user, or soften it', () => {
    const deny = user({ rules: [rule('u', 'deny')] });
    expect(judge([project({ rules: [rule('p', 'ask'), rule('q', 'deny')] }), deny]).rule).toBe('u');
  });

  it('may drop the built-in rules', () => {
    expect(judge([user({}), project({ builtin: false })]).rule).toBe('default-deny');
  });

  it('gives no permission and loosens no isolation', () => {
    const roles = { r: { permissions: ['a', 'tool:*'], isolation: 'strict' as const } };
    const taken = {
      r: { permissions: ['a', 'tool:x', 'b'], isolation: 'none' as const },
      s: { permissions: ['*'], isolation: 'basic' as const },
      t: {},
    };
    const lineOf = () => 7;
    const policy = compilePolicy([{ ...project({ roles: taken }), lineOf }, user({ roles })]);
    const caller = someCaller({ permissions: [], roles: ['r', 's', 't'] });
    expect(policy.rightsOf(caller)).toEqual({ permissions: ['a', 'tool:*'], isolation: 'strict' });
    expect(policy.warnings).toEqual([
      'repo.yml:7: role r: a project cannot give the permission b; it is ignored',
      'repo.yml:7: role r: a project cannot loosen isolation to none; it is ignored',
      'repo.yml:7: role s: a project cannot give the permission *; it is ignored',
    ]);
  });

  it('may make a role stricter', () => {
    const sources = [user({}), project({ roles: { r: { isolation: 'paranoid' } } })];
    expect(compilePolicy(sources).rightsOf(someCaller({ roles: ['r'] })).isolation).toBe(
      'paranoid',
    );
  });
});

describe('several documents', () => {
  it('are read one after the other, a program like a user', () => {
    const program: PolicySource = { ...user({ rules: [rule('p', 'allow')] }), kind: 'program' };
    expect(judge([user({ rules: [rule('u', 'ask')] }), program]).rule).toBe('u');
    expect(judge([program, user({ rules: [rule('u', 'ask')] })]).rule).toBe('p');
  });

  it('get a warning when they use a name twice', () => {
    const sources = [user({ rules: [rule('u', 'ask')] }), user({ rules: [rule('u', 'deny')] })];
    expect(compilePolicy(sources).warnings[0]).toContain(
      'another document has a rule of this name',
    );
  });

  it('add up roles', () => {
    const sources = [
      user({ roles: { r: { permissions: ['a'] }, s: {} } }),
      user({ roles: { r: { permissions: ['b'], isolation: 'basic' } } }),
    ];
    const rights = compilePolicy(sources).rightsOf(someCaller({ permissions: [], roles: ['r'] }));
    expect(rights).toEqual({ permissions: ['a', 'b'], isolation: 'basic' });
  });

  it('are all refused when one is wrong, with every problem named', () => {
    const bad = user({ rules: [rule('x', 'dney' as 'deny'), rule('y', 'ask', { when: '1 +' })] });
    const placed = { ...project({ rules: [rule('z', 'ask', { when: 'nope' })] }), lineOf: () => 3 };
    expect(() => compilePolicy([bad, placed, user({ version: 2 as 1 })])).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(
          /^policy\.yml: rule x: effect: .*\npolicy\.yml: rule y: when: .*\nrepo\.yml:3: rule z: when: Unknown variable: nope\npolicy\.yml: version: /,
        ),
      }),
    );
    expect(() => compilePolicy([{ ...user({}), document: 'x' as never }])).toThrow('policy.yml: ');
  });

  it('do not change under a policy that was made of them', () => {
    const tools = ['t'];
    const policy = compilePolicy([user({ rules: [rule('x', 'deny', { tools })] })]);
    tools.length = 0;
    expect(policy.judge(ask()).effect).toBe('deny');
  });
});

describe('the version', () => {
  const versionOf = (sources: readonly PolicySource[], options: PolicyOptions = {}) =>
    compilePolicy(sources, options).version;

  it('changes whenever a verdict could', () => {
    const document = { rules: [rule('x', 'deny')] };
    const versions = [
      versionOf([]),
      versionOf([user(document)]),
      versionOf([project(document)]),
      versionOf([user(document)], { flow: 'deny' }),
      versionOf([user({ rules: [rule('x', 'deny', { when: 'true' })] })]),
    ];
    expect(new Set(versions).size).toBe(versions.length);
    expect(versionOf([user(document)])).toBe(versions[1]);
    expect(versionOf([{ ...user(document), origin: 'elsewhere.yml' }])).toBe(versions[1]);
  });
});
