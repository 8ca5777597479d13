/** The sizes of values, and the limits of everything in a calculation. */
import { tooMuch } from './refusal.ts';

export const MAX_ELEMENTS = 2_500;
const MAX_FRACTION = 10n ** 1_000n;
const MAX_EXPONENT = 10_000;
const MAX_TEXT = 40_000;

interface FractionLike {
  readonly s: bigint;
  readonly n: bigint;
  readonly d: bigint;
}
interface DecimalLike {
  readonly e: number;
  isNaN(): boolean;
  isFinite(): boolean;
}
interface ComplexLike {
  readonly re: number;
  readonly im: number;
}

/** Tells whether mathjs marked the prototype: JSON and expressions cannot make such values. */
const isMarked = (value: unknown, mark: string): boolean =>
  typeof value === 'object' && value !== null && Reflect.get(value, mark) === true;

export const isFraction = (value: unknown): value is FractionLike => isMarked(value, 'isFraction');
export const isDecimal = (value: unknown): value is DecimalLike => isMarked(value, 'isBigNumber');
export const isComplex = (value: unknown): value is ComplexLike => isMarked(value, 'isComplex');
export const isUnit = (value: unknown): value is { readonly value: unknown } =>
  isMarked(value, 'isUnit');
export const isMatrix = (
  value: unknown,
): value is { size(): readonly number[]; toArray(): unknown[] } => isMarked(value, 'isMatrix');

/** Lists the sizes of the dimensions; empty for a single value. */
export const shapeOf = (value: unknown): readonly number[] => {
  if (isMatrix(value)) return value.size();
  const shape: number[] = [];
  for (let at = value; Array.isArray(at); at = at[0] as unknown) shape.push(at.length);
  return shape;
};

export const countOf = (shape: readonly number[]): number =>
  shape.reduce((product, side) => product * side, 1);

/** Lists every single value: the elements of a matrix, the number of a unit. */
export const scalarsOf = (value: unknown): readonly unknown[] => {
  if (isMatrix(value)) return scalarsOf(value.toArray());
  if (isUnit(value)) return scalarsOf(value.value);
  return Array.isArray(value) ? value.flatMap(scalarsOf) : [value];
};

/** Estimates a value as a double; NaN for anything but one number. */
export const estimateOf = (value: unknown): number => {
  if (isUnit(value)) return estimateOf(value.value);
  if (isFraction(value)) return Number(value.s * value.n) / Number(value.d);
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  return isDecimal(value) ? Number(value) : Number.NaN;
};

/** Finds the largest absolute value; 0 when there is no number. */
export const magnitudeOf = (value: unknown): number =>
  scalarsOf(value).reduce((max: number, each) => Math.max(max, Math.abs(estimateOf(each)) || 0), 0);

/** Counts the decimal digits of the larger side of a fraction. */
export const digitsOf = ({ n, d }: FractionLike): number => String(n > d ? n : d).length;

const assertScalar = (value: unknown): void => {
  if (isFraction(value) && (value.n > MAX_FRACTION || value.d > MAX_FRACTION)) {
    throw tooMuch('a fraction grows beyond 1,000 digits');
  }
  if (isDecimal(value) && Math.abs(value.e) > MAX_EXPONENT) {
    throw tooMuch(
      `a number grows beyond 10^${MAX_EXPONENT} or is closer to zero than 10^-${MAX_EXPONENT}`,
    );
  }
  if (typeof value === 'string' && value.length > MAX_TEXT) throw tooMuch('a text grows too long');
};

/** Checks a value. Throws VALIDATION_ERROR when it is larger than a calculation may hold. */
export const assertSize = (value: unknown): void => {
  if (countOf(shapeOf(value)) > MAX_ELEMENTS) {
    throw tooMuch(`a matrix has more than ${MAX_ELEMENTS} elements`);
  }
  for (const scalar of scalarsOf(value)) assertScalar(scalar);
};
