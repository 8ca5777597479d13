/**
 * Makes schemas of a listing safe for every MCP client. Some drop a tool with a combination at the
 * root of its input; some lose all tools over one output schema that does not compile.
 */
import type { JsonSchema } from '../../contract/schema.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { follow, type Loss, type SchemaNode } from './definition.ts';
import { rootObject } from './root-object.ts';

const COMBINED = ['oneOf', 'anyOf', 'allOf', 'not', 'enum', 'const', 'if', '$ref'] as const;
const DEFINITIONS = /^#\/(?:\$defs|definitions)\//;
const DEFAULT_DIALECT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
const COMMON_DIALECT = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
const TYPES: ReadonlySet<unknown> = new Set([
  ...['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'],
]);
const MAX_DEPTH = 60;

interface Moving {
  readonly root: SchemaNode;
  readonly losses: Loss[];
  /** Definitions that were made, by the reference that they stand for. */
  readonly moved: Map<string, { readonly name: string; schema: unknown }>;
}

/** A schema with its references under `$defs`; one that leads nowhere allows everything. */
const relocated = (value: unknown, moving: Moving, depth = 0): unknown => {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item: unknown) => relocated(item, moving, depth + 1));
  }
  const fields = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (key !== '$ref' || typeof inner !== 'string') {
      return [[key, relocated(inner, moving, depth + 1)]];
    }
    const reference = referenceFor(inner, moving);
    return reference === undefined ? [] : [['$ref', reference]];
  });
  return Object.fromEntries(fields);
};

const referenceFor = (reference: string, moving: Moving): string | undefined => {
  const target = follow(moving.root, reference);
  if (!target) {
    moving.losses.push({ path: '', lost: '$ref' });
    return undefined;
  }
  if (reference === '#' || DEFINITIONS.test(reference)) return reference;
  const known = moving.moved.get(reference);
  if (known) return `#/$defs/${known.name}`;
  const entry = { name: `listed${moving.moved.size + 1}`, schema: undefined as unknown };
  moving.moved.set(reference, entry);
  entry.schema = relocated(target, moving);
  return `#/$defs/${entry.name}`;
};

/** The input schema for a listing; what it loses is still checked at the call. */
export const listedInput = (schema: JsonSchema, losses: Loss[]): SchemaNode | undefined => {
  const moving: Moving = { root: schema, losses, moved: new Map() };
  const local = relocated(schema, moving) as SchemaNode;
  const made = [...moving.moved.values()].map(({ name, schema: each }) => [name, each] as const);
  const $defs = { ...(isRecord(local.$defs) && local.$defs), ...Object.fromEntries(made) };
  const whole = made.length > 0 ? { ...local, $defs } : local;
  const isCombined = COMBINED.some((keyword) => Object.hasOwn(whole, keyword));
  if (!isCombined) return asObject(whole);
  const dialect = schema.$schema === undefined ? {} : { $schema: schema.$schema };
  const flat = rootObject(whole, losses);
  const kept = { ...(isRecord(whole.$defs) && { $defs: whole.$defs }) };
  const old = { ...(isRecord(whole.definitions) && { definitions: whole.definitions }) };
  return flat && { ...dialect, ...kept, ...old, ...flat };
};

const asObject = (schema: SchemaNode): SchemaNode | undefined => {
  if (schema.type === undefined) return { ...schema, type: 'object' };
  return schema.type === 'object' ? schema : undefined;
};

const isPattern = (source: unknown): boolean => {
  try {
    return typeof source !== 'string' || new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
};

const isKnownType = (type: unknown): boolean =>
  (typeof type !== 'string' || TYPES.has(type)) &&
  (!Array.isArray(type) || type.every((each) => TYPES.has(each)));

const compiles = (node: SchemaNode, root: SchemaNode): boolean =>
  isKnownType(node.type) &&
  isPattern(node.pattern) &&
  (typeof node.$ref !== 'string' || follow(root, node.$ref) !== undefined) &&
  !('$dynamicRef' in node || '$recursiveRef' in node);

const allCompile = (schema: SchemaNode): boolean => {
  let level: readonly object[] = [schema];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    if (!level.every((node) => compiles(node as SchemaNode, schema))) return false;
    level = level.flatMap((node) =>
      Object.values(node).filter((value) => typeof value === 'object' && value !== null),
    );
  }
  return true;
};

/** The output schema for a listing, or nothing where a client might fail to compile it. */
export const listedOutput = (schema: JsonSchema): SchemaNode | undefined => {
  const { $schema: dialect, ...rest } = schema;
  const isDefault = dialect === undefined || DEFAULT_DIALECT.test(String(dialect));
  if (!isDefault && !COMMON_DIALECT.test(String(dialect))) return undefined;
  const object = asObject(isDefault ? rest : schema);
  return object && allCompile(object) ? object : undefined;
};
