import { describe, expect, it } from 'vitest';
import { NOON, someTool } from '../../../../test/fixtures/policy-question.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { builtinPolicy } from '../builtin-policy.ts';
import { parsePolicyCases, questionOf, runPolicyTests } from './policy-cases.ts';

const FILES = someTool({
  name: 'files',
  tier: 'write',
  actionField: 'op',
  capabilities: [
    { action: 'read', description: '', tier: 'read_only' },
    { action: 'delete', description: '', destructive: true },
  ],
});

const run = (text: string) =>
  runPolicyTests(builtinPolicy(), parsePolicyCases(text, 'cases.yml'), (call) => {
    if (call.tool === 'broken') throw new Error('secret detail');
    if (call.tool !== 'files') throw new ToolFailure('TOOL_NOT_FOUND', 'There is no such tool.');
    return questionOf(call, FILES, NOON);
  });

describe('policy tests', () => {
  it('say for each case whether it came out as expected', () => {
    const { passed, failed, results } = run(`tests:
  - { name: reads, call: { tool: files, input: { op: read } }, expect: allow, rule: tier-1-read }
  - { name: deletes, call: { tool: files, action: delete }, expect: ask }
  - { name: wrong, call: { tool: files, action: delete }, expect: deny }
  - { name: other rule, call: { tool: files, action: delete }, expect: ask, rule: x }
  - { name: no action, call: { tool: files, action: fly }, expect: ask }
  - { name: no tool, call: { tool: nope }, expect: ask }
  - { name: bug, call: { tool: broken }, expect: deny }
`);
    expect([passed, failed]).toEqual([2, 5]);
    expect(results.map(({ message }) => message)).toEqual([
      'allow by tier-1-read',
      'ask by confirm-delicate',
      expect.stringMatching(/^expected deny, got ask by confirm-delicate: The tool declares/),
      expect.stringMatching(/^expected ask by x, got ask by confirm-delicate: /),
      'The tool files has no action fly.',
      'There is no such tool.',
      'the case could not be judged',
    ]);
    expect(results[0]).toMatchObject({ name: 'reads', passed: true, expected: 'allow' });
    expect(results[6]).not.toHaveProperty('verdict');
  });

  it('put the question that the case describes', () => {
    const [one] = parsePolicyCases(
      `tests:
  - name: all
    expect: ask
    call:
      tool: files
      tier: execute
      input: { op: read }
      caller: { user: u, agent: a, session: s, loop: l, roles: [r], permissions: [p], isolation: strict }
      flow: { untrusted: true, sensitivity: secret }
      at: 2026-01-31T12:00:00Z
`,
      'cases.yml',
    );
    if (!one) throw new Error('no case');
    expect(questionOf(one.call, FILES, NOON)).toMatchObject({
      tier: 'execute',
      capability: { action: 'read' },
      caller: {
        userId: 'u',
        agentId: 'a',
        sessionId: 's',
        loopId: 'l',
        roles: ['r'],
        permissions: ['p'],
        isolation: 'strict',
      },
      flow: { untrusted: true, sensitivity: 'secret' },
      now: Date.UTC(2026, 0, 31, 12),
    });
    const bare = questionOf({ tool: 'files', flow: {} }, FILES, NOON);
    expect(bare).toMatchObject({ tier: 'write', input: {}, now: NOON, flow: { untrusted: false } });
  });

  it.each([
    ['tests: []', 'c.yml:1:1: tests: must not be empty'],
    [
      'tests:\n  - name: a\n    expct: deny',
      'c.yml:3:5: test a: expct: is not a known key; did you mean expect?',
    ],
    ['tests:\n  - name: a\n    expct: deny', 'c.yml:2:5: test a: call: is required'],
    ['tests: { a: 1 }', 'expected array'],
    ['tests: *x', 'c.yml:1:8: '],
    [
      'tests:\n  - { name: a, call: { tool: t, at: soon }, expect: deny }',
      'test a: call.at: must be a time',
    ],
  ])('%j is refused with its place', (text, message) => {
    expect(() => parsePolicyCases(text, 'c.yml')).toThrow(message);
  });
});
