/** A schema with its local references followed and its `allOf` parts laid over one another. */
import { isRecord } from '../api/is-record.ts';
import type { JsonSchema } from '../api/tool-records.ts';

/** Longer chains of references lead nowhere. */
const MAX_STEPS = 16;

export const asSchema = (value: unknown): JsonSchema => (isRecord(value) ? value : {});

/** Finds what `#/a/b` names; `undefined` for other addresses. */
const lookUp = (ref: string, root: JsonSchema): unknown => {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  const keys = ref.slice(2).split('/');
  return keys.reduce<unknown>((at, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    return isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }, root);
};

const follow = (schema: JsonSchema, root: JsonSchema): JsonSchema => {
  let at = schema;
  for (let step = 0; step < MAX_STEPS && typeof at.$ref === 'string'; step++) {
    const { $ref, ...beside } = at;
    at = { ...asSchema(lookUp($ref as string, root)), ...beside };
  }
  return at;
};

const namesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const merge = (a: JsonSchema, b: JsonSchema): JsonSchema => {
  const properties = { ...asSchema(a.properties), ...asSchema(b.properties) };
  const required = [...namesOf(a.required), ...namesOf(b.required)];
  return {
    ...a,
    ...b,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
};

export const resolveSchema = (schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema => {
  const { allOf, ...own } = follow(schema, root);
  if (!Array.isArray(allOf) || depth > MAX_STEPS) return own;
  return allOf
    .map((part) => resolveSchema(asSchema(part), root, depth + 1))
    .reduce((whole, part) => merge(whole, part), own);
};
