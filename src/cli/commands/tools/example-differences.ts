/** What is missing in the data of a result, held against what an example promises. */
import { isRecord } from '../../../kit/data/is-record.ts';

export interface Difference {
  /** A JSON Pointer; empty for the whole. */
  readonly path: string;
  readonly expected: unknown;
  /** `undefined` when there is nothing. */
  readonly actual: unknown;
}

const pointer = (key: string | number): string =>
  `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

const below = (differences: readonly Difference[], key: string | number): readonly Difference[] =>
  differences.map((each) => ({ ...each, path: `${pointer(key)}${each.path}` }));

/** An object may hold more than is promised; a list holds exactly as many items. */
export const exampleDifferences = (expected: unknown, actual: unknown): readonly Difference[] => {
  if (isRecord(expected) && isRecord(actual)) {
    return Object.keys(expected).flatMap((key) => {
      const found = Object.hasOwn(actual, key) ? actual[key] : undefined;
      return below(exampleDifferences(expected[key], found), key);
    });
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((item, index) => below(exampleDifferences(item, actual[index]), index));
  }
  return Object.is(expected, actual) ? [] : [{ path: '', expected, actual }];
};
