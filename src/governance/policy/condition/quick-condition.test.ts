import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask, someCaller, someTool } from '../../../../test/fixtures/policy-question.ts';
import { compileCondition } from './compile-condition.ts';

const tool = someTool({
  name: 'mail',
  source: 'mcp',
  server: 'mcp:post',
  category: 'service',
  tier: 'external_api',
});
const question = ask({
  tool,
  capability: { action: 'send', description: '', destructive: true },
  caller: someCaller({ userId: 'u', agentId: 'a', sessionId: 's' }),
  flow: { untrusted: true, sensitivity: 'public' },
});
const other = ask({ tool: someTool() });

describe('parts of a condition that need no CEL', () => {
  it.each([
    'sink',
    'destructive',
    'flow.untrusted',
    'tier == "external_api"',
    'tool.name == "mail"',
    'tool.source == "mcp"',
    'tool.server == "mcp:post"',
    'tool.category == "service"',
    'caller.user == "u"',
    'caller.agent == "a"',
    'caller.session == "s"',
  ])('%s: holds for the one call and not for the other, alone and with more', (part) => {
    for (const text of [part, `true && ${part}`, `${part} && (action == "send" || action == "")`]) {
      expect(compileCondition(text).holds(question)).toBe(true);
      expect(compileCondition(text).holds(other)).toBe(false);
    }
  });

  it('one that is false outweighs a part that fails, on either side, as in CEL', () => {
    for (const text of ['input.x.y == 1 && sink', 'sink && input.x.y == 1']) {
      expect(compileCondition(text).holds(other)).toBe(false);
      expect(() => compileCondition(text).holds(question)).toThrow();
    }
  });

  it('leaves what it cannot tell to CEL', () => {
    expect(compileCondition('sink || true').holds(other)).toBe(true);
    expect(compileCondition('tool.name == tool.name').holds(other)).toBe(true);
    expect(compileCondition('"t" == tool.name').holds(other)).toBe(true);
    expect(compileCondition('input == input').holds(other)).toBe(true);
  });
});

/** The same question in a form of which nothing can be told without CEL. */
const byCel = (text: string) => compileCondition(`(${text}) ? true : false`);

const PARTS = [
  'sink',
  'destructive',
  'tier == "write"',
  'tier != "write"',
  'tool.name == "read"',
  'caller.user == "u"',
  'input.n > 3',
  'input.n >= 3',
  'input.n < 3',
  'input.n <= 2.5',
  'input.n == 3',
  'input.n != 3',
  'input.n == 9007199254740993',
  'input.s == "abc"',
  'input.s != "abc"',
  'input.s < "b"',
  'input.s.startsWith("a")',
  'input.s.endsWith("c")',
  'input.s.contains("b")',
  'input.s.size() > 2',
  'input.b',
  'input.b == true',
  'input.deep.n == 3',
  'input.deep.missing == 3',
  'input.list.size() > 0',
  'input.nothing == null',
  'now < timestamp("2026-01-01T00:00:00Z")',
  'now >= timestamp("2020-01-01T00:00:00Z")',
  'now == timestamp("2026-01-01T00:00:00.5Z")',
  'timestamp("2020-01-01T00:00:00Z") < now',
  'now < timestamp(input.s)',
  'true',
];

const scalar = fc.oneof(
  fc.constantFrom('abc', 'b', '', 'ac'),
  fc.constantFrom(0, 2, 2.5, 3, 4, -1, 9007199254740992),
  fc.boolean(),
  fc.constant(null),
  fc.constant([1]),
  fc.constant({ n: 3 }),
);
const input = fc.dictionary(fc.constantFrom('n', 's', 'b', 'deep', 'list', 'nothing'), scalar);

const condition = fc.letrec<{ any: string; joined: string }>((tie) => ({
  any: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...PARTS) },
    { weight: 2, arbitrary: tie('joined') },
  ),
  joined: fc.oneof(
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a}) && (${b})`),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a}) || (${b})`),
    tie('any').map((a) => `!(${a})`),
  ),
})).any;

const answer = (holds: () => boolean): boolean | 'fails' => {
  try {
    return holds();
  } catch {
    return 'fails';
  }
};

describe('a condition that is evaluated without CEL', () => {
  it('is what CEL says, whatever the input is', () => {
    fc.assert(
      fc.property(condition, input, (text, value) => {
        const asked = ask({ tool: someTool({ name: 'read', tier: 'write' }), input: value });
        const quick = compileCondition(text);
        expect([text, answer(() => quick.holds(asked))]).toEqual([
          text,
          answer(() => byCel(text).holds(asked)),
        ]);
      }),
      { numRuns: 1500 },
    );
  });
});
