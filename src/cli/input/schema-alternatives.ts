/** Lists what a value may be according to its JSON Schema, references and unions included. */
import type { JsonSchema } from '../../contract/schema.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { ownValue } from '../../kit/data/own-value.ts';

/** Limits the walk through recursive schemas. */
const MAX_STEPS = 200;

/** Follows a pointer such as `#/$defs/name`, never out of the document. */
const follow = (pointer: unknown, root: JsonSchema): JsonSchema | undefined => {
  if (typeof pointer !== 'string' || !pointer.startsWith('#')) return undefined;
  let node: unknown = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    node = isRecord(node) ? ownValue(node, key) : undefined;
  }
  return isRecord(node) ? node : undefined;
};

/** Lists the schema and every schema that it refers to or unites, in the order written. */
export const alternativesOf = (schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] => {
  const alternatives: JsonSchema[] = [];
  const open: JsonSchema[] = [schema];
  while (open.length > 0 && alternatives.length < MAX_STEPS) {
    const next = open.shift();
    if (next === undefined || alternatives.includes(next)) continue;
    alternatives.push(next);
    const target = follow(ownValue(next, '$ref'), root);
    if (target) open.push(target);
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      const list = ownValue(next, key);
      if (Array.isArray(list)) open.push(...list.filter(isRecord));
    }
  }
  return alternatives;
};

export const propertyOf = (
  schemas: readonly JsonSchema[],
  name: string,
  root: JsonSchema,
): readonly JsonSchema[] =>
  schemas.flatMap((schema) => {
    const properties = ownValue(schema, 'properties');
    const named = isRecord(properties) ? ownValue(properties, name) : undefined;
    const child = named ?? ownValue(schema, 'additionalProperties');
    return isRecord(child) ? alternativesOf(child, root) : [];
  });

/** Tells whether a property of exactly this name is declared. */
export const declares = (schemas: readonly JsonSchema[], name: string): boolean =>
  schemas.some((schema) => {
    const properties = ownValue(schema, 'properties');
    return isRecord(properties) && Object.hasOwn(properties, name);
  });

export const itemsOf = (schemas: readonly JsonSchema[], root: JsonSchema): readonly JsonSchema[] =>
  schemas.flatMap((schema) => {
    const items = ownValue(schema, 'items');
    return isRecord(items) ? alternativesOf(items, root) : [];
  });

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** Lists the values of `const` and `enum`. */
export const fixedValues = (schemas: readonly JsonSchema[]): readonly unknown[] =>
  schemas.flatMap((schema) => {
    const list = ownValue(schema, 'enum');
    return [
      ...(Object.hasOwn(schema, 'const') ? [schema.const] : []),
      ...(Array.isArray(list) ? (list as readonly unknown[]) : []),
    ];
  });

/** Lists the type names that the value may have; none when the schema does not say. */
export const typesOf = (schemas: readonly JsonSchema[]): ReadonlySet<string> =>
  new Set([
    ...schemas.flatMap((schema) => {
      const type = ownValue(schema, 'type');
      return Array.isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : [];
    }),
    ...fixedValues(schemas).map(kindOf),
  ]);
