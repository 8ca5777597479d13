import { ParseError } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { ask, someCaller, someTool } from '../../../../test/fixtures/policy-question.ts';
import type { FlowState } from '../../../contract/policy.ts';
import { badCondition, compileCondition } from './compile-condition.ts';

const holds = (text: string, input: unknown = {}) => compileCondition(text).holds(ask({ input }));

describe('numbers', () => {
  it.each([
    'input.n == 3',
    '3 == input.n',
    'input.n != 4',
    'input.amount > 100',
    'input.amount >= 150.5',
    'input.n + 1 == 4',
    '1 + input.n == 4',
    'input.n - 1 == 2',
    'input.n * 2 == 6',
    '2 * input.n == 6',
    'input.n / 2 == 1.5',
    'input.n % 2 == 1',
    '7 % input.n == 1',
    'input.n % input.two == 1',
    'input.n + input.two == 5',
    'input.n in [1, 2, 3]',
    '!(input.n in [1, 2])',
    'input.list[0] == 1',
    'size(input.list) == input.two',
    'input.list == [1, 2]',
    'input.list.exists(x, x == 2)',
    'int(input.n) == 3',
    '-input.n < 0',
  ])('%s holds as one expects', (text) => {
    expect(holds(text, { n: 3, two: 2, amount: 150.5, list: [1, 2] })).toBe(true);
  });

  it.each(['input.n == 4', 'input.n == "3"', 'input.n > 3', 'input.n in [4]'])(
    '%s does not hold',
    (text) => expect(holds(text, { n: 3 })).toBe(false),
  );
});

describe('names', () => {
  const tool = someTool({
    name: 'mail',
    version: '2030',
    source: 'mcp',
    server: 'mcp:post',
    tier: 'external_api',
    tags: ['out'],
  });
  const flow: FlowState = { untrusted: true, sensitivity: 'private' };
  const capability = { action: 'send', description: '', destructive: true };
  const caller = someCaller({ userId: 'ann', agentId: 'bot', sessionId: 's', loopId: 'l' });
  const question = ask({ tool, flow, capability, caller });

  it.each([
    'caller.user == "ann" && caller.agent == "bot" && caller.session == "s" && caller.loop == "l"',
    '"owner" in caller.roles && "*" in caller.permissions && caller.isolation == "none"',
    'tool.name == "mail" && tool.version == "2030" && tool.source == "mcp"',
    'tool.server == "mcp:post" && tool.server.endsWith(":post")',
    'tool.category == "custom" && tool.tags.exists(t, t == "out")',
    'tier == "external_api" && action == "send" && destructive && sink',
    'now > timestamp("2026-01-01T00:00:00Z") && now < timestamp(tool.version + "-01-01T00:00:00Z")',
    'now - timestamp("2026-04-01T00:00:00Z") > duration("12h")',
    'time.hour == 12 && time.weekday == 3 && time.date == "2026-04-01"',
    'flow.untrusted && flow.sensitivity == "private" && flow.private && !flow.secret',
  ])('the condition %s holds', (text) => expect(compileCondition(text).holds(question)).toBe(true));

  it('are defined when the call has no value for them', () => {
    const { holds: bare } = compileCondition(
      'action == "" && size(tool.tags) == 0 && !sink && tool.server == ""',
    );
    expect(bare(ask())).toBe(true);
  });

  it('call Sunday the seventh day', () => {
    const sunday = ask({ now: Date.UTC(2026, 3, 5) });
    expect(compileCondition('time.weekday == 7').holds(sunday)).toBe(true);
  });
});

