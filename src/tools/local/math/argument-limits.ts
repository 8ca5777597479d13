/**
 * Limits of single arguments: values that make a function of mathjs loop for very long, or make something
 * huge, however small their matrix is.
 */
import { digitsOf, estimateOf, isDecimal, isFraction, magnitudeOf, scalarsOf } from './measure.ts';
import { tooMuch } from './refusal.ts';

type Check = (name: string, args: readonly unknown[]) => void;

const MAX_PRIME = 1e12;
const MAX_WORD_SIZE = 1_024;
const MAX_QUANTILES = 1_000;
const MAX_DIGITS = 100;
const MAX_POWER_DIGITS = 1_000;
/** Limits roots and logarithms of fractions, which mathjs factors. */
const MAX_FACTORED = 1_000_000_000n;
/** Limits functions of decimals that reduce their arguments step by step. */
const MAX_EXPONENT_ARGUMENT = 25_000;
const MAX_ANGLE = 1e15;
const MAX_EXTREME = 100;

const isExtreme = (value: unknown): boolean => isDecimal(value) && Math.abs(value.e) > MAX_EXTREME;

const exactUpTo =
  (max: number): Check =>
  (name, args) => {
    if (magnitudeOf(scalarsOf(args).filter(isDecimal)) <= max) return;
    throw tooMuch(`${name} takes numbers up to ${max} when it is exact`);
  };

const notExtreme: Check = (name, args) => {
  if (!scalarsOf(args).some(isExtreme)) return;
  throw tooMuch(`${name} takes numbers between 10^-100 and 10^100 when it is exact`);
};

/** Limits the digits, which are made one by one: as many as the number or the word size has. */
const smallBase: Check = (name, [value, wordSize = 0]) => {
  notExtreme(name, [value]);
  if (magnitudeOf(wordSize) > MAX_WORD_SIZE) {
    throw tooMuch(`${name} takes up to ${MAX_WORD_SIZE} bits`);
  }
};

const smallPrime: Check = (name, args) => {
  if (magnitudeOf(args) > MAX_PRIME) throw tooMuch(`${name} takes numbers up to ${MAX_PRIME}`);
};

/** Limits the digits to round to: fractions are multiplied by a power of ten. */
const fewDigits: Check = (name, [, ...digits]) => {
  if (magnitudeOf(digits) > MAX_DIGITS) throw tooMuch(`${name} takes up to ${MAX_DIGITS} digits`);
};

const fewQuantiles: Check = (name, [, ...quantiles]) => {
  if (magnitudeOf(quantiles) > MAX_QUANTILES) {
    throw tooMuch(`${name} gives at most ${MAX_QUANTILES} values`);
  }
};

const factorable: Check = (name, args) => {
  for (const value of scalarsOf(args)) {
    if (!isFraction(value) || (value.n <= MAX_FACTORED && value.d <= MAX_FACTORED)) continue;
    throw tooMuch(`${name} of a large fraction takes too long`);
  }
};

const shortPower: Check = (name, [base, exponent]) => {
  const powers = scalarsOf(exponent).map(estimateOf);
  if (!powers.every(Number.isInteger)) factorable(name, [base]);
  const power = magnitudeOf(exponent);
  for (const value of scalarsOf(base)) {
    // A power of one is one.
    if (!isFraction(value) || value.n + value.d <= 2n) continue;
    if (digitsOf(value) * power > MAX_POWER_DIGITS) {
      throw tooMuch('a power of a fraction has too many digits');
    }
  }
};

/** Refuses a step so small beside the ends that adding it changes nothing: the range would never end. */
const reachable: Check = (name, [start, end, step = 1]) => {
  const [from, to, by] = [estimateOf(start), estimateOf(end), estimateOf(step)];
  const moves = [from, to].every((at) => Number.isFinite(at) && at + by !== at);
  if (!moves) throw tooMuch(`the ${name} has no end it can reach`);
};

const each = (names: string, check: Check): readonly (readonly [string, Check])[] =>
  names.split(' ').map((name) => [name, check] as const);

const CHECKS: ReadonlyMap<string, Check> = new Map([
  ...each('exp expm1 sinh cosh tanh sech csch coth', exactUpTo(MAX_EXPONENT_ARGUMENT)),
  ...each('sin cos tan sec csc cot', exactUpTo(MAX_ANGLE)),
  ...each('asin acos atan atan2 asec acsc acot', notExtreme),
  ...each('asinh acosh atanh asech acsch acoth', notExtreme),
  ...each('bitAnd bitOr bitXor bitNot leftShift rightArithShift', notExtreme),
  ...each('gcd lcm xgcd invmod mod', notExtreme),
  ...each('round ceil floor fix', fewDigits),
  ...each('bin oct hex', smallBase),
  ...each('pow dotPow', shortPower),
  ['range', reachable],
  ['isPrime', smallPrime],
  ['quantileSeq', fewQuantiles],
  ['log', factorable],
]);

/** Checks the arguments. Throws VALIDATION_ERROR when one is outside the limits of the function. */
export const assertArguments = (name: string, args: readonly unknown[]): void =>
  CHECKS.get(name)?.(name, args);
