/** calculator: what it computes, what it refuses and where it says so, and that it always ends. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runExample, runTool, titlesOf } from '../../../test/fixtures/run-tool.ts';
import { fakeContext } from '../../../test/fixtures/tool-context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { calculator } from './calculator.ts';
import { CONSTANTS, FUNCTIONS } from './math/allowed-names.ts';
import { createMathEngine } from './math/math-engine.ts';
import { createTimeLimit } from './math/time-limit.ts';

const run = (expression: string, more: object = {}, context = fakeContext()) =>
  runTool(calculator, { expression, ...more }, context);

const resultOf = async (expression: string, more: object = {}) =>
  (await run(expression, more)).result;

const failureOf = async (expression: string, more: object = {}): Promise<ToolFailure> => {
  const error: unknown = await run(expression, more).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ToolFailure) return error;
  throw new Error(`Expected a failure for ${expression}, got ${String(error)}.`);
};

describe('calculator examples', () => {
  it.each(titlesOf(calculator))('the example "%s" gives the documented result', async (title) => {
    await runExample(calculator, title, fakeContext());
  });
});

describe('calculator', () => {
  it.each([
    ['sqrt(16)+2^3', 12, 'number'],
    ['-2^2', -4, 'number'],
    ['7 mod 3', 1, 'number'],
    ['3!', 6, 'number'],
    ['-0', 0, 'number'],
    ['sin(90 deg)', 1, 'number'],
    ['1 < 2 < 3', true, 'boolean'],
    ['1 < 2 < 2', false, 'boolean'],
    ['2 > 1 ? 10 : 20', 10, 'number'],
    ['x = 3; y = x + 1; x * y', 12, 'number'],
    ['[1, 2; 3, 4] * [1; 1]', [[3], [7]], 'Matrix'],
    ['[1, 2; 3, 4][2, 1:end]', [3, 4], 'Matrix'],
    ['[1, 2; 3, 4][1, 2]', 2, 'number'],
    ['1:3', [1, 2, 3], 'Matrix'],
    ['sum([1, 2; 3, 4], 1)', [4, 6], 'Matrix'],
    ['det([1, 2; 3, 4])', -2, 'number'],
    ['median([3, 1, 2])', 2, 'number'],
    ['fraction(4, 2)', '2', 'Fraction'],
    ['fraction("0.(3)") * 2', '2/3', 'Fraction'],
    ['sqrt(-4)', '2i', 'Complex'],
    ['10 degC to degF', '50 degF', 'Unit'],
    ['2 km + 5 m', '2.005 km', 'Unit'],
    ['hex(255)', '0xff', 'string'],
    ['combinations(52, 5)', 2_598_960, 'number'],
    ['10 coulomb to C', '10 C', 'Unit'],
  ])('calculates %s', async (expression, result, resultType) => {
    expect(await run(expression)).toMatchObject({ expression, result, resultType });
  });

  it('rounds what people read and nothing else', async () => {
    expect(await run('0.1 + 0.2')).toMatchObject({ result: 0.1 + 0.2, formatted: '0.3' });
    expect(await run('2/3', { precision: 3 })).toMatchObject({ formatted: '0.667' });
  });

  it('gives all digits from a precision of 16 on', async () => {
    expect(await run('0.1 + 0.2', { precision: 20 })).toMatchObject({
      result: '0.3',
      resultType: 'BigNumber',
    });
    const { formatted } = await run('sqrt(2)', { precision: 38 });
    expect(formatted).toBe('1.4142135623730950488016887242096980786');
    const exact = { precision: 30, variables: { x: 0.1 } };
    expect(await resultOf('x * 3', exact)).toBe('0.3');
  });

  it('warns when a double cannot hold the last digits', async () => {
    const warnings: string[] = [];
    const context = fakeContext({ warn: (message) => void warnings.push(message) });
    await run('2^53 + 2', {}, context);
    await run('2^52', {}, context);
    expect(warnings).toEqual([expect.stringContaining('precision')]);
  });

  it('returns plain JSON for matrices, decompositions and exact numbers', async () => {
    for (const [expression, precision] of [
      ['eigs([2, 0; 0, 3])', 5],
      ['lup([1, 2; 3, 4])', 5],
      ['[1/3, 2; 3, 4]', 30],
      ['[1 + 2i, 3 cm]', 5],
    ] as const) {
      const data = await run(expression, { precision });
      expect(JSON.parse(JSON.stringify(data))).toEqual(data);
    }
  });
});

describe('wrong expressions', () => {
  it.each([
    ['1 + ', 4],
    ['(1 + 2', 7],
    ['1 + 2)', 6],
    ['2 $ 3', 3],
    ['3 + sqroot(4)', 5],
    ['2 * fooo', 5],
    ['[1, 2; 3]', 10],
    ['5 + 3% - 1', 6],
    ['1 + "a"', 6],
    ['2 + log("x")', 10],
    ['[1, 2].size', 7],
    ['1 kg + 1 m', 6],
    ['[1, 2] * [1, 2, 3]', 8],
  ])('%s: character %i', async (expression, position) => {
    const { code, message, extras } = await failureOf(expression);
    expect(code).toBe('VALIDATION_ERROR');
    expect(message).toContain(`at character ${position}:`);
    expect(extras.suggestions?.length).toBeGreaterThan(0);
    expect(extras.issues).toEqual([{ path: ['expression'], message: expect.any(String) }]);
  });

  it.each([
    ['1/0', 'infinite'],
    ['log(0)', 'infinite'],
    ['[1, 1/0]', 'infinite'],
    ['0/0', 'not a number'],
    ['10^10^10', 'infinite'],
    ['1 kg + 1 m', 'units'],
    ['[1, 2] + [1, 2, 3]', 'sizes'],
    ['inv([1, 1; 1, 1])', 'no inverse'],
    ['[1, 2][3]', 'outside the matrix'],
    ['sqrt()', 'number of arguments'],
    ['sqrt', 'in parentheses'],
    ['# only a comment', 'no value'],
  ])('%s: %s', async (expression, reason) => {
    expect((await failureOf(expression)).message).toContain(reason);
  });

  it('fail in exact mode as well', async () => {
    expect((await failureOf('1/0', { precision: 20 })).message).toContain('infinite');
    expect((await failureOf('0/0', { precision: 20 })).message).toContain('not a number');
  });

  it('guesses what was meant', async () => {
    expect((await failureOf('sqroot(4)')).extras.suggestions).toContain('Did you mean sqrt?');
  });

  it('never repeats what was sent', async () => {
    const secret = 'hunter2secret';
    for (const wrong of [secret, `${secret}(1)`, `1 + "${secret}"`, `unit("5 ${secret}")`]) {
      const { message, extras } = await failureOf(wrong);
      expect(JSON.stringify([message, extras])).not.toContain(secret);
    }
  });

  it.each([
    [{ expression: '' }],
    [{ expression: '   ' }],
    [{ expression: '1'.repeat(1_001) }],
    [{ expression: '1', extra: true }],
    [{ expression: '1', precision: 0 }],
    [{ expression: '1', precision: 65 }],
    [{ expression: '1', variables: { sqrt: 1 } }],
    [{ expression: '1', variables: { 'a b': 1 } }],
    [{ expression: '1', variables: { x: '1' } }],
  ])('refuses the input %#', async (input) => {
    await expect(runTool(calculator, input, fakeContext())).rejects.toThrow(
      expect.objectContaining({ name: 'ZodError' }),
    );
  });
});

/** Threat: math that reaches functions. */
describe('nothing but mathematics is in reach', () => {
  it.each([
    'import({ a: 1 })',
    'createUnit("foo")',
    'evaluate("1")',
    'parse("1")',
    'compile("1")',
    'simplify("x")',
    'derivative("x^2", "x")',
    'resolve("x")',
    'reviver(1)',
    'chain(1)',
    'typed("f", 1)',
    'config({ number: 1 })',
    'parser()',
    'help(sin)',
    'print("$x", 1)',
    'format(1)',
    'random()',
    'map([1], sqrt)',
    'f(x) = x',
    '{ a: 1 }',
    'sqrt = 3',
    'a = sqrt',
    'A[1] = 3',
    'x.y = 1',
    'cos.constructor',
    '[1, 2].constructor',
    '[1, 2]["constructor"]',
    '(1).constructor("return 1")()',
    'constructor',
    '__proto__',
    'toString()',
    'hasOwnProperty("a")',
    'expression',
    'globalThis',
    'process.exit()',
    'pi.constructor',
    'speedOfLight.toNumeric',
    'unit("constructor")',
    '1 km to "__proto__"',
  ])('%s', async (expression) => {
    expect((await failureOf(expression)).code).toBe('VALIDATION_ERROR');
  });

  it('leaves the engine itself without the doors', async () => {
    const engine = await createMathEngine(false);
    for (const name of ['import', 'evaluate', 'parse', 'createUnit', 'constructor', 'toString']) {
      expect(() => engine.call(name, ['1'])).toThrow('Not a function');
    }
    expect(engine.symbol('constructor')).toBeUndefined();
  });

  it('knows every function and constant of its lists', async () => {
    const engine = await createMathEngine(false);
    for (const name of CONSTANTS)
      expect([name, engine.symbol(name)]).not.toEqual([name, undefined]);
    for (const name of FUNCTIONS.keys()) {
      const call = () => engine.call(name, [1, 2, 3, 4, 5, 6, 7, 8, 'too many']);
      expect(call, name).not.toThrow(/not a function/);
    }
  });
});

