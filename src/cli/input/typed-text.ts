/** Turns the text of `key=value` into what the tool's schema asks for. */
import type { JsonSchema } from '../../contract/schema.ts';
import { findJsonFault } from './find-json-fault.ts';
import { fixedValues, itemsOf, typesOf } from './schema-alternatives.ts';

const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** `5` is a number and `007` is not, where both a number and a string would do. */
const readNumber = (text: string, strict: boolean): number | undefined => {
  if (!NUMBER.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) && (!strict || String(value) === text) ? value : undefined;
};

const readJson = (text: string, bracket: string): { readonly value: unknown } | undefined =>
  text.trimStart().startsWith(bracket) && findJsonFault(text) === undefined
    ? { value: JSON.parse(text) as unknown }
    : undefined;

const readScalar = (
  text: string,
  types: ReadonlySet<string>,
): { readonly value: unknown } | undefined => {
  if (types.has('null') && text === 'null') return { value: null };
  if (types.has('boolean') && (text === 'true' || text === 'false'))
    return { value: text === 'true' };
  if (types.has('number') || types.has('integer')) {
    const value = readNumber(text, types.has('string'));
    if (value !== undefined) return { value };
  }
  return undefined;
};

/**
 * The value a text stands for. What does not fit stays text, so that the validation of the tool
 * says what was wanted.
 */
export const typedText = (
  text: string,
  schemas: readonly JsonSchema[],
  root: JsonSchema,
): unknown => {
  const fixed = fixedValues(schemas).find((value) => String(value) === text);
  if (fixed !== undefined) return fixed;
  const types = typesOf(schemas);
  const found =
    readScalar(text, types) ??
    (types.has('array') ? readJson(text, '[') : undefined) ??
    (types.has('object') ? readJson(text, '{') : undefined);
  if (found) return found.value;
  if (!types.has('array') || types.has('string')) return text;
  return typedList(text === '' ? [] : text.split(','), schemas, root);
};

export const typedList = (
  texts: readonly string[],
  schemas: readonly JsonSchema[],
  root: JsonSchema,
): readonly unknown[] => {
  const items = itemsOf(schemas, root);
  return texts.map((text) => typedText(text, items, root));
};
