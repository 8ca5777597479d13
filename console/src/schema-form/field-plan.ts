/** Decides by which control a value of a schema is entered. What has no control is entered as JSON. */
import { isRecord } from '../api/is-record.ts';
import type { JsonSchema } from '../api/tool-records.ts';
import { asSchema, resolveSchema } from './resolve-schema.ts';

export interface PlannedProperty {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

export type FieldPlan =
  | { readonly kind: 'object'; readonly properties: readonly PlannedProperty[] }
  | { readonly kind: 'array'; readonly items: JsonSchema }
  | { readonly kind: 'choice'; readonly options: readonly unknown[] }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'number'; readonly isInteger: boolean }
  | { readonly kind: 'text'; readonly isLong: boolean }
  | {
      readonly kind: 'union';
      readonly branches: readonly { readonly title: string; readonly schema: JsonSchema }[];
    }
  | { readonly kind: 'json' };

/** What may be as long as this is a text of its own; names, addresses and paths are held shorter. */
const LONG = 10_000;
const LONG_NAMES = /^(content|body|code|script|text|patch|diff|source|message|html|markdown|sql)$/i;

const titleOf = (schema: JsonSchema, index: number): string => {
  if (typeof schema.title === 'string') return schema.title;
  const tag = Object.entries(asSchema(schema.properties)).find(
    ([, property]) => isRecord(property) && 'const' in property,
  );
  if (tag) return `${tag[0]}: ${String(asSchema(tag[1]).const)}`;
  return typeof schema.type === 'string' ? schema.type : `Option ${index + 1}`;
};

const unionPlan = (branches: readonly unknown[], root: JsonSchema): FieldPlan => ({
  kind: 'union',
  branches: branches.map((branch, index) => {
    const schema = resolveSchema(asSchema(branch), root);
    return { title: titleOf(schema, index), schema };
  }),
});

const objectPlan = (schema: JsonSchema): FieldPlan => {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const properties = Object.entries(asSchema(schema.properties)).map(([name, property]) => ({
    name,
    schema: asSchema(property),
    isRequired: required.has(name),
  }));
  const isOpen = properties.length === 0 && schema.additionalProperties !== false;
  return isOpen ? { kind: 'json' } : { kind: 'object', properties };
};

const textPlan = (schema: JsonSchema, name: string): FieldPlan => ({
  kind: 'text',
  isLong:
    LONG_NAMES.test(name) ||
    typeof schema.contentMediaType === 'string' ||
    (typeof schema.maxLength === 'number' && schema.maxLength >= LONG),
});

const typedPlan = (schema: JsonSchema, name: string): FieldPlan => {
  switch (schema.type ?? (isRecord(schema.properties) ? 'object' : undefined)) {
    case 'object':
      return objectPlan(schema);
    case 'array':
      return isRecord(schema.items) ? { kind: 'array', items: schema.items } : { kind: 'json' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'number':
      return { kind: 'number', isInteger: false };
    case 'integer':
      return { kind: 'number', isInteger: true };
    case 'string':
      return textPlan(schema, name);
    default:
      return { kind: 'json' };
  }
};

/** Plans a field. `schema` is resolved already; `name` is that of the field. */
export const planField = (schema: JsonSchema, root: JsonSchema, name = ''): FieldPlan => {
  if ('const' in schema) return { kind: 'choice', options: [schema.const] };
  if (Array.isArray(schema.enum)) return { kind: 'choice', options: schema.enum };
  const branches = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(branches) && branches.length > 0) {
    if (branches.every((branch) => isRecord(branch) && 'const' in branch)) {
      return { kind: 'choice', options: branches.map((branch) => asSchema(branch).const) };
    }
    return unionPlan(branches, root);
  }
  if (Array.isArray(schema.type)) {
    return unionPlan(
      schema.type.map((type: unknown) => ({ ...schema, type })),
      root,
    );
  }
  return typedPlan(schema, name);
};
