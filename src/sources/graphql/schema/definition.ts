/**
 * What is kept of a GraphQL schema: what documents and JSON Schemas are made of, and nothing else. The
 * reference library needs half a second for a large schema; this form is read in milliseconds.
 */
import { isRecord } from '../../../kit/data/is-record.ts';

export const DEFINITION_FORMAT = 1;

/** An argument, or a field of an input type. `type` is written as in GraphQL: `[Int!]!`. */
export interface ArgumentEntry {
  readonly name: string;
  readonly type: string;
  readonly about?: string;
  /** As JSON. */
  readonly default?: unknown;
}

export interface FieldEntry {
  readonly name: string;
  readonly type: string;
  /** There for queries and mutations only. */
  readonly about?: string;
  readonly args?: readonly ArgumentEntry[];
  readonly deprecated?: true;
}

export interface FieldsEntry {
  readonly kind: 'object' | 'interface';
  readonly fields: readonly FieldEntry[];
  readonly interfaces?: readonly string[];
  /** Of an interface: the types of its values. */
  readonly possible?: readonly string[];
}

export interface InputEntry {
  readonly kind: 'input';
  readonly fields: readonly ArgumentEntry[];
  readonly about?: string;
  /** Exactly one of its fields is given. */
  readonly oneOf?: true;
}

export type TypeEntry =
  | FieldsEntry
  | InputEntry
  | { readonly kind: 'union'; readonly possible: readonly string[] }
  | { readonly kind: 'enum'; readonly values: readonly string[]; readonly about?: string }
  | { readonly kind: 'scalar'; readonly about?: string; readonly url?: string };

export interface GraphqlDefinition {
  readonly format: typeof DEFINITION_FORMAT;
  readonly query: string;
  readonly mutation?: string;
  /** The names of the subscriptions, which cannot become tools. */
  readonly subscriptions: readonly string[];
  readonly types: Readonly<Record<string, TypeEntry>>;
}

export type Types = ReadonlyMap<string, TypeEntry>;

export const isDefinition = (value: unknown): value is GraphqlDefinition =>
  isRecord(value) &&
  value.format === DEFINITION_FORMAT &&
  typeof value.query === 'string' &&
  Array.isArray(value.subscriptions) &&
  isRecord(value.types);

/** Gives the name of a type without lists and marks: `[User!]!` is `User`. */
export const namedType = (type: string): string => type.replaceAll(/[[\]!]/g, '');

export const isRequired = (type: string): boolean => type.endsWith('!');

export const nullable = (type: string): string => (isRequired(type) ? type.slice(0, -1) : type);

/** Gives the type of the items of a list; `undefined` for anything else. */
export const itemType = (type: string): string | undefined => {
  const bare = nullable(type);
  return bare.startsWith('[') ? bare.slice(1, -1) : undefined;
};

/** Lists in lists that are described; real types have two or three. */
const TOO_DEEP = '['.repeat(20);

/** Tells whether a type is lists in so many lists that a schema of it would not compile. */
export const isTooDeep = (type: string): boolean => type.startsWith(TOO_DEEP);

/** Tells whether a caller has to give an argument. */
export const isNeeded = (argument: ArgumentEntry): boolean =>
  isRequired(argument.type) && argument.default === undefined;

export const fieldsOf = (types: Types, name: string): readonly FieldEntry[] => {
  const entry = types.get(name);
  return entry && (entry.kind === 'object' || entry.kind === 'interface') ? entry.fields : [];
};

/** Tells whether the values of a type have fields. A missing type counts as a scalar. */
export const isComposite = (types: Types, name: string): boolean => {
  const kind = types.get(name)?.kind;
  return kind === 'object' || kind === 'interface' || kind === 'union';
};
