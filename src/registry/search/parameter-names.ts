/** The names of a tool's parameters, read off its input schema without converting or compiling it. */
import type { SchemaSource } from '../../contract/schema.ts';

const MAX_DEPTH = 4;
const MAX_NAMES = 100;

export const parameterNames = (source: SchemaSource | undefined): readonly string[] => {
  const names = new Set<string>();
  collect(source, names, 0);
  return [...names].slice(0, MAX_NAMES);
};

/** Fields of an object, also where it hides in a union, an intersection or a wrapper. */
const collect = (schema: unknown, names: Set<string>, depth: number): void => {
  if (!isRecord(schema) || depth > MAX_DEPTH) return;
  const zod = schema._zod;
  const parts = isRecord(zod) ? zod.def : schema;
  if (!isRecord(parts)) return;
  const fields = isRecord(zod) ? parts.shape : parts.properties;
  if (isRecord(fields)) for (const name of Object.keys(fields)) names.add(name);
  for (const key of isRecord(zod) ? ZOD_INNER : JSON_INNER) {
    const inner = parts[key];
    if (Array.isArray(inner)) for (const branch of inner) collect(branch, names, depth + 1);
    else if (isRecord(inner)) collect(inner, names, depth + 1);
  }
};

const ZOD_INNER = ['options', 'innerType', 'in', 'left', 'right'];
const JSON_INNER = ['oneOf', 'anyOf', 'allOf'];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
