/**
 * Tells schemas of other libraries, and fields without a schema around them, from JSON Schemas. JSON
 * Schema ignores keywords that it does not know: read as one, they would let every input pass.
 */
import { isRecord } from './is-record.ts';

interface Standard {
  readonly vendor?: unknown;
  readonly validate?: unknown;
}

/** Ignores a hidden `~standard`: Zod adds one to each JSON Schema that it makes. */
const standardOf = (schema: object): Standard =>
  Object.getOwnPropertyDescriptor(schema, '~standard')?.enumerable === false
    ? {}
    : (Object(Reflect.get(schema, '~standard')) as Standard);

/**
 * Recognizes a schema by its functions: JSON has none, whatever its fields are called. Schemas of ArkType
 * are functions themselves.
 */
const isLibrarySchema = (value: unknown): value is object =>
  (typeof value === 'function' || isRecord(value)) &&
  (typeof Reflect.get(value, 'safeParse') === 'function' ||
    typeof standardOf(value).validate === 'function');

const vendorOf = (schema: object): string => {
  const { vendor } = standardOf(schema);
  return vendor === 'valibot' || vendor === 'arktype' ? vendor : 'another library';
};

const holdsSchemas = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).some(isLibrarySchema);

/**
 * Says why a schema is neither one of Zod 4 nor a JSON Schema, or nothing. A function that makes one is not
 * called.
 */
export const foreignSchemaFault = (source: object): string | undefined => {
  if (isLibrarySchema(source)) {
    if ('_zod' in source) return undefined;
    const vendor = 'parse' in source ? 'Zod 3' : vendorOf(source);
    return `has to be a schema of Zod 4 or a JSON Schema; this is one of ${vendor}`;
  }
  if (holdsSchemas(source)) return 'has schemas as its fields; wrap them: z.strictObject({ … })';
  if (holdsSchemas(Reflect.get(source, 'properties'))) {
    return 'mixes JSON Schema and schemas of a library; use one of them';
  }
  return undefined;
};

/** Keywords that say what a value is. One of them stands in every schema that checks anything. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['$schema', '$ref', '$dynamicRef', '$defs', '$id', 'definitions', 'description', 'title'],
  ...['type', 'enum', 'const', 'properties', 'patternProperties', 'additionalProperties'],
  ...['required', 'propertyNames', 'minProperties', 'maxProperties', 'unevaluatedProperties'],
  ...['dependentRequired', 'dependentSchemas', 'dependencies', 'items', 'prefixItems', 'contains'],
  ...['minItems', 'maxItems', 'uniqueItems', 'pattern', 'format', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'default', 'examples'],
]);

const isTyped = (value: unknown): boolean =>
  isRecord(value) && (typeof value.type === 'string' || Array.isArray(value.enum));

/** Says that a JSON Schema is a list of fields without the object around them, or nothing. */
export const bareFieldsFault = (source: object): string | undefined => {
  const names = Object.keys(source);
  const isBare =
    !isLibrarySchema(source) &&
    names.length > 0 &&
    !names.some((name) => KEYWORDS.has(name)) &&
    Object.values(source).every(isTyped);
  return isBare ? "has fields alone; write { type: 'object', properties: { … } }" : undefined;
};
