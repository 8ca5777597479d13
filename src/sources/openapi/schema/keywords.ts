/**
 * Copies the keywords of a schema that hold no schemas, each only where its value is what JSON Schema
 * 2020-12 asks for: one wrong value would keep the whole tool from being compiled.
 */
import type { Fields } from '../operations/definition.ts';

const TYPES: ReadonlySet<unknown> = new Set([
  ...['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'],
]);
const COUNTS = [
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ...['minContains', 'maxContains'],
] as const;
const TEXTS = ['format', 'contentEncoding', 'contentMediaType'] as const;
const BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

const MAX_ENUM = 300;
const MAX_ENUM_TEXT = 8_000;
const MAX_PATTERN = 1_000;
const MAX_FORMAT = 60;

const isCount = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value);

/** Look-around and back-references, which no engine runs in linear time. */
const UNSAFE = /\(\?<?[=!]|\\[1-9]|\\k</;
/** Properties of characters that the linear engine does not know: all but the general categories. */
const PROPERTY = /\\p\{(?![LMNPSZC][a-z]?\})/i;
/** Repetitions that make a compiled pattern large. */
const LARGE = /\{\d{4,}|,\d{4,}\}/;

/** Says whether a pattern can be run in linear time. */
export const isSafePattern = (pattern: unknown): pattern is string => {
  if (typeof pattern !== 'string' || pattern.length > MAX_PATTERN) return false;
  if (UNSAFE.test(pattern) || LARGE.test(pattern) || PROPERTY.test(pattern)) return false;
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
};

/** The types that a schema allows; an unknown one says nothing. */
export const typesOf = (type: unknown): string | readonly string[] | undefined => {
  if (TYPES.has(type)) return type as string;
  if (type === 'file') return 'string';
  if (!Array.isArray(type)) return undefined;
  const known = [...new Set(type.filter((one) => TYPES.has(one)) as string[])];
  if (known.length === 0 || known.length < type.length) return undefined;
  return known.length === 1 ? known[0] : known;
};

const boundsOf = (schema: Fields): Fields => {
  const bounds: Record<string, number> = {};
  for (const [inclusive, exclusive] of BOUNDS) {
    const bound = schema[inclusive];
    // Of OpenAPI 3.0, where it is a switch.
    if (schema[exclusive] === true && isNumber(bound)) bounds[exclusive] = bound;
    else if (isNumber(bound)) bounds[inclusive] = bound;
    if (isNumber(schema[exclusive])) bounds[exclusive] = schema[exclusive];
  }
  return bounds;
};

const isSmallEnum = (values: readonly unknown[]): boolean => {
  if (values.length > MAX_ENUM) return false;
  let text = 0;
  for (const value of values) {
    if (typeof value === 'object' && value !== null) return false;
    text += String(value).length;
  }
  return text <= MAX_ENUM_TEXT;
};

const isOfType = (value: unknown, type: string): boolean => {
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
};

/** Beside a type that none of its values has, an `enum` would leave no value at all: a mistake of the document. */
const isPossible = (values: readonly unknown[], type: unknown): boolean => {
  const types = [typesOf(type) ?? []].flat();
  return types.length === 0 || values.some((value) => types.some((one) => isOfType(value, one)));
};

/** `note` is what a reader should know of an `enum` that cannot be listed, or is too long for it. */
export const enumOf = ({
  enum: values,
  type,
}: Fields): { readonly values?: readonly unknown[]; readonly note?: string } => {
  if (!Array.isArray(values) || values.length === 0) return {};
  if (!isSmallEnum(values) || !isPossible(values, type))
    return { note: `One of ${values.length} values, e.g. ${String(values[0]).slice(0, 60)}.` };
  return { values: [...new Set(values as unknown[])] };
};

export const plainKeywords = (schema: Fields): Record<string, unknown> => {
  const copy: Record<string, unknown> = {};
  const type = typesOf(schema.type);
  if (type !== undefined) copy.type = type;
  for (const key of COUNTS) if (isCount(schema[key])) copy[key] = schema[key];
  for (const key of TEXTS) {
    const text = schema[key];
    if (typeof text === 'string' && text.length <= MAX_FORMAT) copy[key] = text;
  }
  if (isNumber(schema.multipleOf) && schema.multipleOf > 0) copy.multipleOf = schema.multipleOf;
  if (schema.uniqueItems === true) copy.uniqueItems = true;
  if (isSafePattern(schema.pattern)) copy.pattern = schema.pattern;
  const { const: constant } = schema;
  if (constant !== undefined && (typeof constant !== 'object' || constant === null)) {
    copy.const = constant;
  }
  return Object.assign(copy, boundsOf(schema));
};
