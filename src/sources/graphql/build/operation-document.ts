/** Writes the GraphQL document of an operation. Values of a call travel as variables only. */
import { isPrototypeKey } from '../../../kit/data/prototype-key.ts';
import { type ArgumentEntry, nullable } from '../schema/definition.ts';
import type { Operation } from './operation-names.ts';

/** The arguments that a call can give. */
export const usableArguments = ({ field }: Operation): readonly ArgumentEntry[] =>
  (field.args ?? []).filter(({ name }) => !isPrototypeKey(name));

/** `selection` is written with its braces; empty for a field whose value has no fields. */
export const operationDocument = (operation: Operation, selection: string): string => {
  const { kind, field } = operation;
  const args = usableArguments(operation);
  // A variable that is absent leaves the argument to its default.
  const variables = args.map(
    ({ name, type, default: value }) => `$${name}: ${value === undefined ? type : nullable(type)}`,
  );
  const declared = variables.length > 0 ? `(${variables.join(', ')})` : '';
  const given =
    args.length > 0 ? `(${args.map(({ name }) => `${name}: $${name}`).join(', ')})` : '';
  return `${kind} ${field.name}${declared} { ${field.name}${given}${selection && ` ${selection}`} }`;
};
