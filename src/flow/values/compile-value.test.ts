import { describe, expect, it } from 'vitest';
import { evaluateTest } from './compile-expression.ts';
import { compileValue, valueCompiler } from './compile-value.ts';
import { noSteps, type StepOutput, scopeCaller, type ValueScope } from './scope.ts';

const CALLER = scopeCaller({
  userId: 'ann',
  agentId: 'bot',
  sessionId: 's',
  loopId: 'l',
  isolation: 'none',
});

const scope = (
  input: unknown = {},
  steps: Readonly<Record<string, StepOutput>> = {},
): ValueScope => ({ input, steps: Object.assign(noSteps(), steps), caller: CALLER });

const done = (data: unknown): StepOutput => ({ status: 'success', success: true, data });

const work = (spec: unknown, given: ValueScope = scope()): unknown =>
  compileValue(spec).evaluate(given);

describe('the forms of a value', () => {
  const given = scope(
    { url: 'u', list: [{ n: 1 }, { n: 2 }], 'odd key': 3, zero: 0, none: null },
    { a: done({ url: 'b', items: [{ id: 7 }] }) },
  );

  it.each([
    [5, 5],
    [null, null],
    ['input.url', 'input.url'],
    ['{{ input.url }}', '{{ input.url }}'],
    [{ from: 'input.url' }, 'u'],
    [{ from: 'input.none' }, null],
    [{ from: 'input.zero' }, 0],
    [{ from: 'input["odd key"]' }, 3],
    [{ from: 'input.list[1].n' }, 2],
    [{ from: 'steps.a.data.items[0].id' }, 7],
    [{ from: 'steps.a.success' }, true],
    [{ from: 'caller.user' }, 'ann'],
    [{ cel: 'input.zero + 2' }, 2],
    [{ cel: 'size(input.list)' }, 2],
    [{ cel: 'input.list.map(each, each.n * 2)' }, [2, 4]],
    [{ cel: '{"a": 1, "b": [caller.user]}' }, { a: 1, b: ['ann'] }],
    [{ cel: 'timestamp("2026-01-01T00:00:00Z")' }, '2026-01-01T00:00:00.000Z'],
    [{ cel: '["a", "b"].join("-") + [input.url].join()' }, 'a-bu'],
    [{ value: { from: 'input.url' } }, { from: 'input.url' }],
    [{ deep: [{ from: 'input.url' }, { cel: '1 + 1' }] }, { deep: ['u', 2] }],
    [
      { from: 'a', to: 'b' },
      { from: 'a', to: 'b' },
    ],
  ])('%j is worked out', (spec, expected) => {
    expect(work(spec, given)).toEqual(expected);
  });

  it('lists the references with their place in the specification', () => {
    const { references } = compileValue({
      x: [{ from: 'steps.a.data.url' }],
      y: { cel: 'steps["b"].data.n > 0 && has(steps.c.data) ? input.z : caller.user' },
    });
    expect(references.map(({ step, root }) => step ?? root)).toEqual(
      expect.arrayContaining(['a', 'b', 'c', 'input', 'caller']),
    );
    expect(references[0]).toEqual({
      root: 'steps',
      step: 'a',
      text: 'steps.a.data.url',
      path: ['x', 0, 'from'],
    });
  });

  it('has an item only where a step runs for each element', () => {
    expect(work({ from: 'item.n' }, { ...scope(), item: { n: 4 } })).toBe(4);
    expect(work({ cel: 'item.n + 1' }, { ...scope(), item: { n: 4 } })).toBe(5);
    expect(() => work({ from: 'item.n' })).toThrow('There is no item here');
    expect(() => work({ cel: 'item.n' })).toThrow('cannot be worked out');
  });

  it('tests conditions, and takes nothing else for true', () => {
    const { expression } = valueCompiler();
    expect(evaluateTest(expression('input.zero == 0'), given)).toBe(true);
    expect(() => evaluateTest(expression('input.url'), given)).toThrow('neither true nor false');
  });
});

