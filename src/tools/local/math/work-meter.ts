/**
 * Estimates each function call before it is made, and refuses one that would take too long: stopping
 * mathjs during a calculation makes the engine unusable.
 */
import { FUNCTIONS, type Growth } from './allowed-names.ts';
import { assertArguments } from './argument-limits.ts';
import {
  countOf,
  estimateOf,
  isComplex,
  isDecimal,
  isFraction,
  isMatrix,
  MAX_ELEMENTS,
  magnitudeOf,
  scalarsOf,
  shapeOf,
} from './measure.ts';
import { tooMuch } from './refusal.ts';

/** In steps of roughly a microsecond. */
const MAX_WORK = 1_500_000;
/** A percentage repeats its left side in the tree, so a short text can become a very large tree. */
const MAX_STEPS = 10_000;
const MAX_LOOP = 1_000_000;
const MAX_DECIMAL_LOOP = 2_000;
const MAX_TABLE = 200;
/**
 * How steps grow with the value of the argument: 0 for none with doubles, 1 for linear; squared by
 * default.
 */
const LOOPS: ReadonlyMap<string, 0 | 1> = new Map([
  ['factorial', 0],
  ['gamma', 0],
  ['lgamma', 0],
  ['combinations', 1],
  ['combinationsWithRep', 1],
  ['permutations', 1],
]);
/** Functions that take their arguments one after another instead of combining them. */
const LISTS: ReadonlySet<string> = new Set('concat sum prod max min mean mode'.split(' '));
const MAX_MATRIX_POWER = 1_000;

interface Kinds {
  readonly decimal: boolean;
  readonly fraction: boolean;
  readonly complex: boolean;
}

const kindsOf = (args: readonly unknown[]): Kinds => {
  const kinds = { decimal: false, fraction: false, complex: false };
  for (const value of scalarsOf(args)) {
    kinds.decimal ||= isDecimal(value);
    kinds.fraction ||= isFraction(value);
    kinds.complex ||= isComplex(value);
  }
  return kinds;
};

/** Weighs one element by the slowest kind of number among the arguments. */
const weightOf = ({ decimal, fraction, complex }: Kinds, growth: Growth): number => {
  if (decimal) return growth === 'series' || growth === 'power' ? 3_000 : 20;
  if (fraction) return growth === 'elements' || growth === 'series' ? 20 : 200;
  return complex ? 4 : 1;
};

/** Counts the elements of the result of combining matrices of different shapes. */
const broadcastCount = (args: readonly unknown[]): number => {
  const shapes = args.map(shapeOf);
  const dimensions = Math.max(0, ...shapes.map((shape) => shape.length));
  let count = 1;
  for (let back = 1; back <= dimensions; back += 1) {
    count *= Math.max(1, ...shapes.map((shape) => shape.at(-back) ?? 1));
  }
  return count;
};

const totalCount = (args: readonly unknown[]): number =>
  args.reduce((total: number, arg) => total + countOf(shapeOf(arg)), 0);

const assertElements = (count: number): number => {
  if (count <= MAX_ELEMENTS) return count;
  throw tooMuch(`it would make a matrix of more than ${MAX_ELEMENTS} elements`);
};

/** Reads the sides, given one by one or as a list: `zeros(2, 3)` and `zeros([2, 3])`. */
const sidesOf = (name: string, args: readonly unknown[]): readonly number[] => {
  const sizes = name === 'resize' || name === 'reshape' ? args.slice(1, 2) : args;
  // A side of 0 still makes as many empty rows as the other side says.
  return scalarsOf(sizes).map((side) => Math.max(1, Math.abs(estimateOf(side)) || 0));
};

const shapeWork = (name: string, args: readonly unknown[]): number => {
  if (name === 'diag') {
    const [vector, offset = 0] = args;
    const side = countOf(shapeOf(vector)) + (Math.abs(estimateOf(offset)) || 0);
    return shapeOf(vector).length === 1 ? assertElements(side * side) : countOf(shapeOf(vector));
  }
  const sides = sidesOf(name, args);
  const all = name === 'identity' && sides.length === 1 ? [...sides, ...sides] : sides;
  return assertElements(countOf(all));
};

const rangeWork = ([start, end, step = 1]: readonly unknown[]): number => {
  const [from, to, by] = [start, end, step].map(estimateOf) as [number, number, number];
  return assertElements(Math.ceil(Math.abs((to - from) / by)) || 0);
};

