/**
 * The JSON Schema of messages, as the JSON mapping of proto3 says. Messages inside others are
 * shared definitions.
 */
import type { JsonSchema } from '../../../contract/schema.ts';
import type { Field, MessageType, TypeTable } from '../codec/type-table.ts';

export type Side = 'input' | 'output';

/** A schema with more members is of no use to a model. */
const MAX_SCHEMA_FIELDS = 3000;
const MAX_ENUM_NAMES = 500;
const MAX_FIELD_DOC = 300;

const INT64 = { type: 'string', pattern: '^-?[0-9]{1,20}$' };
const UINT64 = { type: 'string', pattern: '^[0-9]{1,20}$' };
const INT32 = { type: 'integer' };
const UINT32 = { type: 'integer', minimum: 0 };
const REAL = {
  anyOf: [{ type: 'number' }, { type: 'string', enum: ['NaN', 'Infinity', '-Infinity'] }],
};

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  double: REAL,
  float: REAL,
  bool: { type: 'boolean' },
  string: { type: 'string' },
  int64: INT64,
  sint64: INT64,
  sfixed64: INT64,
  uint64: UINT64,
  fixed64: UINT64,
  int32: INT32,
  sint32: INT32,
  sfixed32: INT32,
  uint32: UINT32,
  fixed32: UINT32,
  bytes: { type: 'string', contentEncoding: 'base64' },
};

/** Types with a form of their own in JSON. */
const FORMS: Readonly<Record<string, JsonSchema>> = {
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
  'google.protobuf.Duration': {
    type: 'string',
    pattern: '^-?[0-9]{1,12}(?:\\.[0-9]{1,9})?s$',
    description: 'Seconds, e.g. 1.5s.',
  },
  'google.protobuf.FieldMask': {
    type: 'string',
    description: 'Paths of fields with commas between them, e.g. name,owner.email.',
  },
  'google.protobuf.Struct': { type: 'object' },
  'google.protobuf.ListValue': { type: 'array', items: {} },
  'google.protobuf.Value': {},
  'google.protobuf.Empty': { type: 'object', properties: {} },
  'google.protobuf.Any': {
    type: 'object',
    properties: { '@type': { type: 'string' } },
    description: 'A message of the type in "@type".',
  },
  'google.protobuf.DoubleValue': REAL,
  'google.protobuf.FloatValue': REAL,
  'google.protobuf.Int64Value': INT64,
  'google.protobuf.UInt64Value': UINT64,
  'google.protobuf.Int32Value': INT32,
  'google.protobuf.UInt32Value': UINT32,
  'google.protobuf.BoolValue': { type: 'boolean' },
  'google.protobuf.StringValue': { type: 'string' },
  'google.protobuf.BytesValue': { type: 'string', contentEncoding: 'base64' },
};

/** Gives the messages that a message contains, itself first; `undefined` for too many fields. */
const reachedFrom = (root: MessageType, types: TypeTable): readonly MessageType[] | undefined => {
  const reached = new Map([[root.name, root]]);
  let fields = 0;
  for (const type of reached.values()) {
    fields += type.fields.length;
    if (fields > MAX_SCHEMA_FIELDS) return undefined;
    for (const { ref } of type.fields) {
      const next = ref === undefined ? undefined : types.message(ref);
      if (next && !Object.hasOwn(FORMS, next.name)) reached.set(next.name, next);
    }
  }
  return [...reached.values()];
};

export interface MessageSchemas {
  /** Returns `undefined` for a message that is not known or too large to describe. */
  schemaOf(typeName: string, side: Side): JsonSchema | undefined;
}

