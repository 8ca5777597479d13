/** The values that a schema allows where it lists them with `enum` or `const`. Others are unknown. */
import type { JsonSchema } from '../../../contract/schema.ts';

/** A value that can be compared by itself. */
export type PlainValue = string | number | boolean | null;

const MAX_SHOWN = 20;

export const isPlainValue = (value: unknown): value is PlainValue =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

export const jsonType = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
};

/** Lists what a simplified schema allows; nothing where it names no values. */
export const valuesOf = ({ enum: values }: JsonSchema): readonly PlainValue[] | undefined =>
  Array.isArray(values) ? values.filter(isPlainValue) : undefined;

/** Reads `enum` and `const` of a schema. A list that holds objects is unknown. */
export const declaredValues = (schema: JsonSchema): readonly PlainValue[] | undefined => {
  const lists = [
    ...('const' in schema ? [[schema.const]] : []),
    ...(Array.isArray(schema.enum) ? [schema.enum as readonly unknown[]] : []),
  ];
  const [list] = lists;
  if (!list?.every(isPlainValue)) return undefined;
  return schema.nullable === true ? [...new Set([...list, null])] : list;
};

/** Lists the values that both lists allow; a list that is absent allows all. */
export const commonValues = (
  one: readonly PlainValue[] | undefined,
  other: readonly PlainValue[] | undefined,
): readonly PlainValue[] | undefined =>
  one && other ? one.filter((value) => other.includes(value)) : (one ?? other);

/** Lists the values of schemas of which one has to hold; nothing where one of them names none. */
export const valuesOfEither = (
  schemas: readonly JsonSchema[],
): readonly PlainValue[] | undefined => {
  const lists = schemas.map((schema) =>
    String(schema.type) === 'null' ? [null] : valuesOf(schema),
  );
  return lists.some((list) => list === undefined)
    ? undefined
    : [...new Set(lists.flatMap((list) => list ?? []))];
};

/** Quotes the values of a schema. */
export const valuesText = (values: readonly PlainValue[]): string => {
  const shown = values.slice(0, MAX_SHOWN).map((value) => JSON.stringify(value));
  const list = values.length > shown.length ? `${shown.join(', ')}, …` : shown.join(', ');
  return values.length === 1 ? list : `one of ${list}`;
};
