/** Finds the field of a schema as the document describes it, through references and `allOf`. */
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Located, Resolver } from '../operations/resolver.ts';

const MAX_DEPTH = 10;
const MAX_SCHEMAS = 1_000;

/** Gives `undefined` where no part of the schema describes the field. */
export const findProperty = (
  schema: Located,
  name: string,
  resolver: Resolver,
): Located | undefined => {
  const seen = new Set<unknown>();
  const find = (part: Located, depth: number): Located | undefined => {
    const resolved = depth > MAX_DEPTH ? undefined : resolver.fields(part);
    // Parts that share parts would double the work at every level.
    if (!resolved || seen.has(resolved.value) || seen.size >= MAX_SCHEMAS) return undefined;
    seen.add(resolved.value);
    const { value, address } = resolved;
    const { properties, allOf } = value;
    if (isRecord(properties) && Object.hasOwn(properties, name)) {
      return { value: properties[name], address, pointer: '' };
    }
    for (const inner of Array.isArray(allOf) ? (allOf as unknown[]) : []) {
      const found = find({ value: inner, address, pointer: '' }, depth + 1);
      if (found) return found;
    }
    return undefined;
  };
  return find(schema, 0);
};
