/** Tells which inputs take a few milliseconds at most. */
import type { CallerSchema } from './schema-work.ts';

/** Longer schemas take too long to compile in this process. */
const MAX_SCHEMA_CHARS = 4000;
const MAX_TEXT_CHARS = 20_000;

export const isSmallSchema = (schema: CallerSchema | undefined): boolean =>
  typeof schema !== 'object' || JSON.stringify(schema).length <= MAX_SCHEMA_CHARS;

export const isSmallText = (text: string, schema: CallerSchema | undefined): boolean =>
  text.length <= MAX_TEXT_CHARS && isSmallSchema(schema);