describe('what is wrong with a condition is said when it is compiled', () => {
  it.each([
    ['callr.user == "a"', 'Unknown variable: callr', 1],
    ['caller.name == "a"', 'No such key: name', 8],
    ['caller.user == 3', 'no such overload', 1],
    ['time.hour', 'gives int, not true or false', 1],
    ['input.a ==', 'Unexpected token', 11],
    ['', 'Unexpected token', 1],
    ['timestamp("2026-01-01T00:00:00Z", "x") < now', 'no matching overload', 1],
    ['timestamp() < now', 'no matching overload', 1],
    ['input.p.matches("(")', 'matches: error parsing regexp', 17],
    ['input.p.matches("(?=a)")', 'matches: error parsing regexp', 17],
    ['now < timestamp("tomorrow")', 'timestamp: timestamp() requires', 17],
    ['now - now > duration("soon")', 'duration: Invalid duration', 22],
    ['caller.user.matches(3)', 'string.matches(int)', 1],
    [`input.p.matches("${'a'.repeat(1001)}")`, 'at most 1000 characters', 17],
    ['input.a.all(x, x.all(y, y.exists(z, z == 1)))', 'nested 2 deep', 25],
    [`input.a == "${'a'.repeat(4000)}"`, 'longer than 4000', 1],
    [`${'('.repeat(60)}true${')'.repeat(60)}`, 'maxDepth', 41],
  ])('%s', (text, reason, character) => {
    expect(() => compileCondition(text)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining(reason),
      }),
    );
    expect(() => compileCondition(text)).toThrow(`character ${character}:`);
  });
});

it('a condition passes errors on that do not come from the library', () => {
  expect(badCondition(new RangeError('deep'))).toEqual({ reason: 'RangeError: deep', offset: 0 });
  expect(badCondition(new ParseError('odd'))).toEqual({ reason: 'odd', offset: 0 });
});

describe('doubt is thrown, never taken for an answer', () => {
  it.each([
    ['a field that is not there', 'input.path == "a"', {}],
    ['a field of another type', 'input.path.startsWith("a")', { path: 3 }],
    ['an answer that is no truth value', 'input.flag', { flag: 'yes' }],
    ['a computed pattern that is too dear', 'input.t.matches(input.p)', { t: 'a', p: 'a{9}' }],
    ['a computed pattern that is none', 'input.t.matches(input.p)', { t: 'a', p: '(' }],
    ['a day that does not exist', 'time.date == "x"', {}],
  ])('%s', (_what, text, input) => {
    const now = text.startsWith('time') ? Number.NaN : 0;
    expect(() => compileCondition(text).holds(ask({ input, now }))).toThrow();
  });
});

describe('patterns: a regex that backtracks', () => {
  it('costs nothing here, written out, computed or in a loop', () => {
    const text = `${'a'.repeat(50_000)}!`;
    const started = process.hrtime.bigint();
    expect(holds('input.t.matches("^(a+)+$")', { t: text })).toBe(false);
    expect(holds('input.t.matches("^(a|a)*" + "$")', { t: text })).toBe(false);
    expect(holds('input.l.exists(t, t.matches("^(a+)+$"))', { l: [text] })).toBe(false);
    expect(holds('[input.t].map(t, t.matches("^(a+)+$")) == [false]', { t: text })).toBe(true);
    expect(Number(process.hrtime.bigint() - started) / 1e9).toBeLessThan(20);
  });

  it('finds a match anywhere, as CEL has it', () => {
    expect(holds('input.t.matches("b+")', { t: 'abbc' })).toBe(true);
    const computed = compileCondition('input.t.matches(input.p)');
    const question = ask({ input: { t: 'abbc', p: '^b' } });
    expect([computed.holds(question), computed.holds(question)]).toEqual([false, false]);
  });
});

describe('formats: keys of the prototype in the input', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'an input has no %s unless it was sent',
    (key) => {
      expect(holds(`has(input.${key})`)).toBe(false);
      expect(holds(`"${key}" in input`)).toBe(false);
      expect(() => holds(`input["${key}"] == 1`)).toThrow();
    },
  );

  it('a forged constructor is doubt, and runs nothing', () => {
    const input = JSON.parse('{"a": {"constructor": {"name": "Map"}, "b": 1}}');
    expect(() => holds('input.a.b == 1', input)).toThrow();
    expect(() => holds('input.a == 1', input)).toThrow();
  });

  it('reads own keys of an object without a prototype', () => {
    const bare = Object.assign(Object.create(null), { path: 'prod/x' });
    expect(holds('input.path.startsWith("prod/")', bare)).toBe(true);
  });
});
