/** Converts a draft-04 schema to an equivalent one of draft-07, for the validator only. */
import type { JsonSchema } from '../../contract/schema.ts';

/** Keywords whose value is data, not a schema. */
const DATA: ReadonlySet<string> = new Set(['enum', 'default', 'example', 'examples']);
/** Keywords whose value maps names to schemas. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'definitions',
  'dependencies',
]);

const BOUNDS = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

const convertBounds = (schema: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const { id: _id, $schema: _dialect, ...result } = schema as Record<string, unknown>;
  for (const [exclusive, inclusive] of BOUNDS) {
    if (typeof result[exclusive] !== 'boolean') continue;
    const isExclusive = result[exclusive] === true && typeof result[inclusive] === 'number';
    delete result[exclusive];
    if (!isExclusive) continue;
    result[exclusive] = result[inclusive];
    delete result[inclusive];
  }
  return result;
};

const convert = (value: unknown, isMap: boolean): unknown => {
  if (Array.isArray(value)) return value.map((item: unknown) => convert(item, false));
  if (typeof value !== 'object' || value === null) return value;
  const fields = isMap ? value : convertBounds(value as Record<string, unknown>);
  return Object.fromEntries(
    Object.entries(fields).map(([key, inner]) => [
      key,
      !isMap && DATA.has(key) ? inner : convert(inner, !isMap && MAPS.has(key)),
    ]),
  );
};

export const fromDraft04 = (schema: JsonSchema): JsonSchema => convert(schema, false) as JsonSchema;
