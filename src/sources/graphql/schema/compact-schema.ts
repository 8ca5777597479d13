/** Turns a schema of the reference library into the form that is kept: what operations can reach. */
import type { GraphQLArgument, GraphQLField, GraphQLNamedType, GraphQLSchema } from 'graphql';
import { ToolFailure } from '../../../contract/errors.ts';
import { isPrototypeKey } from '../../../kit/data/prototype-key.ts';
import { visibleBlock } from '../../../kit/text/visible-text.ts';
import {
  type ArgumentEntry,
  DEFINITION_FORMAT,
  type FieldEntry,
  type GraphqlDefinition,
  namedType,
  type TypeEntry,
} from './definition.ts';

export type GraphqlLibrary = typeof import('graphql');

const MAX_TYPES = 50_000;
const MAX_FIELDS = 500_000;
/** Real types nest lists twice or three times. */
const MAX_TYPE_TEXT = 300;
const MAX_ABOUT = 2000;
const MAX_DEFAULT = 2000;

const tooLarge = (): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', 'The schema is too large.', {
    suggestions: ['Give a schema file with the part that you need: the setting `schema`.'],
  });

type InputMember = Pick<
  GraphQLArgument,
  'name' | 'type' | 'description' | 'defaultValue' | 'deprecationReason'
>;

const aboutOf = (text: string | null | undefined): { readonly about?: string } => {
  const about = text?.trim() ?? '';
  return about === '' ? {} : { about: visibleBlock(about.slice(0, MAX_ABOUT)) };
};

const defaultOf = ({ defaultValue }: InputMember): { readonly default?: unknown } => {
  if (defaultValue === undefined) return {};
  const json = JSON.stringify(defaultValue);
  // One that is too long to show still makes the argument optional.
  return { default: json.length > MAX_DEFAULT ? null : (JSON.parse(json) as unknown) };
};

/** Keeps what is reached from the operations, once each. */
class Compaction {
  readonly #library: GraphqlLibrary;
  readonly #schema: GraphQLSchema;
  readonly #types = new Map<string, TypeEntry | undefined>();
  readonly #open: GraphQLNamedType[] = [];
  #fields = 0;

  constructor(schema: GraphQLSchema, library: GraphqlLibrary) {
    this.#schema = schema;
    this.#library = library;
  }

  run(): Readonly<Record<string, TypeEntry>> {
    const roots = [this.#schema.getQueryType(), this.#schema.getMutationType()];
    for (const root of roots) if (root) this.#reach(root);
    const isRoot = new Set<unknown>(roots);
    for (let type = this.#open.shift(); type; type = this.#open.shift()) {
      this.#types.set(type.name, this.#entry(type, isRoot.has(type)));
    }
    return Object.fromEntries(
      [...this.#types].flatMap(([name, entry]) => (entry ? [[name, entry]] : [])),
    );
  }

  #reach(type: GraphQLNamedType): void {
    if (this.#types.has(type.name) || type.name.startsWith('__')) return;
    if (this.#types.size >= MAX_TYPES) throw tooLarge();
    this.#types.set(type.name, undefined);
    this.#open.push(type);
  }

  #typeText(type: { toString(): string }): string {
    const text = String(type);
    if (text.length > MAX_TYPE_TEXT) {
      throw new ToolFailure('CONFIG_INVALID', 'The schema has a type that is nested too deep.');
    }
    const named = this.#schema.getType(namedType(text));
    if (named) this.#reach(named);
    return text;
  }

  #arguments(members: readonly InputMember[]): readonly ArgumentEntry[] {
    this.#count(members.length);
    return members
      .filter((member) => member.deprecationReason == null || this.#isNeeded(member))
      .map((member) => ({
        name: member.name,
        type: this.#typeText(member.type),
        ...aboutOf(member.description),
        ...defaultOf(member),
      }));
  }

  #isNeeded({ type, defaultValue }: InputMember): boolean {
    return this.#library.isNonNullType(type) && defaultValue === undefined;
  }

  #field(field: GraphQLField<unknown, unknown>, isOperation: boolean): FieldEntry {
    const args = this.#arguments(field.args);
    return {
      name: field.name,
      type: this.#typeText(field.type),
      ...(isOperation && aboutOf(field.description)),
      ...(args.length > 0 && { args }),
      ...(field.deprecationReason != null && { deprecated: true }),
    };
  }

  #count(fields: number): void {
    this.#fields += fields;
    if (this.#fields > MAX_FIELDS) throw tooLarge();
  }

  #names(types: readonly GraphQLNamedType[]): readonly string[] {
    for (const type of types) this.#reach(type);
    return types.map(({ name }) => name);
  }

  #entry(type: GraphQLNamedType, isRoot: boolean): TypeEntry {
    const { isObjectType, isInterfaceType, isUnionType, isEnumType, isInputObjectType } =
      this.#library;
    if (isObjectType(type) || isInterfaceType(type)) {
      const fields = Object.values(type.getFields());
      this.#count(fields.length);
      const interfaces = this.#names(type.getInterfaces());
      return {
        kind: isObjectType(type) ? 'object' : 'interface',
        fields: fields.map((field) => this.#field(field, isRoot)),
        ...(interfaces.length > 0 && { interfaces }),
        ...(isInterfaceType(type) && {
          possible: this.#names(this.#schema.getPossibleTypes(type)),
        }),
      };
    }
    if (isUnionType(type)) return { kind: 'union', possible: this.#names(type.getTypes()) };
    const about = aboutOf(type.description);
    if (isInputObjectType(type)) {
      const fields = this.#arguments(Object.values(type.getFields()));
      return { kind: 'input', fields, ...about, ...(type.isOneOf && { oneOf: true }) };
    }
    if (isEnumType(type)) {
      const values = type.getValues().filter(({ deprecationReason }) => deprecationReason == null);
      this.#count(values.length);
      return { kind: 'enum', values: values.map(({ name }) => name), ...about };
    }
    const url = type.specifiedByURL?.slice(0, MAX_ABOUT);
    return { kind: 'scalar', ...about, ...(url != null && { url: visibleBlock(url) }) };
  }
}

/** Fails with CONFIG_INVALID for a schema without queries, or one that is too large. */
export const compactSchema = (
  schema: GraphQLSchema,
  library: GraphqlLibrary,
): GraphqlDefinition => {
  const query = schema.getQueryType();
  if (!query) throw new ToolFailure('CONFIG_INVALID', 'The schema has no type for queries.');
  const mutation = schema.getMutationType();
  const subscriptions = Object.keys(schema.getSubscriptionType()?.getFields() ?? {});
  return {
    format: DEFINITION_FORMAT,
    query: query.name,
    ...(mutation && { mutation: mutation.name }),
    subscriptions: subscriptions.filter((name) => !isPrototypeKey(name)),
    types: new Compaction(schema, library).run(),
  };
};
