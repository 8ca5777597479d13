/** What the providers' dialects share: their input and output, losses, and helpers for schemas. */
import type { JsonSchema } from '../../contract/schema.ts';
import type { Tool } from '../../contract/tool.ts';
import { isRecord } from '../../kit/data/is-record.ts';

/** A tool as it is shown to a model. */
export interface Shown {
  readonly tool: Tool;
  readonly wireName: string;
  readonly input: JsonSchema;
  readonly output: JsonSchema | undefined;
}

/** Something that the dialect cannot express: a JSON Pointer into the schema, and the keyword. */
export interface Loss {
  readonly path: string;
  readonly lost: string;
}

export interface Defined {
  /** Absent when the provider cannot use the tool; the losses say why. */
  readonly definition?: Record<string, unknown>;
  readonly losses: readonly Loss[];
}

/** A schema that is an object. Callers handle boolean schemas themselves. */
export type SchemaNode = Readonly<Record<string, unknown>>;

/** Lists the schemas under `properties`, `$defs` and the like. */
export const membersOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  isRecord(value) ? Object.entries(value) : [];

export const stringsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** Extends a JSON Pointer. */
export const below = (path: string, ...keys: readonly (string | number)[]): string =>
  [path, ...keys.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');

/** Resolves a local reference; returns nothing for any other reference, or one without a target. */
export const follow = (root: SchemaNode, reference: unknown): SchemaNode | undefined => {
  if (reference === '#') return root;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at =
      typeof at === 'object' && at !== null && Object.hasOwn(at, key)
        ? Reflect.get(at, key)
        : undefined;
  }
  return isRecord(at) ? at : undefined;
};

const decode = (step: string): string => {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
};

/** Keywords whose value is data, not a schema. */
const DATA = new Set(['const', 'default', 'enum', 'examples', 'required']);
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/** Rewrites a draft-07 schema in the keywords of 2020-12. Nothing is lost. */
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

/** Splits the keyword of draft-07 into the two of 2020-12. */
const dependencies = (value: unknown) => {
  const members = membersOf(value);
  const lists = members.filter(([, needs]) => Array.isArray(needs));
  const schemas = members.filter(([, needs]) => !Array.isArray(needs));
  return {
    ...(lists.length > 0 && { dependentRequired: Object.fromEntries(lists) }),
    ...(schemas.length > 0 && { dependentSchemas: rewriteMap(Object.fromEntries(schemas)) }),
  };
};
