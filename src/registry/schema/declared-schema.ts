/** The schema as its tool declares it, made now if it was left for later. */
import { ToolFailure } from '../../contract/errors.ts';
import type { SchemaSource } from '../../contract/schema.ts';
import type { Tool } from '../../contract/tool.ts';
import type { SchemaSide } from './compile-schema.ts';

/** Throws CONFIG_INVALID for one that cannot be made. */
export const declaredSchema = (tool: Tool, side: SchemaSide): SchemaSource | undefined => {
  const declared = tool[side];
  if (typeof declared !== 'function') return declared;
  const made = attempt(declared);
  if (typeof made === 'object' && made !== null) return made;
  throw new ToolFailure('CONFIG_INVALID', `Tool ${tool.name}: the ${side} schema cannot be made.`);
};

const attempt = (make: () => SchemaSource): SchemaSource | undefined => {
  try {
    return make();
  } catch {
    return undefined;
  }
};
