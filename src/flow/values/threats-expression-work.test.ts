/** Threat: an expression whose single operations are so large that they block the process. */
import { describe, expect, it } from 'vitest';
import { compileValue } from './compile-value.ts';
import { noSteps, scopeCaller, type ValueScope } from './scope.ts';

const CALLER = scopeCaller({
  userId: 'ann',
  agentId: 'bot',
  sessionId: 's',
  loopId: 'l',
  isolation: 'none',
});

/** The time that all evaluations take together, in units: one that runs to its end shows the bug. */
const scope = (input: unknown): ValueScope => ({ input, steps: noSteps(), caller: CALLER });

const work = (spec: unknown, input: unknown = {}): unknown =>
  compileValue(spec).evaluate(scope(input));

const TOO_MUCH = 'takes too much work';
const list = Array.from({ length: 400 }, (_, at) => at);
const text = 'a'.repeat(20_000);
const nested = Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => 'x'));
const input = { list, text, other: `${text}b`, nested, copy: structuredClone(nested) };
const inLoops = (condition: string): string => `input.list.all(x, input.list.all(y, ${condition}))`;

describe('work that a single operation does counts', () => {
  it.each([
    ['a search in a long text', '!input.text.contains("b")'],
    ['a search for a long text', '!"aaaaaaaaaaaaaaaa".contains(input.other)'],
    ['a pattern on a long text', 'input.text.matches("^(a+)+$")'],
    ['a pattern that is computed anew', '!"a".matches(input.text.substring(0, 900) + string(y))'],
    ['the length of a long text', 'size(input.text) > 1'],
    ['a comparison of large lists', 'input.nested == input.copy'],
    ['a comparison of long texts', 'input.text <= input.other'],
    ['a search in a large list', '!(["y"] in input.nested)'],
    ['a moment in a time zone', 'timestamp("2026-01-01T00:00:00Z").getHours("Europe/Vienna") < 24'],
    ['parts of a long text', 'size(input.text.split("a")) > 1'],
  ])('charges the work of one operation: %s', (_what, condition) => {
    expect(() => work({ cel: inLoops(condition) }, input)).toThrow(TOO_MUCH);
  });

  it.each([
    [{ cel: 'input.list.filter(x, x % 2 == 0).size()' }, 200],
    [{ cel: 'input.nested == input.copy' }, true],
    [{ cel: '["b", "c", "d"].exists(x, input.other.contains(x))' }, true],
    [{ cel: 'input.list.map(x, string(x)).filter(x, x.matches("^[0-9]{1,3}$")).size()' }, 400],
    [{ cel: 'timestamp("2026-01-01T00:00:00Z").getHours("Europe/Vienna")' }, 1],
    [{ cel: '"x-y-z".split("-")' }, ['x', 'y', 'z']],
  ])('evaluates ordinary work: %j', (spec, expected) => {
    expect(work(spec, input)).toEqual(expected);
  });

  it('limits the expressions of one value together', () => {
    const costly = { cel: inLoops('x >= 0') };
    expect(work([costly], input)).toEqual([true]);
    expect(() =>
      work(
        Array.from({ length: 20 }, () => costly),
        input,
      ),
    ).toThrow(TOO_MUCH);
  });

  it('charges copies of data that a value makes', () => {
    const copies = Array.from({ length: 200 }, () => ({ cel: 'input.nested' }));
    expect(() => work(copies, input)).toThrow(TOO_MUCH);
    const shared = Array.from({ length: 40 }, () => ({ from: 'input.nested' }));
    expect(work(shared, input)).toHaveLength(40);
  });

  it('refuses a value whose paths lead to the same data again and again', () => {
    const shared = Array.from({ length: 9_000 }, () => ({ from: 'input.nested' }));
    expect(() => work(shared, input)).toThrow('lead to too much data');
  });
});

describe('a pattern that takes long to compile is refused', () => {
  it.each([`${'\\\\pL{900}'.repeat(20)}`, '((a{30}){30})', 'a{1,1000}', 'a'.repeat(300)])(
    'refuses the pattern %s',
    (pattern) => {
      expect(() => compileValue({ cel: `input.text.matches("${pattern}")` })).toThrow(
        'a pattern has at most',
      );
    },
  );
});
