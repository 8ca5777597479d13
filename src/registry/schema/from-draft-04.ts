/** Turns a draft-04 schema into one of draft-07 that says the same, for the validator alone. */
import type { JsonSchema } from '../../contract/schema.ts';

/** What is not made of schemas and must stay as it is. */
const DATA: ReadonlySet<string> = new Set(['enum', 'default', 'example', 'examples']);
/** Here the keys are names of properties, not keywords. */
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

const bounds = (schema: Readonly<Record<string, unknown>>): Record<string, unknown> => {
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

const converted = (value: unknown, isMap: boolean): unknown => {
  if (Array.isArray(value)) return value.map((item: unknown) => converted(item, false));
  if (typeof value !== 'object' || value === null) return value;
  const fields = isMap ? value : bounds(value as Record<string, unknown>);
  return Object.fromEntries(
    Object.entries(fields).map(([key, inner]) => [
      key,
      !isMap && DATA.has(key) ? inner : converted(inner, !isMap && MAPS.has(key)),
    ]),
  );
};

export const fromDraft04 = (schema: JsonSchema): JsonSchema =>
  converted(schema, false) as JsonSchema;
