import { describe, expect, it } from 'vitest';
import { ask, someCaller } from '../../../test/fixtures/policy-question.ts';
import type { PolicyQuestion } from '../../contract/policy.ts';
import { compilePolicy } from './compile-policy.ts';
import { parsePolicy } from './document/parse-policy.ts';
import type { PolicyDocument, PolicyRule, PolicySource } from './document/policy-document.ts';

const source = (
  document: Partial<PolicyDocument>,
  kind: PolicySource['kind'] = 'user',
): PolicySource => ({ origin: 'policy.yml', kind, document: { version: 1, ...document } });

const judge = (rules: PolicyRule[], question: Partial<PolicyQuestion> = {}) =>
  compilePolicy([source({ rules })]).judge(ask(question));

const shadow = (name: string, effect: PolicyRule['effect'], extra: Partial<PolicyRule> = {}) => ({
  name,
  effect,
  shadow: true,
  ...extra,
});

describe('a rule in shadow mode', () => {
  it('does not decide, and reports what it would have made worse', () => {
    expect(judge([shadow('s', 'deny', { reason: 'No.' }), shadow('q', 'ask')])).toMatchObject({
      effect: 'allow',
      rule: 'tier-1-read',
      shadow: [
        { rule: 's', effect: 'deny', reason: 'No.' },
        { rule: 'q', effect: 'ask' },
      ],
    });
    expect(judge([shadow('s', 'deny')], { tier: 'execute' }).shadow).toHaveLength(1);
  });

  it.each<[string, PolicyRule[], Partial<PolicyQuestion>]>([
    ['that allows', [shadow('s', 'allow')], { tier: 'execute' }],
    ['that asks where a person is asked anyway', [shadow('s', 'ask')], { tier: 'execute' }],
    ['that denies what is denied', [shadow('s', 'deny'), { name: 'd', effect: 'deny' }], {}],
    ['that asks too late', [{ name: 'a', effect: 'allow' }, shadow('s', 'ask')], {}],
    ['that does not fit', [shadow('s', 'deny', { when: 'false' })], {}],
    ['for another tool', [shadow('s', 'deny', { tools: ['x'] })], {}],
  ])('%s reports nothing', (_what, rules, question) => {
    expect(judge(rules, question)).not.toHaveProperty('shadow');
  });

  it('of a project is evaluated wherever it is in the list', () => {
    const sources = [
      source({ rules: [{ name: 'a', effect: 'allow' }] }),
      source({ rules: [shadow('s', 'ask')] }, 'project'),
    ];
    expect(compilePolicy(sources).judge(ask()).shadow).toHaveLength(1);
  });

  it('says when its condition could not be evaluated', () => {
    const [finding] = judge([shadow('s', 'deny', { when: 'input.x == 1' })]).shadow ?? [];
    expect(finding?.reason).toContain('could not be evaluated');
  });

  it('can be a whole file, none of whose rules is enforced', () => {
    const document = {
      shadow: true,
      builtin: false,
      roles: { r: { permissions: ['a'], isolation: 'paranoid' as const } },
      rules: [{ name: 's', effect: 'deny' as const }],
    };
    const policy = compilePolicy([source(document)]);
    expect(policy.judge(ask())).toMatchObject({ effect: 'allow', shadow: [{ rule: 's' }] });
    expect(policy.rightsOf(someCaller({ roles: ['r'] })).isolation).toBe('none');
    expect(policy.warnings).toEqual(['policy.yml: role r: ignored, the file is in shadow mode']);
  });
});

describe('explain', () => {
  const text = `version: 1
rules:
  - name: other-tools
    effect: deny
    tools: [x]
  - name: other-tiers
    effect: deny
    tiers: [write]
  - name: other-actions
    effect: deny
    actions: [x]
  - name: other-sources
    effect: deny
    sources: [mcp]
  - name: other-callers
    effect: deny
    callers: { users: [x] }
  - name: not-now
    effect: deny
    when: time.hour > 20
  - name: unclear-allow
    effect: allow
    when: input.x == 1
  - name: unclear-ask
    effect: ask
    when: input.x == 1
    shadow: true
`;
  const inProject = source({ rules: [{ name: 'p', effect: 'allow' }] }, 'project');
  const policy = compilePolicy([parsePolicy(text, 'policy.yml'), inProject]);
  const question = ask({ caller: someCaller({ isolation: 'strict' }) });

  it('lists every rule in order, with its place and why it fits or not', () => {
    const { considered } = policy.explain(question);
    const rows = considered.map(({ rule, origin, matched, why }) =>
      [rule, origin, matched ? 'yes' : 'no', why].join(' | '),
    );
    expect(rows).toEqual([
      'other-tools | policy.yml:3 | no | it is for other tools',
      'other-tiers | policy.yml:6 | no | it is for other tiers',
      'other-actions | policy.yml:9 | no | it is for other actions',
      'other-sources | policy.yml:12 | no | it is for tools from other sources',
      'other-callers | policy.yml:15 | no | it is for other callers',
      'not-now | policy.yml:18 | no | its condition does not hold',
      'unclear-allow | policy.yml:21 | no | its condition could not be evaluated, which allows nothing',
      'unclear-ask | policy.yml:24 | yes | its condition could not be evaluated, which counts against the call',
      'confirm-delicate | built in | no | its condition does not hold',
      'tier-1-read | built in | yes | everything it asks for fits',
      'tier-2-write | built in | no | it is for other tiers',
      'tier-3-execute | built in | no | it is for other tiers',
      'tier-4-external | built in | no | it is for other tiers',
      'p | policy.yml | no | a project can only narrow: its rules that allow do not count',
      'flow-trifecta | built in | no | its condition does not hold',
      'flow-secret | built in | no | its condition does not hold',
      'isolation-flow | built in | no | its condition does not hold',
    ]);
    expect(considered.filter((rule) => rule.shadow).map(({ rule }) => rule)).toEqual([
      'unclear-ask',
    ]);
  });

  it('reaches the same verdict as judge', () => {
    expect(policy.explain(question).verdict).toEqual(policy.judge(question));
  });
});
