/** Makes an object of inputs that are none: the input of a tool always is one. */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { JSON_FORMS } from '../codec/json-forms.ts';
import type { MessageSchemas } from './message-schema.ts';

/** Forms that are objects themselves. */
const OBJECTS: ReadonlySet<string> = new Set(['google.protobuf.Struct', 'google.protobuf.Any']);

/** Tells whether a method takes a text or a time alone: its tool then takes `{ value }`. */
const isWrapped = (typeName: string): boolean => JSON_FORMS.has(typeName) && !OBJECTS.has(typeName);

export const inputSchema = (typeName: string, schemas: MessageSchemas): JsonSchema | undefined => {
  const schema = schemas.schemaOf(typeName, 'input');
  if (!schema || !isWrapped(typeName)) return schema;
  return {
    type: 'object',
    properties: { value: schema },
    required: ['value'],
    additionalProperties: false,
  };
};

/** Gives the message that an input stands for. */
export const messageOf = (typeName: string, input: unknown): unknown =>
  isWrapped(typeName) && isRecord(input) ? input.value : input;