/** A decimal that throws half-way leaves the library with another precision for everybody. */
describe('one calculation does not spoil the next', () => {
  it.each(['sin(bignumber("1e9999"))', 'exp(bignumber("1e9999"))', 'atan(bignumber("-1e9999"))'])(
    '%s',
    async (expression) => {
      for (const precision of [5, 40]) await run(expression, { precision }).catch(() => undefined);
      expect(await resultOf('1/3', { precision: 40 })).toBe(`0.${'3'.repeat(64)}`);
      expect(await resultOf('bignumber(1)/3')).toBe(`0.${'3'.repeat(64)}`);
    },
  );

  it('even when the library is interrupted', async () => {
    const engine = await createMathEngine(true);
    const inTime = createTimeLimit(100);
    const stopped = () => engine.mend();
    const endless = { run: () => engine.call('cosh', [engine.number(1e300)]), stopped };
    expect(() => inTime(endless)).toThrow('takes too long');
    const third = engine.call('divide', [engine.number(1), engine.number(3)]);
    expect(engine.format(third, 80).length).toBeLessThan(80);
    expect(inTime({ run: () => 7, stopped })).toBe(7);
  });
});

/** Threat: bounded time and memory. */
describe('hostile expressions end at once', () => {
  const LIMIT_MS = 3_000;
  const HOSTILE = [
    '10^10^10',
    '9^9^9^9',
    'factorial(1e6)',
    'gamma(1e9)',
    'combinations(1e9, 5e8)',
    'permutations(1e8, 1e8)',
    'stirlingS2(1e5, 5e4)',
    'bellNumbers(1e5)',
    'catalan(1e9)',
    'composition(1e6, 5e5)',
    'isPrime(2^53 - 111)',
    'ones(1e5, 1e5)',
    'zeros(1e9, 0)',
    'zeros([1e9, 0])',
    'identity(1e6)',
    'resize([1], [1e5, 1e5])',
    'reshape([], [1e9, 0])',
    'range(0, 1e9)',
    'range(0, 1, 1e-12)',
    'range(0, 1, 0)',
    'range(1e300, 1e300)',
    'range(bignumber("1e9999"), bignumber("1e9999"))',
    'dotPow(fraction(1, 3), [1e9, 0])',
    'quantileSeq(ones(2500, 1), 170)',
    '0:1e9',
    '0:Infinity',
    'diag(1:2500)',
    'diag([1], 1e9)',
    'kron(1:1000, 1:1000)',
    'ones(2500, 1) * ones(1, 2500)',
    'ones(2500, 1) + ones(1, 2500)',
    'ones(50, 50)^1e15',
    'median(ones(50, 50) * bignumber(1))',
    'fraction(10)^1e9',
    'fraction(3, 7)^1e5',
    `fraction("${'9'.repeat(300)}")^0.5`,
    `log(fraction("${'9'.repeat(300)}"), 3)`,
    'bignumber(10)^bignumber(1e15)',
    'bignumber("1e9999") mod 7',
    'bin(bignumber("1e9999"))',
    'prod((1:2500) * fraction(1, 3))',
    `fraction("${'9'.repeat(290)}/7") / (5 km)`,
    'round(fraction(1, 3), 1e9)',
    'bitAnd(bignumber("1e9999"), 7)',
    'bin(1, 1e9)',
    'quantileSeq([1, 2], 1e9)',
    'sech(bignumber("1e300"))',
    'asinh(bignumber("1e9999"))',
    'eigs(ones(50, 50))',
    'std(1:2500, ones(2500, 1))',
    `1${' + 5%'.repeat(20)} * 1%`,
    `1 + 5${' * 5%'.repeat(150)}`,
    `${'('.repeat(490)}1${')'.repeat(490)}`,
    `${'['.repeat(490)}1${']'.repeat(490)}`,
    `${'-'.repeat(999)}1`,
    `${'2^'.repeat(499)}2`,
    `1${'?1:1'.repeat(240)}`,
    `1${'!'.repeat(999)}`,
    `[1]${"'".repeat(990)}`,
    `A = ones(50, 50)${'; A = A * A'.repeat(80)}`,
    `x = fraction(1, 3)${'; x = x * x'.repeat(80)}`,
    `x = bignumber(3)${'; x = x ^ x'.repeat(80)}`,
    `"${'a'.repeat(990)}"`,
  ];

  it.each(HOSTILE)('%s', async (expression) => {
    for (const precision of [5, 40]) {
      const started = process.cpuUsage().user;
      await run(expression.slice(0, 1_000), { precision }).then(
        ({ result }) => expect(JSON.stringify(result).length).toBeLessThan(200_000),
        (error: unknown) => expect(error).toMatchObject({ code: 'VALIDATION_ERROR' }),
      );
      expect((process.cpuUsage().user - started) / 1_000).toBeLessThan(LIMIT_MS);
    }
  });
});

