/**
 * Copies the keywords of a schema that hold no schemas, each only where its value is what JSON Schema
 * 2020-12 asks for: one wrong value would keep the whole tool from being compiled.
 */
import type { Fields } from '../operations/definition.ts';
import { shortText } from '../operations/short-text.ts';

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

/** Returns the types that a schema allows; an unknown one says nothing. */
export const typesOf = (type: unknown): string | readonly string[] | undefined => {
  if (TYPES.has(type)) return type as string;
  if (type === 'file') return 'string';
  if (!Array.isArray(type)) return undefined;
  const types = [...new Set(type.filter((one) => TYPES.has(one)) as string[])];
  if (types.length === 0 || types.length < type.length) return undefined;
  return types.length === 1 ? types[0] : types;
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

/** A number as JSON writes it: no other text becomes a number without a guess. */
const NUMERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Gives a value in the type beside it where only its quotes are wrong: `1` for a string, `"1"` for a number. */
const asType = (value: unknown, types: readonly string[]): unknown => {
  if (types.includes('string') && isNumber(value)) return String(value);
  if (typeof value !== 'string' || !NUMERAL.test(value)) return undefined;
  const number = Number(value);
  // A numeral of too many digits, or one that is written in another way, stands for another value.
  return String(number) === value ? number : undefined;
};

/**
 * Returns the values of an `enum` that fit its type, `undefined` to leave the `enum` out. One without a
 * fitting value is a mistake of the document (mostly quotes in YAML), and would allow no call; the API still
 * checks the value.
 */
const possibleValues = (
  values: readonly unknown[],
  type: unknown,
): readonly unknown[] | undefined => {
  const types = [typesOf(type) ?? []].flat();
  const fits = (value: unknown): boolean => types.some((one) => isOfType(value, one));
  if (types.length === 0 || values.some(fits)) return values;
  const converted = values.map((value) => asType(value, types));
  return converted.every((value) => value !== undefined && fits(value)) ? converted : undefined;
};

const MAX_NOTE = 160;
const MAX_NOTED = 20;

/** Names the values as far as they fit into a description. */
const enumNote = (values: readonly unknown[]): string => {
  const texts = values.slice(0, MAX_NOTED).map((value) => shortText(String(value), 60));
  const all = `One of: ${texts.join(', ')}.`;
  const isWhole = values.length <= MAX_NOTED && all.length <= MAX_NOTE;
  return isWhole ? all : `One of ${values.length} values, e.g. ${texts[0] ?? ''}.`;
};

/** Returns the `enum`, or a `note` for the description where it cannot be listed or is too long. */
export const enumOf = ({
  enum: values,
  type,
}: Fields): { readonly values?: readonly unknown[]; readonly note?: string } => {
  if (!Array.isArray(values) || values.length === 0) return {};
  const possible = isSmallEnum(values) ? possibleValues(values, type) : undefined;
  return possible ? { values: [...new Set(possible)] } : { note: enumNote(values) };
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
  if (constant !== undefined && isSmallEnum([constant])) copy.const = constant;
  return Object.assign(copy, boundsOf(schema));
};
