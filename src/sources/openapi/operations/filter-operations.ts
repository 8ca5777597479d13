/** Says which operations the user wants as tools. */
import type { OpenapiOptions, OperationFilter } from '../openapi-settings.ts';
import type { Operation } from './list-operations.ts';

type Test = (text: string) => boolean;

/** Matches a text with `*` for any run of characters, in time that grows with the text alone. */
export const wildcard = (pattern: string): Test => {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const piece of rest) {
      const found = text.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return at <= text.length - last.length;
  };
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
