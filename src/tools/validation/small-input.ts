/** Tells what callers send that takes a few milliseconds at most. */
import type { CallerSchema } from './schema-work.ts';

/** Longer schemas take longer to compile than this process may be held. */
const MAX_SCHEMA_CHARS = 4000;
const MAX_TEXT_CHARS = 20_000;

export const isSmallSchema = (schema: CallerSchema | undefined): boolean =>
  typeof schema !== 'object' || JSON.stringify(schema).length <= MAX_SCHEMA_CHARS;

export const isSmallText = (text: string, schema: CallerSchema | undefined): boolean =>
  text.length <= MAX_TEXT_CHARS && isSmallSchema(schema);
