/** Finds what the document says of one field of a schema, through references and `allOf`. */
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Located, Resolver } from '../operations/resolver.ts';

const MAX_DEPTH = 10;
const MAX_SCHEMAS = 100;

/** Gives a schema for each part that describes the field: a base may, and a variant that narrows it. */
export const findProperties = (
  schema: Located,
  name: string,
  resolver: Resolver,
): readonly Located[] => {
  const parts: Located[] = [];
  const seen = new Set<unknown>();
  const visit = (part: Located, depth: number): void => {
    const resolved = depth > MAX_DEPTH ? undefined : resolver.fields(part);
    // Parts that share parts would double the work at every level.
    if (!resolved || seen.has(resolved.value) || seen.size >= MAX_SCHEMAS) return;
    seen.add(resolved.value);
    const { value, address } = resolved;
    const { properties, allOf } = value;
    if (isRecord(properties) && Object.hasOwn(properties, name)) {
      parts.push({ value: properties[name], address, pointer: '' });
    }
    for (const inner of Array.isArray(allOf) ? (allOf as unknown[]).slice(0, MAX_SCHEMAS) : []) {
      visit({ value: inner, address, pointer: '' }, depth + 1);
    }
  };
  visit(schema, 0);
  return parts;
};
