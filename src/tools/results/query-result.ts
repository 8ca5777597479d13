/** JMESPath over a stored result. Names are own properties only, and the answer cannot explode. */
import { ToolFailure } from '../../contract/errors.ts';
import { isRecord } from '../../kit/data/is-record.ts';

/** An expression can name the same part again and again: what it makes is counted before it is shown. */
const MAX_NODES = 1_000_000;
const MAX_CHARACTERS = 20_000_000;
const MAX_DEPTH = 150;

/** Without a prototype `constructor` and `__proto__` are names like any other. */
const bare = (_key: string, value: unknown): unknown =>
  isRecord(value) ? Object.setPrototypeOf(value, null) : value;

const noJson = (): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', 'The result is plain text, so it cannot be queried.', {
    suggestions: ['Use grep, lines or offset instead of query.'],
  });

const tooMuch = (): ToolFailure =>
  new ToolFailure('OUTPUT_TOO_LARGE', 'The query makes more than it may.', {
    suggestions: ['Select less, e.g. with a filter or a slice.'],
  });

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text, bare);
  } catch {
    throw noJson();
  }
};

const assertSmall = (value: unknown): void => {
  const left = { nodes: MAX_NODES, characters: MAX_CHARACTERS };
  const visit = (each: unknown, depth: number): void => {
    left.nodes -= 1;
    if (typeof each === 'string') left.characters -= each.length;
    if (left.nodes < 0 || left.characters < 0 || depth > MAX_DEPTH) throw tooMuch();
    if (typeof each !== 'object' || each === null) return;
    for (const item of Object.values(each)) visit(item, depth + 1);
  };
  visit(value, 0);
};

const isLibraryError = (error: unknown): error is Error =>
  error instanceof Error && !(error instanceof ToolFailure) && error.name !== 'RangeError';

const badQuery = (error: Error): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `The query is no JMESPath that fits: ${error.name}.`, {
    suggestions: ['Write it like: items[?price > `10`].{name: name, price: price} | [:20]'],
  });

/** The part of the library that is used. */
export type SearchData = (data: unknown, expression: string) => unknown;

/** Fails with VALIDATION_ERROR or OUTPUT_TOO_LARGE. */
export const queryResult = (search: SearchData, text: string, expression: string): unknown => {
  const data = parse(text);
  try {
    const selected = search(data, expression);
    assertSmall(selected);
    return selected;
  } catch (error) {
    throw isLibraryError(error) ? badQuery(error) : error;
  }
};
