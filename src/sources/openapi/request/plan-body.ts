/**
 * Plans the fields of a body. The fields of an object stand beside the parameters where no two have one
 * name; every other body is one field, `body`.
 */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Converted } from '../schema/converted.ts';
import { findProperties } from '../schema/find-properties.ts';
import { mergeAllOf } from '../schema/merge-all-of.ts';
import type { SchemaBook } from '../schema/schema-book.ts';
import { type Body, type Files, fileField } from './body.ts';
import { fieldName, isFieldsOnly } from './field-names.ts';
import { FILE_SCHEMA } from './file-input.ts';

export interface BodyField {
  readonly field: string;
  /** Its name in the body; `undefined` for the whole body. */
  readonly name: string | undefined;
  readonly converted: Converted;
  readonly isRequired: boolean;
}

export interface BodyFields {
  readonly body: Body;
  /** Whether the fields of the body stand beside the parameters. */
  readonly isMerged: boolean;
  readonly fields: readonly BodyField[];
  readonly files: Files;
}

const FILE: Converted = { schema: FILE_SCHEMA, names: new Set() };
const FILES: Converted = { schema: { type: 'array', items: FILE_SCHEMA }, names: new Set() };
const TEXT: Converted = { schema: { type: 'string' }, names: new Set() };

/** Follows a reference to a component, so that its fields can be taken, with those beside the reference. */
const opened = (converted: Converted, book: SchemaBook): Converted => {
  const { $ref, description: _, ...siblings } = converted.schema;
  if (typeof $ref !== 'string') return converted;
  const component = book.component($ref.slice('#/$defs/'.length), 'request');
  if (!component) return converted;
  const { schema, names } = opened(component, book);
  if (Object.keys(siblings).length === 0) return { schema, names };
  const both = new Set([...names, ...converted.names]);
  return { schema: mergeAllOf({}, [schema, siblings]), names: both };
};

const filesOf = (body: Body, object: JsonSchema, book: SchemaBook): Files => {
  const names = isRecord(object.properties) ? Object.keys(object.properties) : [];
  if (body.kind !== 'multipart') return new Map();
  return new Map(
    names.flatMap((name) => {
      const described = findProperties(body.schema, name, book.resolver);
      const [file] = described.flatMap((each) => fileField(each, book.resolver) ?? []);
      return file ? [[name, file] as const] : [];
    }),
  );
};

const withFiles = (object: JsonSchema, files: Files): JsonSchema => {
  if (files.size === 0 || !isRecord(object.properties)) return object;
  const properties = Object.fromEntries(
    Object.entries(object.properties).map(([name, schema]) => {
      const file = files.get(name);
      return [name, file ? (file.isList ? FILES : FILE).schema : schema];
    }),
  );
  return { ...object, properties };
};

const wholeField = (taken: ReadonlySet<string>): string =>
  ['body', 'request_body', 'body_content'].find((name) => !taken.has(name)) ?? `body_${taken.size}`;

const mergedFields = (
  { schema, names }: Converted,
  taken: ReadonlySet<string>,
): readonly BodyField[] | undefined => {
  const required = new Set((schema.required ?? []) as readonly string[]);
  const used = new Set(taken);
  const fields: BodyField[] = [];
  for (const [name, property] of Object.entries(schema.properties as Record<string, JsonSchema>)) {
    const field = fieldName(name);
    if (used.has(field)) return undefined;
    used.add(field);
    fields.push({
      field,
      name,
      converted: { schema: property, names },
      isRequired: required.has(name),
    });
  }
  return fields;
};

const hasUnlisted = ({ required, properties }: JsonSchema): boolean =>
  ((required ?? []) as readonly string[]).some(
    (name) => !Object.hasOwn(properties as object, name),
  );

/**
 * Tells whether a body may be an object. Only objects have named parts; any other body is sent as the
 * caller wrote it.
 */
const mayBeObject = ({ type }: JsonSchema): boolean =>
  type === undefined || [type].flat().includes('object');

export const planBody = (body: Body, taken: ReadonlySet<string>, book: SchemaBook): BodyFields => {
  const { kind, isRequired } = body;
  const field = wholeField(taken);
  const whole = (converted: Converted, files: Files = new Map()): BodyFields => ({
    body,
    isMerged: false,
    files,
    fields: [{ field, name: undefined, converted, isRequired }],
  });
  if (kind === 'binary') return whole(FILE);
  if (kind === 'text') return whole(TEXT);
  const declared = book.convert(body.schema, 'request');
  const object = opened(declared, book);
  if (kind === 'multipart' && !mayBeObject(object.schema)) {
    return { ...whole(FILE), body: { ...body, kind: 'binary' } };
  }
  const files = filesOf(body, object.schema, book);
  const schema = withFiles(object.schema, files);
  // An optional body with required fields: beside the parameters they would be required always.
  const isOptionalWhole = !isRequired && Array.isArray(schema.required);
  const canMerge = isFieldsOnly(schema) && !isOptionalWhole && !hasUnlisted(schema);
  const fields = canMerge ? mergedFields({ ...object, schema }, taken) : undefined;
  if (fields) return { body, isMerged: true, fields, files };
  return whole(files.size > 0 ? { ...object, schema } : declared, files);
};
