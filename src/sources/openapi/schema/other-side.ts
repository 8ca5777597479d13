/**
 * Finds the fields that are for the other side only: those that only the server sets (`readOnly`), in a
 * request, or never shows (`writeOnly`), in a response.
 */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Located, Resolver } from '../operations/resolver.ts';
import type { Side } from './converted.ts';

const MAX_DEPTH = 10;
const MAX_SCHEMAS = 1_000;

const MARKS: Readonly<Record<Side, string>> = { request: 'readOnly', response: 'writeOnly' };

/** Tells whether a field is marked: beside its reference, in what that leads to, or in a part of `allOf`. */
export const isOfOtherSide = (field: Located, side: Side, resolver: Resolver): boolean => {
  const mark = MARKS[side];
  const isMarked = (part: Located): boolean => {
    if (isRecord(part.value) && part.value[mark] === true) return true;
    return resolver.fields(part)?.value[mark] === true;
  };
  if (isMarked(field)) return true;
  const { value, address } = resolver.fields(field) ?? field;
  const { allOf } = isRecord(value) ? value : {};
  return (
    Array.isArray(allOf) &&
    allOf.slice(0, MAX_DEPTH).some((part) => isMarked({ value: part, address, pointer: '' }))
  );
};

/** Collects the marked fields of a schema, through references and `allOf`. */
export const fieldsOfOtherSide = (
  schema: Located,
  side: Side,
  resolver: Resolver,
): ReadonlySet<string> => {
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (part: Located, depth: number): void => {
    const resolved = depth > MAX_DEPTH ? undefined : resolver.fields(part);
    if (!resolved || seen.has(resolved.value) || seen.size >= MAX_SCHEMAS) return;
    seen.add(resolved.value);
    const { value, address } = resolved;
    const at = (inner: unknown): Located => ({ value: inner, address, pointer: '' });
    for (const [name, field] of isRecord(value.properties)
      ? Object.entries(value.properties)
      : []) {
      if (isOfOtherSide(at(field), side, resolver)) found.add(name);
    }
    const { allOf } = value;
    for (const inner of Array.isArray(allOf) ? (allOf as unknown[]) : [])
      visit(at(inner), depth + 1);
  };
  visit(schema, 0);
  return found;
};

/** Leaves fields out of an object: they are neither described nor required. */
export const withoutFields = (schema: JsonSchema, names: ReadonlySet<string>): JsonSchema => {
  if (names.size === 0) return schema;
  const { properties, required, ...rest } = schema;
  const kept = isRecord(properties)
    ? Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name)))
    : undefined;
  const needed = ((required ?? []) as readonly string[]).filter((name) => !names.has(name));
  return {
    ...rest,
    ...(kept && { properties: kept }),
    ...(needed.length > 0 && { required: needed }),
  };
};
