/** Turns what a tool declares, a Zod schema or a JSON Schema, into the one neutral `Schema`. */
import { ToolFailure } from '../../contract/errors.ts';
import type { JsonSchema, Schema, SchemaSource, ZodSchemaLike } from '../../contract/schema.ts';
import { zodSchema } from './zod-schema.ts';

/** Which side of a Zod schema is meant: what goes in, before defaults and transforms, or what comes out. */
export type SchemaSide = 'input' | 'output';

export const isZodSchema = (source: SchemaSource): source is ZodSchemaLike =>
  '_zod' in source && typeof source.safeParse === 'function';

/**
 * A Zod schema is ready at once; a JSON Schema needs its validator loaded first. Throws or rejects
 * with CONFIG_INVALID when the schema cannot be used; with `leftOut`, for tools whose server checks
 * the input as well, what cannot be checked here is told and left out instead.
 */
export const compileSchema = (
  source: SchemaSource,
  side: SchemaSide = 'input',
  leftOut?: (note: string) => void,
): Schema | Promise<Schema> => {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) {
    throw new ToolFailure('CONFIG_INVALID', 'A schema is a Zod schema or a JSON Schema object.');
  }
  return isZodSchema(source) ? zodSchema(source, side) : loadAndCompile(source, leftOut);
};

const loadAndCompile = async (
  source: JsonSchema,
  leftOut: ((note: string) => void) | undefined,
): Promise<Schema> => {
  const { compileForeignSchema, compileJsonSchema } = await import('./json-schema.ts');
  return leftOut ? compileForeignSchema(source, leftOut) : compileJsonSchema(source);
};
