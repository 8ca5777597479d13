/** The types of `google.protobuf` that have a form of their own in JSON. */
import { compactMessages } from './compact-models.ts';
import type { MessageModel, TypeModels } from './model.ts';

const VALUE = 'google.protobuf.Value';

/** All but `null_value` are told apart by being set. */
const VALUE_MODEL: MessageModel = {
  fields: [
    {
      name: 'nullValue',
      number: 1,
      type: 'enum',
      ref: 'google.protobuf.NullValue',
      presence: true,
      oneof: 'kind',
    },
    { name: 'numberValue', number: 2, type: 'double', presence: true, oneof: 'kind' },
    { name: 'stringValue', number: 3, type: 'string', presence: true, oneof: 'kind' },
    { name: 'boolValue', number: 4, type: 'bool', presence: true, oneof: 'kind' },
    {
      name: 'structValue',
      number: 5,
      type: 'message',
      ref: 'google.protobuf.Struct',
      presence: true,
      oneof: 'kind',
    },
    {
      name: 'listValue',
      number: 6,
      type: 'message',
      ref: 'google.protobuf.ListValue',
      presence: true,
      oneof: 'kind',
    },
  ],
};

const ENTRY: MessageModel = {
  fields: [
    { name: 'key', number: 1, type: 'string' },
    { name: 'value', number: 2, type: 'message', ref: VALUE, presence: true },
  ],
  entry: true,
};

export const KNOWN_TYPES: TypeModels = {
  messages: {
    ...compactMessages({
      'google.protobuf.Timestamp': 'seconds:1:int64 nanos:2:int32',
      'google.protobuf.Duration': 'seconds:1:int64 nanos:2:int32',
      'google.protobuf.FieldMask': 'paths:1:string[]',
      'google.protobuf.Any': 'typeUrl:1:string value:2:bytes',
      'google.protobuf.Empty': '',
      'google.protobuf.Struct': 'fields:1:message=google.protobuf.Struct.FieldsEntry[]',
      'google.protobuf.ListValue': `values:1:message=${VALUE}[]`,
      'google.protobuf.DoubleValue': 'value:1:double',
      'google.protobuf.FloatValue': 'value:1:float',
      'google.protobuf.Int64Value': 'value:1:int64',
      'google.protobuf.UInt64Value': 'value:1:uint64',
      'google.protobuf.Int32Value': 'value:1:int32',
      'google.protobuf.UInt32Value': 'value:1:uint32',
      'google.protobuf.BoolValue': 'value:1:bool',
      'google.protobuf.StringValue': 'value:1:string',
      'google.protobuf.BytesValue': 'value:1:bytes',
    }),
    [VALUE]: VALUE_MODEL,
    'google.protobuf.Struct.FieldsEntry': ENTRY,
  },
  enums: { 'google.protobuf.NullValue': { values: [['NULL_VALUE', 0]] } },
};

/** Files that need not be read: their types are known here, or concern options alone. */
export const KNOWN_FILES: ReadonlySet<string> = new Set(
  ['any', 'descriptor', 'duration', 'empty', 'field_mask', 'struct', 'timestamp', 'wrappers'].map(
    (name) => `google/protobuf/${name}.proto`,
  ),
);
