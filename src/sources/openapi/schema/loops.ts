/**
 * Finds schemas that come back to themselves without going down into the data, such as a base that lists
 * its variants under `oneOf` while each of them takes in the base by `allOf`. Taken by the letter, the
 * check of a value would never end, so no operation with such a schema could be called.
 */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Located, Resolver } from '../operations/resolver.ts';

const MAX_SCHEMAS = 500;
/** A longer list is not converted, so it leads nowhere. */
const MAX_BRANCHES = 100;

const UNIONS: readonly string[] = ['oneOf', 'anyOf'];
const ALL: readonly string[] = ['allOf', ...UNIONS];

export type Target = Readonly<Record<string, unknown>>;

const leadsBy = (
  keywords: readonly string[],
  from: Located,
  { target, resolver }: { readonly target: Target; readonly resolver: Resolver },
): boolean => {
  const seen = new Set<unknown>();
  const open = [from];
  for (let part = open.pop(); part; part = open.pop()) {
    const resolved = resolver.fields(part);
    if (resolved?.value === target) return true;
    if (seen.size >= MAX_SCHEMAS) return false;
    if (!resolved || seen.has(resolved.value)) continue;
    seen.add(resolved.value);
    const { value, address } = resolved;
    for (const keyword of keywords) {
      const list = value[keyword];
      if (!Array.isArray(list) || list.length > MAX_BRANCHES) continue;
      for (const inner of list as unknown[]) open.push({ value: inner, address, pointer: '' });
    }
  }
  return false;
};

/** Tells whether a part of `allOf` contains the schema that it is a part of. */
export const containsItself = (part: Located, target: Target, resolver: Resolver): boolean =>
  leadsBy(['allOf'], part, { target, resolver });

/** Tells whether a part of `allOf` has alternatives that lead back to the schema that it is a part of. */
export const listsItself = (part: Located, target: Target, resolver: Resolver): boolean =>
  leadsBy(ALL, part, { target, resolver });

/** Tells whether an alternative has the schema among its own alternatives. */
export const isOwnAlternative = (branch: Located, target: Target, resolver: Resolver): boolean =>
  leadsBy(UNIONS, branch, { target, resolver });

/** Gives what a schema is beside `null`: `nullable` is converted to these two alternatives. */
const withoutNull = (schema: JsonSchema): JsonSchema => {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || Object.keys(schema).length !== 1)
    return schema;
  const [inner, other] = anyOf as readonly unknown[];
  const isNull = isRecord(other) && other.type === 'null' && Object.keys(other).length === 1;
  // A reference is an alternative of the document itself: taken in, it could lead back for ever.
  return isNull && isRecord(inner) && inner.$ref === undefined ? inner : schema;
};

/** Leaves alternatives out of a converted schema, also of its parts. */
export const withoutUnions = (schema: JsonSchema): JsonSchema => {
  const { oneOf: _, anyOf: _1, allOf, ...rest } = withoutNull(schema);
  if (!Array.isArray(allOf)) return rest;
  const parts = allOf.filter(isRecord).map(withoutUnions);
  return { ...rest, allOf: parts };
};

const REFERENCE = /^#\/\$defs\/(.+)$/;

/** Lists the components that a converted schema refers to. */
export const referencesIn = (schema: JsonSchema): readonly string[] => {
  const names: string[] = [];
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    for (const [key, value] of Object.entries(node)) {
      const name =
        key === '$ref' && typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined;
      if (name === undefined) open.push(value);
      else names.push(name);
    }
  }
  return names;
};