describe('any expression', () => {
  const words = [...FUNCTIONS.keys(), ...CONSTANTS, 'x', 'km', 'to', 'mod', 'end', 'constructor'];
  const signs = '+ - * / ^ % ! \' ( ) [ ] , ; : . = < > ? & | ~ " # { }'.split(' ');
  const numbers = ['0', '1', '2.5', '1e3', '1e9', '1e300', '0x1F', '170'];
  const token = fc.constantFrom(...words, ...signs, ...signs, ...signs, ...numbers, ...numbers);
  const call = fc
    .tuple(
      fc.constantFrom(...FUNCTIONS.keys()),
      fc.array(fc.constantFrom(...numbers, '1:9', '-1', 'i'), { maxLength: 3 }),
    )
    .map(([name, args]) => `${name}(${args.join(', ')})`);
  const expression = fc.oneof(
    fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(' ')),
    call,
    fc.tuple(call, call).map(([a, b]) => `${a} * ${b}`),
    fc.string({ maxLength: 40 }),
  );

  it('gives plain JSON or a coded failure', async () => {
    await fc.assert(
      fc.asyncProperty(expression, fc.constantFrom(4, 40), async (text, precision) => {
        fc.pre(text.trim() !== '');
        const outcome = await run(text, { precision }).catch((error: unknown) => error);
        if (outcome instanceof ToolFailure) expect(outcome.code).toBe('VALIDATION_ERROR');
        else expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
      }),
      { numRuns: 1_500, interruptAfterTimeLimit: 15_000 },
    );
  });
});
