/** Says which operations the user wants as tools. */
import { wildcard } from '../../../kit/text/wildcard.ts';
import type { OpenapiOptions, OperationFilter } from '../openapi-settings.ts';
import type { Operation } from './list-operations.ts';

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

/** An operation has to match all lists of `include` and none of `exclude`. */
export const operationFilter = ({
  include = {},
  exclude = {},
}: Pick<OpenapiOptions, 'include' | 'exclude'>): ((operation: NamedOperation) => boolean) => {
  const included = testsOf(include);
  const excluded = testsOf(exclude);
  return (operation) =>
    included.every((test) => test(operation)) && !excluded.some((test) => test(operation));
};