describe('what is missing is named', () => {
  const given = scope({ a: { b: 1 } }, { search: done({ list: [] }) });

  it.each([
    ['input.a.c', 'The input has nothing at input.a.c: "c" is not there.', 'VALIDATION_ERROR'],
    ['input.a.b.c', '"c" is not there', 'VALIDATION_ERROR'],
    [
      'steps.search.data.url',
      'Step search has nothing at steps.search.data.url',
      'EXECUTION_FAILED',
    ],
    ['steps.search.data.list[0]', 'element 0 is not there', 'EXECUTION_FAILED'],
    ['steps.search.data.list.length', '"length" is not there', 'EXECUTION_FAILED'],
    ['steps.other.data', 'Step other has nothing at', 'EXECUTION_FAILED'],
  ])('%s', (from, message, code) => {
    expect(() => work({ from }, given)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });

  it('an expression names itself and the key', () => {
    expect(() => work({ cel: 'input.x + 1' }, given)).toThrow(
      '`input.x + 1` cannot be worked out: No such key: x.',
    );
  });
});

describe('what is wrong with a specification is reported when it is compiled, all at once', () => {
  it.each([
    [{ from: 'output.a' }, 'has to begin with input, steps, caller, item'],
    [{ from: 'steps' }, 'has to name a step'],
    [{ from: 'steps[0].data' }, 'has to name a step'],
    [{ from: 'input..a' }, 'cannot be read from character 6 on'],
    [{ from: 'input.a[-1]' }, 'cannot be read from character 8 on'],
    [{ from: `input.${'a'.repeat(1000)}` }, 'longer than 1000'],
    [{ from: `input${'.a'.repeat(41)}` }, 'more than 40 parts'],
    [{ from: 3 }, 'has to be a path'],
    [{ cel: 3 }, 'has to be a text of CEL'],
    [{ cel: 'input.a ==' }, 'CEL, character 11'],
    [{ cel: 'process.env' }, 'Unknown variable: process'],
    [{ cel: 'caller.roles' }, 'No such key: roles'],
    [{ cel: 'steps' }, 'followed by the id of a step'],
    [{ cel: 'steps[input.name].data' }, 'followed by the id of a step'],
    [{ cel: 'steps.map(s, s)' }, 'followed by the id of a step'],
  ])('%j', (spec, message) => {
    expect(() => compileValue(spec)).toThrow(message);
  });

  it('has an issue for each fault', () => {
    expect(() => compileValue({ a: { from: 'x' }, b: [{ cel: '(' }] })).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        extras: {
          issues: [
            { path: ['a', 'from'], message: expect.any(String) },
            { path: ['b', 0, 'cel'], message: expect.any(String) },
          ],
        },
      }),
    );
    expect(() => valueCompiler().expression(3)).toThrow('has to be a text of CEL');
    expect(() => valueCompiler().expression('(')).toThrow('CEL, character 2');
  });
});

describe('threat: a path that reaches the machinery of objects', () => {
  const input = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}');

  it.each(['__proto__', 'constructor', 'prototype'])('no path names %s', (name) => {
    expect(() => compileValue({ from: `input.${name}` })).toThrow(`must not name ${name}`);
    expect(() => compileValue({ from: `input["${name}"]` })).toThrow(`must not name ${name}`);
  });

  it('inherited fields are not there', () => {
    expect(() => work({ from: 'input.toString' })).toThrow('"toString" is not there');
    expect(() => work({ cel: 'input.toString' })).toThrow('cannot be worked out');
    expect(() => work({ from: 'steps.toString.data' })).toThrow('"toString" is not there');
    expect(() => work({ from: 'input.text.length' }, scope({ text: 'abc' }))).toThrow();
  });

  it('an object with such a name is no specification', () => {
    const spec = JSON.parse('{"__proto__": {"admin": true}}');
    expect(() => compileValue(spec)).toThrow('must not be called __proto__');
  });

  it('data under such a name pollutes nothing when an expression copies it', () => {
    const copy = work({ from: 'input' }, scope(input)) as object;
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(() => work({ cel: 'input' }, scope(input))).toThrow();
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

describe('threat: an expression that takes all time or memory', () => {
  const list = Array.from({ length: 3000 }, (_, at) => at);
  const doubled = (start: string, depth: number): string => {
    let text = `a${depth}`;
    for (let at = depth; at > 0; at -= 1) {
      text = `cel.bind(a${at}, a${at - 1} + a${at - 1}, ${text})`;
    }
    return `cel.bind(a0, ${start}, ${text})`;
  };
  const TOO_MUCH = 'takes too much work';

  it.each([
    ['nested loops', 'input.list.map(a, input.list.map(b, a + b))', TOO_MUCH],
    [
      'nested loops whose error is absorbed',
      'input.list.exists(a, input.list.all(b, b >= 0) && a < 0) || true',
      TOO_MUCH,
    ],
    ['lists that double', doubled('input.list', 12), TOO_MUCH],
    ['texts that double', doubled('input.long', 10), TOO_MUCH],
    ['a separator that repeats', 'input.list.map(a, "x").join(input.long)', 'more than 1000000'],
    [
      'three nested loops',
      'input.list.all(a, input.list.all(b, input.list.all(c, true)))',
      'nested 2',
    ],
  ])('%s', (_what, cel, message) => {
    const given = scope({ list, long: 'y'.repeat(100_000) });
    const started = process.hrtime.bigint();
    expect(() => work({ cel }, given)).toThrow(message);
    expect(Number(process.hrtime.bigint() - started) / 1e9).toBeLessThan(20);
  });

  it('is told, and the next evaluation starts anew', () => {
    const { evaluate } = compileValue({ cel: 'input.list.map(a, input.list.map(b, a + b))' });
    expect(() => evaluate(scope({ list }))).toThrow('takes too much work');
    expect(evaluate(scope({ list: [1] }))).toEqual([[2]]);
  });

  it('a value that is no JSON is refused', () => {
    expect(() => work({ cel: 'duration("1h")' })).toThrow('which is no JSON');
    expect(() => work({ cel: '9223372036854775807' })).toThrow('too large for JSON');
    expect(() => work({ cel: 'input.a / input.b' }, scope({ a: 1, b: 0 }))).toThrow(
      'gives Infinity',
    );
  });

  it('a specification of many thousand values is refused', () => {
    expect(() => compileValue(Array.from({ length: 20_000 }, () => 1))).toThrow('more than 10000');
    let deep: unknown = 1;
    for (let at = 0; at < 5000; at += 1) deep = { deep };
    expect(() => compileValue(deep)).toThrow('nested too deep');
  });
});
