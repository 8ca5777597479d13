/** Makes a schema of the reference library from what is kept, to check the fields that a call asks for. */
import type { GraphQLSchema, IntrospectionQuery } from 'graphql';
import type { GraphqlLibrary } from './compact-schema.ts';
import {
  type ArgumentEntry,
  type FieldEntry,
  type GraphqlDefinition,
  isRequired,
  itemType,
  nullable,
  type TypeEntry,
  type Types,
} from './definition.ts';

const KINDS = {
  object: 'OBJECT',
  interface: 'INTERFACE',
  union: 'UNION',
  enum: 'ENUM',
  scalar: 'SCALAR',
  input: 'INPUT_OBJECT',
} as const;

type Json = Readonly<Record<string, unknown>>;

const reference = (type: string, types: Types): Json => {
  if (isRequired(type)) return { kind: 'NON_NULL', ofType: reference(nullable(type), types) };
  const item = itemType(type);
  if (item !== undefined) return { kind: 'LIST', ofType: reference(item, types) };
  return { kind: KINDS[types.get(type)?.kind ?? 'scalar'], name: type };
};

/** Converts an argument. One with a default may be left out; the service knows the default. */
const input = ({ name, type, default: value }: ArgumentEntry, types: Types): Json => ({
  name,
  type: reference(value === undefined ? type : nullable(type), types),
});

const field = ({ name, type, args = [] }: FieldEntry, types: Types): Json => ({
  name,
  args: args.map((argument) => input(argument, types)),
  type: reference(type, types),
});

const names = (all: readonly string[], kind: 'object' | 'interface'): readonly Json[] =>
  all.map((name) => ({ kind: KINDS[kind], name }));

const details = (entry: TypeEntry, types: Types): Json => {
  switch (entry.kind) {
    case 'object':
    case 'interface':
      return {
        fields: entry.fields.map((each) => field(each, types)),
        interfaces: names(entry.interfaces ?? [], 'interface'),
        possibleTypes: names(entry.possible ?? [], 'object'),
      };
    case 'union':
      return { possibleTypes: names(entry.possible, 'object') };
    case 'enum':
      return { enumValues: entry.values.map((name) => ({ name })) };
    case 'input':
      return {
        inputFields: entry.fields.map((each) => input(each, types)),
        isOneOf: entry.oneOf === true,
      };
    default:
      return {};
  }
};

export const fullSchema = (
  { query, mutation }: GraphqlDefinition,
  types: Types,
  { buildClientSchema }: GraphqlLibrary,
): GraphQLSchema => {
  const introspection = {
    __schema: {
      queryType: { name: query },
      mutationType: mutation === undefined ? null : { name: mutation },
      subscriptionType: null,
      types: [...types].map(([name, entry]) => ({
        kind: KINDS[entry.kind],
        name,
        ...details(entry, types),
      })),
      directives: [],
    },
  };
  return buildClientSchema(introspection as unknown as IntrospectionQuery, { assumeValid: true });
};
