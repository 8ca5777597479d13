/**
 * `calculator`: arithmetic, functions, units, matrices, fractions and complex numbers. An expression is
 * parsed and evaluated here; nothing is passed to `eval` or to the evaluator of a library.
 */
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import { FUNCTIONS } from './math/allowed-names.ts';
import { evaluateTree } from './math/evaluate-tree.ts';
import { explainParse } from './math/explain-error.ts';
import { createMathEngine, type MathEngine } from './math/math-engine.ts';
import { tooMuch, wrongExpression } from './math/refusal.ts';
import { renderValue } from './math/render-value.ts';
import { createTimeLimit } from './math/time-limit.ts';

const MAX_EXPRESSION = 1_000;
const MAX_NESTING = 60;
const DOUBLE_DIGITS = 15;
const DEFAULT_DIGITS = 14;
const MAX_VARIABLES = 100;
const MAX_MS = 5_000;

const variableName = () =>
  z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'expected a name of letters, digits and "_"')
    .refine((name) => !FUNCTIONS.has(name), 'is the name of a function')
    .refine((name) => name !== '__proto__', 'is a name that may not be used');

const input = () =>
  z.strictObject({
    expression: z
      .string()
      .trim()
      .min(1)
      .max(MAX_EXPRESSION)
      .describe(
        'The expression, e.g. "sqrt(16) + 2^3", "5 km to mile", "inv([1, 2; 3, 4])", "x = 3; x^2".',
      ),
    variables: z
      .record(variableName(), z.number())
      .refine(
        (all) => Object.keys(all).length <= MAX_VARIABLES,
        `at most ${MAX_VARIABLES} variables`,
      )
      .optional()
      .describe('Numbers the expression may use by name, e.g. { "x": 3 }.'),
    precision: z
      .int()
      .min(1)
      .max(64)
      .optional()
      .describe(
        'Significant digits of "formatted" (14 by default). From 16 on the whole calculation uses exact decimals instead of doubles.',
      ),
  });

const output = () =>
  z.strictObject({
    expression: z.string().describe('The expression that was evaluated.'),
    result: z
      .json()
      .describe(
        'The value: a number or boolean, nested arrays for a matrix, text for units, fractions, complex numbers and exact decimals.',
      ),
    resultType: z
      .string()
      .describe('number, BigNumber, Fraction, Complex, Unit, Matrix, boolean, string or Object.'),
    formatted: z.string().describe('The value for people, rounded to the precision.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

/** Refuses deep brackets: the parser recurses some twenty levels for each. */
const assertNesting = (expression: string): void => {
  let depth = 0;
  for (const character of expression) {
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    if (depth > MAX_NESTING) throw tooMuch(`it is nested deeper than ${MAX_NESTING} levels`);
  }
};

/** Refuses sums of percentages: mathjs reads "5% + 3%" as a remainder, which nobody means. */
const assertPercent = (expression: string): void => {
  const at = expression.search(/%\s*[+-]/);
  if (at < 0) return;
  throw wrongExpression('a percentage before "+" or "-" could also be a remainder', {
    position: at + 1,
    suggestions: ['Write "5/100" for the percentage, or "mod(a, b)" for the remainder.'],
  });
};

const calculate = ({ expression, variables = {}, precision }: Input, engine: MathEngine) => {
  assertNesting(expression);
  assertPercent(expression);
  let tree: ReturnType<MathEngine['parse']>;
  try {
    tree = engine.parse(expression);
  } catch (error) {
    throw explainParse(error);
  }
  const value = evaluateTree(tree, expression, { engine, variables });
  if (value === undefined || value === null) throw wrongExpression('it has no value');
  try {
    return renderValue(value, precision ?? DEFAULT_DIGITS, engine);
  } catch (error) {
    // Some results cannot be written, such as a unit of a fraction that no double can hold.
    throw error instanceof ToolFailure ? error : wrongExpression('the result cannot be written');
  }
};

const losesDigits = (result: unknown): boolean =>
  typeof result === 'number' && Number.isInteger(result) && !Number.isSafeInteger(result);

const DEFINITION = {
  name: 'calculator',
  description:
    'Evaluates a mathematical expression exactly: arithmetic, powers, roots, trigonometry, statistics, units, matrices, fractions and complex numbers.',
  source: 'builtin',
  category: 'development',
  tier: 'read_only',
  idempotent: true,
  capabilities: [{ action: 'calculate', description: 'Evaluate one expression.' }],
  permissions: ['tool:calculator'],
  cost: { model: 'free' },
  tags: ['math', 'arithmetic', 'units', 'matrix', 'statistics'],
  author: 'Toolcrib',
  license: 'MIT',
  timeoutMs: 30_000,
  input,
  output,
} as const;

const EXAMPLES = [
  {
    title: 'Roots and powers',
    input: { expression: 'sqrt(16) + 2^3' },
    output: { result: 12, resultType: 'number', formatted: '12' },
  },
  {
    title: 'Convert a unit',
    input: { expression: '5 km to mile', precision: 6 },
    output: { resultType: 'Unit', formatted: '3.10686 mile' },
  },
  {
    title: 'Use variables',
    input: { expression: 'price * (1 + rate)', variables: { price: 200, rate: 0.2 } },
    output: { result: 240 },
  },
  {
    title: 'Add a percentage',
    input: { expression: '80 + 15%' },
    output: { result: 92 },
  },
  {
    title: 'Invert a matrix',
    input: { expression: 'inv([2, 0; 0, 4])' },
    output: {
      result: [
        [0.5, 0],
        [0, 0.25],
      ],
      resultType: 'Matrix',
    },
  },
  {
    title: 'Exact fractions',
    input: { expression: 'fraction(1, 3) + fraction(1, 6)' },
    output: { result: '1/2', resultType: 'Fraction' },
  },
  {
    title: 'All digits of a large product',
    input: { expression: '12345678901234567890 * 98765432109876543210', precision: 64 },
    output: { result: '1219326311370217952237463801111263526900', resultType: 'BigNumber' },
  },
];

/** Creates the exact and the inexact engine, each when first needed. */
const createEngines = () => {
  const engines = new Map<boolean, Promise<MathEngine>>();
  const load = (exact: boolean): Promise<MathEngine> => {
    const engine = createMathEngine(exact);
    engines.set(exact, engine);
    // A library that failed to load may load the next time.
    engine.catch(() => engines.delete(exact));
    return engine;
  };
  return {
    of: (exact: boolean): Promise<MathEngine> => engines.get(exact) ?? load(exact),
    forget: (): void => engines.clear(),
  };
};

const defineCalculator = (): Tool<Input, Output> => {
  const engines = createEngines();
  const inTime = createTimeLimit(MAX_MS);
  return defineTool<Input, Output>({
    ...DEFINITION,
    examples: EXAMPLES,
    run: async (request, context) => {
      const engine = await engines.of((request.precision ?? 0) > DOUBLE_DIGITS);
      const rendered = inTime({
        run: () => calculate(request, engine),
        // A stopped engine is not reused; it is repaired for calls that already have it.
        stopped: () => {
          engines.forget();
          engine.mend();
        },
      });
      if (losesDigits(rendered.result)) {
        context.warn(
          'The result is beyond 2^53, so its last digits are rounded; set precision to 16 or more for all of them.',
        );
      }
      return { expression: request.expression, ...rendered } as Output;
    },
  });
};

/** Loads its library with the first call and keeps it: no state depends on a call. */
export const calculator = defineCalculator();