const productWork = (name: string, [left, right, ...more]: readonly unknown[]): number => {
  const [a, b] = [shapeOf(left), shapeOf(right)];
  const rest = more.length > 0 ? countOf(shapeOf(more[0])) * more.length : 1;
  if (name === 'kron') return assertElements(countOf(a) * countOf(b));
  if (a.length === 0 || b.length === 0) return Math.max(countOf(a), countOf(b)) * rest;
  const [inner = 1, columns = 1] = [a.at(-1), b.length > 1 ? b.at(-1) : 1];
  const rows = a.length > 1 ? (a[0] ?? 1) : 1;
  assertElements(rows * columns);
  return rows * columns * inner * rest;
};

const powerWork = (name: string, args: readonly unknown[]): number => {
  const [base, exponent] = args;
  const shape = shapeOf(base);
  if (name === 'dotPow' || !isMatrix(base) || shape.length !== 2) return broadcastCount(args);
  const power = Math.abs(estimateOf(exponent)) || 0;
  if (power > MAX_MATRIX_POWER) throw tooMuch(`a matrix to a power above ${MAX_MATRIX_POWER}`);
  return (shape[0] ?? 1) ** 3 * 2 * Math.log2(power + 2);
};

const valueWork = (name: string, args: readonly unknown[], kinds: Kinds): number => {
  const value = magnitudeOf(args);
  const growth = LOOPS.get(name) ?? 2;
  // Doubles end at 170!, and mathjs does not loop for these functions.
  if (growth === 0 && !kinds.decimal && !kinds.fraction) return broadcastCount(args);
  const limit = growth === 2 ? MAX_TABLE : kinds.decimal ? MAX_DECIMAL_LOOP : MAX_LOOP;
  if (value > limit) throw tooMuch(`${name} takes numbers up to ${limit}`);
  return broadcastCount(args) * Math.max(1, growth === 2 ? value ** 2 : value / 100);
};

const cubeWork = (args: readonly unknown[]): number => Math.max(1, ...args.flatMap(shapeOf)) ** 3;

/** Estimates functions of quadratic work; quantiles are searched one after the other. */
const squareWork = (name: string, args: readonly unknown[]): number => {
  const times = name === 'quantileSeq' ? Math.max(1, magnitudeOf(args.slice(1))) : 1;
  return (totalCount(args) ** 2 / 5) * times;
};

/** Estimates by the elements of all arguments together, or of the matrix that they are combined to. */
const elementWork = (name: string, args: readonly unknown[]): number => {
  if (LISTS.has(name)) return totalCount(args);
  // Dividing by a matrix inverts it.
  if (name === 'divide' && shapeOf(args[1]).length === 2) return cubeWork(args);
  return assertElements(broadcastCount(args));
};

const workOf = (name: string, args: readonly unknown[], kinds: Kinds): number => {
  switch (FUNCTIONS.get(name)) {
    case 'square':
      return squareWork(name, args);
    case 'cube':
      return cubeWork(args);
    case 'iterated':
      return cubeWork(args) * 60;
    case 'value':
      return valueWork(name, args, kinds);
    case 'shape':
      return shapeWork(name, args);
    case 'product':
      return productWork(name, args);
    case 'power':
      return powerWork(name, args);
    case 'range':
      return rangeWork(args);
    default:
      return elementWork(name, args);
  }
};

export interface WorkMeter {
  /** Counts a node. Throws VALIDATION_ERROR when the tree has too many. */
  step(): void;
  /** Charges a call. Throws VALIDATION_ERROR when it, or all calls together, would take too long. */
  charge(name: string, args: readonly unknown[]): void;
}

export const createWorkMeter = (): WorkMeter => {
  let used = 0;
  let steps = 0;
  return {
    step: () => {
      steps += 1;
      if (steps > MAX_STEPS) throw tooMuch('it has too many steps');
    },
    charge: (name, args) => {
      assertArguments(name, args);
      const kinds = kindsOf(args);
      const growth = FUNCTIONS.get(name) ?? 'elements';
      used += 10 + workOf(name, args, kinds) * weightOf(kinds, growth);
      if (used > MAX_WORK) throw tooMuch('the calculation would take too long');
    },
  };
};
