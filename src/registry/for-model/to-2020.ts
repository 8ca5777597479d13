/** Says a draft-07 schema in the words of 2020-12, where the two differ. Nothing is lost. */
import type { JsonSchema } from '../../contract/schema.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { membersOf, type SchemaNode } from './definition.ts';

/** Keywords whose value is data, not a schema. */
const DATA = new Set(['const', 'default', 'enum', 'examples', 'required']);
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

export const to2020 = (schema: JsonSchema): SchemaNode =>
  typeof schema.$schema === 'string' && /draft-0[67]/.test(schema.$schema)
    ? rewriteNode(schema)
    : schema;

const rewrite = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(rewrite);
  return isRecord(value) ? rewriteNode(value) : value;
};

const rewriteNode = (schema: SchemaNode): SchemaNode => {
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA.has(keyword)) result[keyword] = value;
    else if (MAPS.has(keyword)) result[keyword] = rewriteMap(value);
    else if (keyword === 'items' && Array.isArray(value)) result.prefixItems = rewrite(value);
    else if (keyword === 'additionalItems') {
      if (Array.isArray(schema.items)) result.items = rewrite(value);
    } else if (keyword === 'dependencies') Object.assign(result, dependencies(value));
    else if (keyword !== '$schema') result[keyword] = rewrite(value);
  }
  return result;
};

const rewriteMap = (value: unknown): SchemaNode =>
  Object.fromEntries(membersOf(value).map(([name, schema]) => [name, rewrite(schema)]));

/** Draft-07 has one keyword for two things. */
const dependencies = (value: unknown) => {
  const members = membersOf(value);
  const lists = members.filter(([, needs]) => Array.isArray(needs));
  const schemas = members.filter(([, needs]) => !Array.isArray(needs));
  return {
    ...(lists.length > 0 && { dependentRequired: Object.fromEntries(lists) }),
    ...(schemas.length > 0 && { dependentSchemas: rewriteMap(Object.fromEntries(schemas)) }),
  };
};
