/** Lists the parameters of a tool as rows for people, from its JSON Schema. */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { alternativesOf, fixedValues, itemsOf, typesOf } from '../../input/schema-alternatives.ts';

export interface Parameter {
  /** `options.depth` for a field of an object, `tags[]` for those of a list. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

const MAX_DEPTH = 4;
const MAX_LISTS = 1;

const firstText = (schemas: readonly JsonSchema[], key: string): string => {
  const text = schemas.map((schema) => schema[key]).find((value) => typeof value === 'string');
  return typeof text === 'string' ? text : '';
};

const LIMITS: readonly (readonly [string, string])[] = [
  ['minimum', '≥'],
  ['maximum', '≤'],
  ['exclusiveMinimum', '>'],
  ['exclusiveMaximum', '<'],
  ['minLength', 'length ≥'],
  ['maxLength', 'length ≤'],
  ['minItems', 'items ≥'],
  ['maxItems', 'items ≤'],
];

/** Lists the limits, without those that no value reaches, such as the largest safe integer. */
const limitsOf = (schemas: readonly JsonSchema[]): readonly string[] =>
  LIMITS.flatMap(([key, sign]) => {
    const value = schemas.map((schema) => schema[key]).find((limit) => typeof limit === 'number');
    return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER
      ? [`${sign} ${value}`]
      : [];
  });

/** Names the types. `depth` limits the text of a recursive type, such as a list of such lists. */
const typeText = (schemas: readonly JsonSchema[], root: JsonSchema, depth = 0): string => {
  const fixed = fixedValues(schemas);
  if (fixed.length > 0)
    return [...new Set(fixed.map((value) => JSON.stringify(value)))].join(' | ');
  const types = [...typesOf(schemas)].map((type) => {
    if (type !== 'array') return type;
    if (depth >= MAX_LISTS) return 'array';
    const items = typeText(itemsOf(schemas, root), root, depth + 1);
    return items.includes(' ') ? `(${items})[]` : `${items}[]`;
  });
  return types.join(' | ') || 'any';
};

const describe = (schemas: readonly JsonSchema[]): string => {
  const preset = schemas.find((schema) => Object.hasOwn(schema, 'default'));
  const extras = [
    ...limitsOf(schemas),
    ...(preset ? [`default ${JSON.stringify(preset.default)}`] : []),
  ];
  const text = firstText(schemas, 'description');
  return extras.length === 0 ? text : `${text} (${extras.join(', ')})`.trim();
};

interface SchemaPosition {
  readonly prefix: string;
  readonly depth: number;
  readonly root: JsonSchema;
}

const fieldsOf = (
  schemas: readonly JsonSchema[],
  position: SchemaPosition,
): readonly Parameter[] => {
  const byName = new Map<string, Parameter[]>();
  for (const schema of schemas) {
    const { properties, required } = schema;
    if (!isRecord(properties)) continue;
    for (const [key, child] of Object.entries(properties)) {
      if (byName.has(key) || !isRecord(child)) continue;
      const isRequired = Array.isArray(required) && required.includes(key);
      byName.set(
        key,
        rowsOf(child, { ...position, prefix: `${position.prefix}${key}` }, isRequired),
      );
    }
  }
  return [...byName.values()].flat();
};

const rowsOf = (schema: JsonSchema, position: SchemaPosition, required: boolean): Parameter[] => {
  const schemas = alternativesOf(schema, position.root);
  const row: Parameter = {
    name: position.prefix,
    type: typeText(schemas, position.root),
    required,
    description: describe(schemas),
  };
  if (position.depth >= MAX_DEPTH) return [row];
  const depth = position.depth + 1;
  const below = fieldsOf(schemas, { ...position, depth, prefix: `${position.prefix}.` });
  const items = itemsOf(schemas, position.root);
  const inItems = fieldsOf(items, { ...position, depth, prefix: `${position.prefix}[].` });
  return [row, ...below, ...inItems];
};

/** Lists the parameters in the order of the schema; fields of objects follow the object. */
export const parametersOf = (schema: JsonSchema): readonly Parameter[] =>
  fieldsOf(alternativesOf(schema, schema), { prefix: '', depth: 0, root: schema });
