/** Wraps schemas: vendors only take schemas of objects, so anything else becomes a property of one. */
import type { JsonSchema } from '../contract/schema.ts';

export interface ObjectShape {
  readonly schema: JsonSchema;
  /** Takes the value out of the object that came back. */
  unwrap(object: unknown): unknown;
}

const KEY = 'value';

const own = (object: unknown, key: string): unknown =>
  typeof object === 'object' && object !== null && Object.hasOwn(object, key)
    ? Reflect.get(object, key)
    : undefined;

export const objectShape = (schema: JsonSchema): ObjectShape => {
  const { type, properties } = schema;
  if (type === 'object' || (type === undefined && properties !== undefined)) {
    return { schema: { ...schema, type: 'object' }, unwrap: (object) => object };
  }
  // References point at the root, so what they point at has to stay there.
  const { $defs, definitions, ...inner } = schema;
  return {
    schema: {
      type: 'object',
      properties: { [KEY]: inner },
      required: [KEY],
      additionalProperties: false,
      ...($defs !== undefined && { $defs }),
      ...(definitions !== undefined && { definitions }),
    },
    unwrap: (object) => own(object, KEY),
  };
};
