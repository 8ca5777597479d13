/**
 * Gives each operation the name of its tool: at most 60 letters, digits, `_` and `-`, the same at every
 * reading and in whatever order the document lists them. Names that are too long, or that several
 * operations would have, end in a hash of the method and the path. Also decides which operations the
 * user wants as tools.
 */
import { sha256Hex } from '../../../kit/data/canonical-json.ts';
import { wildcard } from '../../../kit/text/wildcard.ts';
import type { OpenapiOptions, OperationFilter } from '../openapi-settings.ts';
import type { Operation } from './list-operations.ts';

const MAX_NAME = 60;
const HASH_LENGTH = 8;

const usable = (text: string): string =>
  text
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^[_-]+/, '')
    .replace(/[_-]+$/, '');

const plainName = ({ operationId, method, path }: Operation): string => {
  const own = operationId === undefined ? '' : usable(operationId.slice(0, 500));
  if (own === '') return usable(`${method} ${path.slice(0, 500)}`);
  // Gemini refuses all tools where the name of one begins with a digit.
  return /^\d/.test(own) ? `${method}_${own}` : own;
};

const hashed = (name: string, { method, path }: Operation): string => {
  const hash = sha256Hex(`${method} ${path}`).slice(0, HASH_LENGTH);
  return `${name.slice(0, MAX_NAME - HASH_LENGTH - 1).replace(/[_-]+$/, '')}_${hash}`;
};

export const operationNames = (
  operations: readonly Operation[],
): ReadonlyMap<Operation, string> => {
  const plain = operations.map((operation) => [operation, plainName(operation)] as const);
  // Counted without regard to case: people and some clients do not distinguish it.
  const counts = new Map<string, number>();
  for (const [, name] of plain) {
    const key = name.toLowerCase();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return new Map(
    plain.map(([operation, name]) => {
      const isFree = counts.get(name.toLowerCase()) === 1 && name.length <= MAX_NAME;
      return [operation, isFree ? name : hashed(name, operation)];
    }),
  );
};

type NamedOperation = Operation & { readonly name: string };

const testsOf = (filter: OperationFilter): readonly ((operation: NamedOperation) => boolean)[] => {
  const some = (
    patterns: readonly string[] | undefined,
    texts: (operation: NamedOperation) => readonly string[],
  ) => {
    if (patterns === undefined) return [];
    const tests = patterns.map(wildcard);
    return [
      (operation: NamedOperation) =>
        texts(operation).some((text) => tests.some((test) => test(text))),
    ];
  };
  return [
    ...some(filter.tags, ({ tags }) => tags),
    ...some(filter.paths, ({ path }) => [path]),
    ...some(
      filter.methods?.map((method) => method.toLowerCase()),
      ({ method }) => [method],
    ),
    ...some(filter.operations, ({ name, operationId }) => [name, operationId ?? name]),
  ];
};

/** Makes the filter: an operation has to match all lists of `include` and none of `exclude`. */
export const operationFilter = ({
  include = {},
  exclude = {},
}: Pick<OpenapiOptions, 'include' | 'exclude'>): ((operation: NamedOperation) => boolean) => {
  const included = testsOf(include);
  const excluded = testsOf(exclude);
  return (operation) =>
    included.every((test) => test(operation)) && !excluded.some((test) => test(operation));
};
