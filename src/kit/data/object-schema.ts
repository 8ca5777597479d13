/** Reads the schema of an object that leaves its type out. */

/** Returns the schema with `type: object`; nothing when it has another type. */
export const objectSchema = <Schema extends { readonly type?: unknown }>(
  schema: Schema,
): Schema | undefined => {
  if (schema.type === undefined) return { ...schema, type: 'object' };
  return schema.type === 'object' ? schema : undefined;
};
