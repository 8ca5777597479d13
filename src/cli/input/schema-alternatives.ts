/** Looks into a JSON Schema for what a value at some place may be: references and unions included. */
import type { JsonSchema } from '../../contract/schema.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { ownValue } from '../../kit/data/own-value.ts';

/** Recursive schemas end here. */
const MAX_STEPS = 200;

/** `#/$defs/name`; anything that leaves the document is not followed. */
const follow = (pointer: unknown, root: JsonSchema): JsonSchema | undefined => {
  if (typeof pointer !== 'string' || !pointer.startsWith('#')) return undefined;
  let found: unknown = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    found = isRecord(found) ? ownValue(found, key) : undefined;
  }
  return isRecord(found) ? found : undefined;
};

/** The schema with everything it refers to or unites, in the order written. */
export const alternativesOf = (schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] => {
  const found: JsonSchema[] = [];
  const open: JsonSchema[] = [schema];
  while (open.length > 0 && found.length < MAX_STEPS) {
    const next = open.shift();
    if (next === undefined || found.includes(next)) continue;
    found.push(next);
    const target = follow(ownValue(next, '$ref'), root);
    if (target) open.push(target);
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      const list = ownValue(next, key);
      if (Array.isArray(list)) open.push(...list.filter(isRecord));
    }
  }
  return found;
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

/** True when a property of just this name is declared. */
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

/** The values of `const` and `enum`. */
export const fixedValues = (schemas: readonly JsonSchema[]): readonly unknown[] =>
  schemas.flatMap((schema) => {
    const list = ownValue(schema, 'enum');
    return [
      ...(Object.hasOwn(schema, 'const') ? [schema.const] : []),
      ...(Array.isArray(list) ? (list as readonly unknown[]) : []),
    ];
  });

/** JSON Schema type names the value may have; empty when the schema does not say. */
export const typesOf = (schemas: readonly JsonSchema[]): ReadonlySet<string> =>
  new Set([
    ...schemas.flatMap((schema) => {
      const type = ownValue(schema, 'type');
      return Array.isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : [];
    }),
    ...fixedValues(schemas).map(kindOf),
  ]);
