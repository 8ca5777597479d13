/** What a form starts with: defaults where there are some, empty values for what is required. */
import type { JsonSchema } from '../api/tool-records.ts';
import { planField } from './field-plan.ts';
import { asSchema, resolveSchema } from './resolve-schema.ts';

/** A schema may require itself without end. */
const MAX_DEPTH = 8;

const objectValue = (schema: JsonSchema, root: JsonSchema, depth: number): unknown => {
  const plan = planField(schema, root);
  if (plan.kind !== 'object') return {};
  const entries = plan.properties.flatMap((property) => {
    const inner = resolveSchema(property.schema, root);
    const isWanted = property.isRequired || inner.default !== undefined;
    const value = isWanted ? initialValue(inner, root, depth + 1) : undefined;
    return value === undefined ? [] : [[property.name, value] as const];
  });
  return Object.fromEntries(entries);
};

/** Makes the first value of a field; `undefined` leaves it out, or for the person to fill in. */
export const initialValue = (schema: JsonSchema, root: JsonSchema, depth = 0): unknown => {
  const resolved = resolveSchema(asSchema(schema), root);
  if (resolved.default !== undefined) return resolved.default;
  const plan = planField(resolved, root);
  if (depth > MAX_DEPTH) return undefined;
  switch (plan.kind) {
    case 'object':
      return objectValue(resolved, root, depth);
    case 'array':
      return [];
    case 'choice':
      return plan.options.length === 1 ? plan.options[0] : undefined;
    case 'boolean':
      return false;
    case 'text':
      return '';
    case 'union':
      return initialValue(plan.branches[0]?.schema ?? {}, root, depth + 1);
    case 'json':
      return resolved.type === 'object' ? {} : undefined;
    default:
      return undefined;
  }
};
