/** Renders a computed value as plain JSON, with the name of its kind. Refuses values that are not finite. */
import type { MathEngine } from './math-engine.ts';
import { isComplex, isDecimal, isFraction, isMatrix, isUnit, scalarsOf } from './measure.ts';
import { wrongExpression } from './refusal.ts';

export interface Rendered {
  readonly result: unknown;
  readonly resultType: string;
  readonly formatted: string;
}

/** The digits that a double represents exactly; one more would show the rounding of 0.1 + 0.2. */
const DOUBLE_DIGITS = 15;
const DECIMAL_DIGITS = 64;

const isNumberless = (value: unknown): boolean => {
  if (isComplex(value)) return Number.isNaN(value.re) || Number.isNaN(value.im);
  return isDecimal(value) ? value.isNaN() : Number.isNaN(value);
};

const isInfinite = (value: unknown): boolean => {
  if (isComplex(value)) return !Number.isFinite(value.re) || !Number.isFinite(value.im);
  if (isDecimal(value)) return !value.isFinite();
  return typeof value === 'number' && !Number.isFinite(value);
};

const assertFinite = (value: unknown): void => {
  for (const scalar of scalarsOf(value)) {
    if (isNumberless(scalar)) {
      throw wrongExpression('the result is not a number, as in 0/0', {
        suggestions: ['Check for a division by zero and for infinities that cancel out.'],
      });
    }
    if (!isInfinite(scalar)) continue;
    throw wrongExpression('the result is infinite, as in 1/0, or too large for a number', {
      suggestions: [
        'Check for a division by zero.',
        'For numbers beyond 10^308 set "precision" to 16 or more.',
      ],
    });
  }
};

const fractionText = (value: { s: bigint; n: bigint; d: bigint }): string => {
  const whole = String(value.s * value.n);
  return value.d === 1n ? whole : `${whole}/${value.d}`;
};

const plain = (value: unknown, engine: MathEngine): unknown => {
  if (isMatrix(value)) return plain(value.toArray(), engine);
  if (Array.isArray(value)) return value.map((item) => plain(item, engine));
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  if (isDecimal(value)) return engine.format(value, DECIMAL_DIGITS);
  if (isFraction(value)) return fractionText(value);
  if (isUnit(value) && isDecimal(value.value)) return engine.format(value, DECIMAL_DIGITS);
  if (isComplex(value) || isUnit(value)) return engine.format(value, DOUBLE_DIGITS);
  if (typeof value !== 'object' || value === null) throw wrongExpression('it has no value');
  const parts = Object.entries(value).filter(([, part]) => typeof part !== 'function');
  return Object.fromEntries(parts.map(([key, part]) => [key, plain(part, engine)]));
};

const kindOf = (value: unknown, engine: MathEngine): string =>
  isMatrix(value) || Array.isArray(value) ? 'Matrix' : engine.typeOf(value);

/** Renders a value. Throws VALIDATION_ERROR for one that JSON cannot hold. */
export const renderValue = (value: unknown, digits: number, engine: MathEngine): Rendered => {
  assertFinite(value);
  const result = plain(value, engine);
  const resultType = kindOf(value, engine);
  return {
    result,
    resultType,
    formatted: formatted(value, { result, resultType, digits, engine }),
  };
};

const formatted = (
  value: unknown,
  rendering: { result: unknown; resultType: string; digits: number; engine: MathEngine },
): string => {
  if (typeof value === 'string') return value;
  if (isFraction(value)) return fractionText(value);
  if (rendering.resultType === 'Object') return JSON.stringify(rendering.result);
  return rendering.engine.format(value, rendering.digits);
};
