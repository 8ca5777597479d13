/** Names of input fields, and whether the fields of an object can be taken out of it. */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { isPrototypeKey } from '../../../kit/data/prototype-key.ts';

export const MAX_FIELD = 64;

/** Makes a name that every model client accepts: 1 to 64 letters, digits, `_`, `.` and `-`. */
export const fieldName = (name: string): string => {
  const usable = name
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^_+(?=[A-Za-z0-9])/, name.startsWith('_') ? '_' : '')
    .replace(/(?<=[A-Za-z0-9])_+$/, name.endsWith('_') ? '_' : '')
    .slice(0, MAX_FIELD);
  if (usable === '' || isPrototypeKey(usable)) return `${usable}_field`;
  return usable;
};

/** Tells whether a schema is an object with fields and has no other constraint on the object. */
export const isFieldsOnly = (schema: JsonSchema): boolean =>
  schema.type === 'object' &&
  isRecord(schema.properties) &&
  Object.keys(schema.properties).length > 0 &&
  Object.keys(schema).every((key) => FIELDS_ONLY.has(key)) &&
  (schema.additionalProperties === undefined || schema.additionalProperties === false);

const FIELDS_ONLY: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'description', 'additionalProperties'],
]);