/** Makes schemas; what two of them share is made once. */
export const createMessageSchemas = (
  types: TypeTable,
  names: readonly string[],
): MessageSchemas => {
  const keys = definitionKeys(names);
  const made = { input: new Map<string, JsonSchema>(), output: new Map<string, JsonSchema>() };
  const objectOf = (type: MessageType, side: Side): JsonSchema => {
    const before = made[side].get(type.name);
    if (before) return before;
    const schema = objectSchema(type, { types, side, keys });
    made[side].set(type.name, schema);
    return schema;
  };
  return {
    schemaOf(typeName, side) {
      const root = types.message(typeName);
      const reached = root && reachedFrom(root, types);
      if (!root || !reached) return undefined;
      if (Object.hasOwn(FORMS, root.name)) return FORMS[root.name];
      const isRecursive = reached.some(({ fields }) => fields.some(({ ref }) => ref === root.name));
      const shared = reached.filter((type) => !type.isEntry && (type !== root || isRecursive));
      const definitions = shared.map((type) => [keys.get(type.name), objectOf(type, side)]);
      return {
        ...objectOf(root, side),
        ...(shared.length > 0 && { $defs: Object.fromEntries(definitions) }),
      };
    },
  };
};

interface SchemaDeps {
  readonly types: TypeTable;
  readonly side: Side;
  /** Under which key of `$defs` a message stands. */
  readonly keys: ReadonlyMap<string, string>;
}

/** Gives the last part of a name where it is unique, else the whole name. */
const definitionKeys = (names: readonly string[]): ReadonlyMap<string, string> => {
  const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
  const counts = new Map<string, number>();
  for (const name of names) counts.set(lastPart(name), (counts.get(lastPart(name)) ?? 0) + 1);
  const taken = new Set<string>();
  return new Map(
    [...names].sort().map((name) => {
      const isUnique = counts.get(lastPart(name)) === 1;
      const base = isUnique ? lastPart(name) : name.replaceAll('.', '_');
      let key = base;
      for (let number = 2; taken.has(key); number++) key = `${base}_${number}`;
      taken.add(key);
      return [name, key];
    }),
  );
};

const objectSchema = (type: MessageType, deps: SchemaDeps): JsonSchema => {
  const isInput = deps.side === 'input';
  const required = type.fields.filter((field) =>
    isInput ? field.required : !field.presence && field.type !== 'message',
  );
  return {
    type: 'object',
    properties: Object.fromEntries(
      type.fields.map((field) => [field.name, fieldSchema(field, deps)]),
    ),
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
    ...(isInput && { additionalProperties: false }),
  };
};

/** Describes a field, in inputs only: a model writes those, and reads results as they are. */
const descriptionOf = ({ doc, siblings }: Field, side: Side): string => {
  if (side === 'output') return '';
  const only = siblings.length > 0 ? `Not together with ${siblings.slice(0, 20).join(', ')}.` : '';
  return [(doc ?? '').slice(0, MAX_FIELD_DOC), only].filter((part) => part !== '').join(' ');
};

const fieldSchema = (field: Field, deps: SchemaDeps): JsonSchema => {
  const description = descriptionOf(field, deps.side);
  const schema = manySchema(field, deps);
  return description === '' ? schema : { ...schema, description };
};

const manySchema = (field: Field, deps: SchemaDeps): JsonSchema => {
  if (!field.many) return valueSchema(field, deps);
  const entry = field.ref === undefined ? undefined : deps.types.message(field.ref);
  if (!entry?.isEntry) return { type: 'array', items: valueSchema(field, deps) };
  const value = entry.byNumber.get(2);
  return { type: 'object', additionalProperties: value ? valueSchema(value, deps) : {} };
};

const valueSchema = (field: Field, deps: SchemaDeps): JsonSchema => {
  const { type, ref = '' } = field;
  if (type === 'enum') return enumSchema(ref, deps);
  if (type !== 'message' && type !== 'group') return SCALARS[type] ?? {};
  if (Object.hasOwn(FORMS, ref)) return FORMS[ref] ?? {};
  return { $ref: `#/$defs/${deps.keys.get(ref)}` };
};

/** Makes the schema of an enum. Results also allow numbers, which a newer server may send. */
const enumSchema = (ref: string, { types, side }: SchemaDeps): JsonSchema => {
  if (ref === 'google.protobuf.NullValue') return { type: 'null' };
  const names = [...(types.enumType(ref)?.numbers.keys() ?? [])];
  const isListed = names.length > 0 && names.length <= MAX_ENUM_NAMES;
  const named = isListed ? { type: 'string', enum: names } : { type: 'string' };
  return side === 'input' ? named : { anyOf: [named, { type: 'integer' }] };
};
