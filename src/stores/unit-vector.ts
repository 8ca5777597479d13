/** Checks vectors before they are kept or searched for, and what they are kept as. */
import { ToolFailure } from '../contract/errors.ts';
import type { VectorItem, VectorQuery } from '../contract/vectors.ts';

const MAX_DIMENSIONS = 8_192;
/** The most vectors of one user: each search looks at all of them. */
export const MAX_VECTORS = 100_000;
const MAX_MATCHES = 100;
const MAX_NAME = 500;

const invalid = (message: string, ...suggestions: readonly string[]): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', message, { suggestions });

const assertName = (name: string, what: string): void => {
  if (name.length > 0 && name.length <= MAX_NAME) return;
  throw invalid(`The ${what} of a vector has 1 to ${MAX_NAME} characters.`);
};

/** Returns the vector with length 1, so that the product of two is their cosine. */
const unitVector = (values: readonly number[]): Float32Array => {
  if (values.length === 0 || values.length > MAX_DIMENSIONS) {
    throw invalid(`A vector has 1 to ${MAX_DIMENSIONS} numbers.`);
  }
  let largest = 0;
  for (const value of values) {
    if (!Number.isFinite(value)) throw invalid('A vector holds finite numbers only.');
    largest = Math.max(largest, Math.abs(value));
  }
  // Also for numbers so small that nothing of them is left in 32 bits.
  if (largest === 0) throw invalid('A vector of zeros has no direction.');
  // Divided by the largest first: squares of large and of tiny numbers leave the range.
  let sum = 0;
  for (const value of values) sum += (value / largest) ** 2;
  const norm = Math.sqrt(sum);
  return Float32Array.from(values, (value) => value / largest / norm);
};

export const checkedItem = (item: VectorItem): Float32Array => {
  assertName(item.id, 'id');
  assertName(item.model, 'model');
  return unitVector(item.vector);
};

export const checkedQuery = ({ vector, limit, minScore = -1 }: VectorQuery): Float32Array => {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_MATCHES) {
    throw invalid(`A search gives 1 to ${MAX_MATCHES} matches.`);
  }
  if (!Number.isFinite(minScore)) throw invalid('The lowest score is a number from -1 to 1.');
  return unitVector(vector);
};

/** Makes the failure for a vector of another length than the kept ones. */
export const wrongLength = (length: number, storedLength: number): ToolFailure =>
  invalid(
    `The vector has ${length} numbers, those that are kept of this model have ${storedLength}.`,
    'Use the model that made the others, or delete them and embed their texts again.',
  );

export const tooMany = (): ToolFailure =>
  new ToolFailure('CONFLICT', `This user has ${MAX_VECTORS} vectors, which is the most.`, {
    suggestions: ['Delete those that are not needed any more.'],
  });
