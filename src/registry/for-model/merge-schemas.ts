/** Puts the object schemas of a combination into one, for dialects that know no combinations. */

import { isRecord } from '../../kit/data/is-record.ts';
import { membersOf, type SchemaNode, stringsOf } from './definition.ts';

/** Every one holds: all fields, and required is what any of them requires. */
export const mergeAll = (parts: readonly SchemaNode[]): SchemaNode => ({
  ...Object.assign({}, ...parts),
  ...fieldsOf(parts, (name) => parts.some((part) => stringsOf(part.required).includes(name))),
});

/** One of them holds: all fields, and required is only what all of them require. */
export const mergeAny = (parts: readonly SchemaNode[]): SchemaNode => ({
  type: 'object',
  ...fieldsOf(parts, (name) => parts.every((part) => stringsOf(part.required).includes(name))),
});

const fieldsOf = (parts: readonly SchemaNode[], isRequired: (name: string) => boolean) => {
  const properties = new Map<string, unknown>();
  for (const [name, schema] of parts.flatMap((part) => membersOf(part.properties))) {
    const before = properties.get(name);
    properties.set(name, before === undefined ? schema : either(before, schema));
  }
  const required = new Set(parts.flatMap((part) => stringsOf(part.required)).filter(isRequired));
  return {
    properties: Object.fromEntries(properties),
    ...(required.size > 0 && { required: [...required] }),
  };
};

/** A schema that takes what either takes. Two that differ only in wording count as one. */
const either = (a: unknown, b: unknown): unknown => {
  if (!isRecord(a) || !isRecord(b)) return a;
  const [valuesA, valuesB] = [valuesOf(a), valuesOf(b)];
  if (valuesA && valuesB) {
    const { const: _const, ...rest } = a;
    return { ...rest, enum: [...new Set([...valuesA, ...valuesB])] };
  }
  const branches = Array.isArray(a.anyOf) && Object.keys(a).length === 1 ? a.anyOf : [a];
  if (branches.some((branch) => sameShape(branch, b))) return a;
  return { anyOf: [...branches, b] };
};

const valuesOf = (schema: SchemaNode): readonly unknown[] | undefined => {
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
};

const sameShape = (a: unknown, b: unknown): boolean => unworded(a) === unworded(b);

const unworded = (schema: unknown): string => {
  if (!isRecord(schema)) return JSON.stringify(schema);
  const { description: _description, title: _title, ...rest } = schema;
  return JSON.stringify(rest);
};
