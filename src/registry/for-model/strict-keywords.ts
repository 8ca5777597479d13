/** The keywords of OpenAI's strict dialect by type, and the types that a schema allows. */
import { isRecord } from '../../kit/data/is-record.ts';
import type { SchemaNode } from './definition.ts';

const NUMBER = ['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const KEPT: Readonly<Record<string, readonly string[]>> = {
  string: ['pattern', 'format'],
  number: NUMBER,
  integer: NUMBER,
  array: ['minItems', 'maxItems'],
};
const FORMATS = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);
const ALWAYS = ['type', 'description', 'title', 'enum'];
/** Handled elsewhere, or without meaning for a model: dropping them is no loss. */
const SILENT = new Set([
  ...['properties', 'required', 'additionalProperties', 'items', 'const', 'nullable'],
  ...['$schema', '$id', '$anchor', '$dynamicAnchor', '$comment', '$defs', 'definitions'],
  ...['examples', 'example', 'deprecated', 'readOnly', 'writeOnly'],
]);

/** Lists the types a schema allows, derived from its values or keywords where it has no `type`; none for any type. */
export const jsonTypes = (schema: SchemaNode): readonly string[] => {
  const types = new Set(declaredTypes(schema));
  if (schema.nullable === true && types.size > 0) types.add('null');
  return [...types];
};

const declaredTypes = (schema: SchemaNode): readonly string[] => {
  if (typeof schema.type === 'string') return [schema.type];
  if (Array.isArray(schema.type)) return schema.type.map(String);
  if (Object.hasOwn(schema, 'const')) return [typeOfValue(schema.const)];
  if (Array.isArray(schema.enum)) return schema.enum.map(typeOfValue);
  if (isRecord(schema.properties)) return ['object'];
  return schema.items === undefined && schema.prefixItems === undefined ? [] : ['array'];
};

const typeOfValue = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

/** Splits a schema into the keywords that stay and those that are lost. */
export const keepKeywords = (schema: SchemaNode) => {
  const types = [schema.type].flat().map(String);
  const allowed = new Set([...ALWAYS, ...types.flatMap((type) => KEPT[type] ?? [])]);
  const keywords: Record<string, unknown> = {};
  const lost: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const isKnownFormat = keyword !== 'format' || FORMATS.has(String(value));
    if (allowed.has(keyword) && isKnownFormat) keywords[keyword] = value;
    else if (!SILENT.has(keyword)) lost.push(keyword);
  }
  if (Object.hasOwn(schema, 'const')) keywords.enum = [schema.const];
  return { supported: keywords as SchemaNode, lost };
};

/** Makes a schema that accepts null as well. */
export const orNull = (schema: SchemaNode): SchemaNode => {
  const { type, anyOf, enum: values } = schema;
  if (Array.isArray(anyOf)) {
    const hasNull = anyOf.some((branch) => isRecord(branch) && branch.type === 'null');
    return hasNull ? schema : { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  }
  if (type === undefined || type === 'object' || type === 'array') {
    return { anyOf: [schema, { type: 'null' }] };
  }
  return {
    ...schema,
    type: [...new Set([type, 'null'].flat())],
    ...(Array.isArray(values) && { enum: [...new Set([...values, null])] }),
  };
};
