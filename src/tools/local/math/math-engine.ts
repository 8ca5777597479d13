/**
 * The parts of mathjs that the calculator uses: its parser, its functions by name, its units and its
 * formatting. The evaluator of mathjs is not among them, so no expression can reach anything else.
 */
import { CONSTANTS, FUNCTIONS } from './allowed-names.ts';
import type { SyntaxTree } from './syntax-tree.ts';

export interface MathEngine {
  /** Parses an expression. Throws the SyntaxError of mathjs, with the position in `char`. */
  parse(expression: string): SyntaxTree;
  /** Calls a listed function. Throws when the arguments do not suit it. */
  call(name: string, args: readonly unknown[]): unknown;
  /** Returns the constant or the unit of that name, or `undefined`. */
  symbol(name: string): unknown;
  matrix(items: readonly unknown[]): unknown;
  /** Returns the part of a matrix at one-based positions, one for each dimension. */
  part(matrix: unknown, positions: readonly unknown[]): unknown;
  /** Makes a number of this engine's arithmetic. */
  number(value: number): unknown;
  typeOf(value: unknown): string;
  format(value: unknown, digits: number): string;
  /** Restores the settings that a stopped calculation left changed. */
  mend(): void;
}

/** Digits of a decimal in exact arithmetic; more than any `precision` asked for. */
const EXACT_DIGITS = 72;

/** Expressions cannot call these; they are overridden, so that no function of mathjs calls them either. */
const CLOSED = [
  'import',
  'createUnit',
  'evaluate',
  'parse',
  'compile',
  'parser',
  'simplify',
  'derivative',
  'rationalize',
  'resolve',
  'reviver',
  'chain',
  'help',
] as const;

type MathFunction = ((...args: readonly unknown[]) => unknown) & { readonly rawArgs?: boolean };

interface DecimalType {
  new (value: number): { sqrt(): unknown };
  readonly precision: number;
  readonly rounding: number;
  set(settings: { readonly precision: number; readonly rounding: number }): void;
}

/** The instance as a table of functions: the published types lack transforms and Unit. */
interface Instance {
  readonly [name: string]: unknown;
  readonly Unit: {
    new (value: null, name: string): unknown;
    isValuelessUnit(name: string): boolean;
  };
  readonly BigNumber: DecimalType;
  readonly expression: { readonly transform: Readonly<Record<string, MathFunction>> };
  config(settings: Readonly<Record<string, unknown>>): unknown;
  import(names: Readonly<Record<string, unknown>>, options: { readonly override: true }): void;
}

const loadInstance = async (exact: boolean): Promise<Instance> => {
  const { default: mathjs } = await import('mathjs/lib/browser/math.js');
  const instance = mathjs.create(mathjs.all ?? {}) as unknown as Instance;
  if (exact) {
    instance.config({ number: 'BigNumber', precision: EXACT_DIGITS, relTol: 1e-60, absTol: 1e-66 });
  }
  return instance;
};

/**
 * Makes a function that restores the settings. Decimals change their precision, and flags shared by all
 * of them, during a calculation and reset them at the end; one that is stopped in between would spoil
 * every later calculation.
 */
const createMender = ({ BigNumber }: Instance): (() => void) => {
  const { precision, rounding } = BigNumber;
  return () => {
    BigNumber.set({ precision, rounding });
    new BigNumber(2).sqrt();
  };
};

const closed = (): never => {
  throw new Error('Not available in the calculator.');
};

/**
 * Finds the expression form of a function, which counts rows and columns from one and differs for a few.
 * Called lazily, because mathjs builds a function on first access.
 */
const functionOf = (math: Instance, name: string): MathFunction => {
  const { transform } = math.expression;
  const special = Object.hasOwn(transform, name) ? transform[name] : undefined;
  return special && special.rawArgs !== true ? special : (math[name] as MathFunction);
};

/** Calls a function. mathjs makes no fraction of two exact decimals, so they are divided instead. */
const callFunction = (math: Instance, name: string, args: readonly unknown[]): unknown => {
  const call = functionOf(math, name);
  if (name !== 'fraction' || args.length !== 2) return call(...args);
  return functionOf(math, 'divide')(call(args[0]), call(args[1]));
};

/**
 * Creates an engine: of decimals with all digits when `exact`, else of doubles. The first load takes a
 * moment.
 */
export const createMathEngine = async (exact: boolean): Promise<MathEngine> => {
  const math = await loadInstance(exact);
  const own = (name: string): MathFunction => math[name] as MathFunction;
  const parse = own('parse');
  const mend = createMender(math);
  // The previous engine may have been stopped during a calculation.
  mend();
  math.import(Object.fromEntries(CLOSED.map((name) => [name, closed])), { override: true });
  return {
    parse: (expression) => parse(expression) as SyntaxTree,
    call: (name, args) => {
      if (!FUNCTIONS.has(name)) throw new Error('Not a function of the calculator.');
      try {
        return callFunction(math, name, args);
      } catch (error) {
        mend();
        throw error;
      }
    },
    symbol: (name) => {
      if (CONSTANTS.has(name)) return math[name];
      return math.Unit.isValuelessUnit(name) ? new math.Unit(null, name) : undefined;
    },
    matrix: (items) => own('matrix')(items),
    part: (whole, positions) => {
      const { index, subset } = math.expression.transform;
      return subset?.(whole, index?.(...positions));
    },
    number: (value) => (exact ? own('bignumber')(String(value)) : value),
    typeOf: (value) => own('typeOf')(value) as string,
    format: (value, precision) => {
      const upperExp = Math.max(21, precision + 1);
      return own('format')(value, { precision, lowerExp: -9, upperExp }) as string;
    },
    mend,
  };
};
