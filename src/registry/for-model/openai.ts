/**
 * Defines tools for OpenAI's function calling, strict wherever the schema allows it. In the strict dialect
 * every object is closed, every field required (an optional one may be null instead), and references
 * lead into `$defs` only. What it cannot express is dropped and reported as a loss; what it forbids, such
 * as a map with free keys, is a barrier to strictness.
 */
import { isRecord } from '../../kit/data/is-record.ts';
import {
  below,
  type Defined,
  follow,
  type Loss,
  membersOf,
  type SchemaNode,
  type Shown,
  stringsOf,
  to2020,
} from './definition.ts';
import { mergeAll, rootObject } from './root-object.ts';
import { jsonTypes, keepKeywords, orNull } from './strict-keywords.ts';

const MAX_DESCRIPTION = 1_024;

export const openaiTool = (shown: Shown): Defined => {
  const losses: Loss[] = [];
  const root = rootObject(to2020(shown.input), losses);
  if (root === undefined) return { losses };
  const strict = strictSchema(root);
  if (strict.barriers.length === 0) {
    losses.push(...strict.losses);
    return {
      definition: definitionOf(shown, { strict: true, parameters: strict.schema }, losses),
      losses,
    };
  }
  losses.push(...strict.barriers.map(({ path, lost }) => ({ path, lost: `strict: ${lost}` })));
  return { definition: definitionOf(shown, { strict: false, parameters: root }, losses), losses };
};

interface Form {
  readonly strict: boolean;
  readonly parameters: SchemaNode;
}

const definitionOf = ({ tool, wireName }: Shown, form: Form, losses: Loss[]) => {
  const isLong = tool.description.length > MAX_DESCRIPTION;
  if (isLong) losses.push({ path: '', lost: 'description' });
  const description = isLong
    ? `${tool.description.slice(0, MAX_DESCRIPTION - 1)}…`
    : tool.description;
  return { type: 'function', function: { name: wireName, description, ...form } };
};

interface StrictSchema {
  readonly schema: SchemaNode;
  readonly losses: readonly Loss[];
  /** Why the schema cannot be strict; the schema is unusable when there is any. */
  readonly barriers: readonly Loss[];
}

/** The limits OpenAI publishes for strict schemas. */
const MAX_LEVELS = 10;
const MAX_PROPERTIES = 5_000;
const MAX_ENUM = 1_000;
/** More schemas than a strict definition can have: an `allOf` that comes round would double them at every level. */
const MAX_NODES = 20_000;
/** One is enough to give the strict form up; more are for people who want to know why. */
const MAX_BARRIERS = 100;

interface Conversion {
  readonly root: SchemaNode;
  readonly losses: Loss[];
  readonly barriers: Loss[];
  /** By reference; `schema` is filled in when the target has been converted. */
  readonly definitions: Map<string, { readonly name: string; schema: SchemaNode }>;
  properties: number;
  values: number;
  nodes: number;
}

interface Position {
  readonly conversion: Conversion;
  readonly path: string;
  readonly level: number;
}

const strictSchema = (root: SchemaNode): StrictSchema => {
  const conversion: Conversion = {
    root,
    losses: [],
    barriers: [],
    definitions: new Map(),
    properties: 0,
    values: 0,
    nodes: 0,
  };
  const { $defs: _defs, definitions: _definitions, ...top } = root;
  const schema = convertObject(top, { conversion, path: '', level: 1 });
  const { losses, barriers, definitions } = conversion;
  if (conversion.properties > MAX_PROPERTIES) barriers.push({ path: '', lost: 'properties' });
  if (conversion.values > MAX_ENUM) barriers.push({ path: '', lost: 'enum' });
  const $defs = Object.fromEntries([...definitions.values()].map((one) => [one.name, one.schema]));
  return { schema: definitions.size > 0 ? { ...schema, $defs } : schema, losses, barriers };
};

const inside = (
  { conversion, path, level }: Position,
  ...keys: readonly (string | number)[]
): Position => ({
  conversion,
  path: below(path, ...keys),
  level: level + 1,
});

const barrier = ({ conversion, path }: Position, lost: string): SchemaNode => {
  conversion.barriers.push({ path, lost });
  return {};
};

const convert = (schema: unknown, position: Position): SchemaNode => {
  const { conversion } = position;
  conversion.nodes += 1;
  if (conversion.barriers.length >= MAX_BARRIERS) return {};
  if (conversion.nodes > MAX_NODES) return barrier(position, 'size');
  if (position.level > MAX_LEVELS) return barrier(position, 'depth');
  if (!isRecord(schema)) return barrier(position, String(schema));
  if (schema.$ref !== undefined) return convertReference(schema, position);
  if (Array.isArray(schema.allOf)) return convertAllOf(schema, position);
  const union = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(union) && !isRecord(schema.properties))
    return convertUnion(schema, union, position);
  const types = jsonTypes(schema);
  if (types.length === 0) return barrier(position, 'type');
  if (types.length > 1 && (types.includes('object') || types.includes('array'))) {
    const { description, ...rest } = schema;
    const anyOf = types.map((type) => convert({ ...rest, type, nullable: false }, position));
    return description === undefined ? { anyOf } : { description, anyOf };
  }
  if (types[0] === 'object') return convertObject(schema, position);
  if (types[0] === 'array') return convertArray(schema, position);
  return keep({ ...schema, type: types.length === 1 ? types[0] : types }, position);
};

const keep = (schema: SchemaNode, { conversion, path }: Position): SchemaNode => {
  const { supported, lost } = keepKeywords(schema);
  for (const keyword of lost) conversion.losses.push({ path, lost: keyword });
  if (Array.isArray(supported.enum)) conversion.values += supported.enum.length;
  return supported;
};

const convertObject = (schema: SchemaNode, position: Position): SchemaNode => {
  const fields = membersOf(schema.properties);
  const isOpen = schema.additionalProperties !== undefined && schema.additionalProperties !== false;
  if (isOpen) return barrier(position, 'additionalProperties');
  if (schema.patternProperties !== undefined) return barrier(position, 'patternProperties');
  // Without fields and not closed it is a map, except at the root, where it means no parameters.
  const isMap = fields.length === 0 && schema.additionalProperties !== false && position.level > 1;
  if (isMap) return barrier(position, 'properties');
  position.conversion.properties += fields.length;
  const required = new Set(stringsOf(schema.required));
  const properties = fields.map(([name, field]) => {
    const converted = convert(field, inside(position, 'properties', name));
    return [name, required.has(name) ? converted : orNull(converted)] as const;
  });
  return {
    ...keep({ ...schema, type: 'object' }, position),
    properties: Object.fromEntries(properties),
    required: fields.map(([name]) => name),
    additionalProperties: false,
  };
};

const convertArray = (schema: SchemaNode, position: Position): SchemaNode => {
  if (schema.prefixItems !== undefined) return barrier(position, 'prefixItems');
  if (!isRecord(schema.items)) return barrier(position, 'items');
  const items = convert(schema.items, inside(position, 'items'));
  return { ...keep({ ...schema, type: 'array' }, position), items };
};

const convertUnion = (
  schema: SchemaNode,
  union: readonly unknown[],
  position: Position,
): SchemaNode => {
  const keyword = schema.anyOf === undefined ? 'oneOf' : 'anyOf';
  if (keyword === 'oneOf') position.conversion.losses.push({ path: position.path, lost: 'oneOf' });
  const { [keyword]: _union, type, ...rest } = schema;
  const anyOf = union.map((branch, at) => {
    // A type beside the union holds for every branch that has no type.
    const whole = isRecord(branch) && type !== undefined ? { type, ...branch } : branch;
    return convert(whole, inside(position, keyword, at));
  });
  return { ...keep(rest, position), anyOf };
};

const convertAllOf = (schema: SchemaNode, position: Position): SchemaNode => {
  const { allOf, ...rest } = schema;
  const parts = (allOf as readonly unknown[]).map((part) =>
    isRecord(part) && part.$ref !== undefined ? follow(position.conversion.root, part.$ref) : part,
  );
  const objects = parts.filter(isRecord).filter((part) => part.allOf === undefined);
  const canMerge =
    objects.length === parts.length &&
    (parts.length === 1 || objects.every((part) => jsonTypes(part)[0] === 'object'));
  return canMerge ? convert(mergeable([...objects, rest]), position) : barrier(position, 'allOf');
};

const mergeable = (parts: readonly SchemaNode[]): SchemaNode =>
  parts.some((part) => isRecord(part.properties)) ? mergeAll(parts) : Object.assign({}, ...parts);

const convertReference = ({ $ref, ...siblings }: SchemaNode, position: Position): SchemaNode => {
  const { conversion } = position;
  const target = follow(conversion.root, $ref);
  if (target === undefined) return barrier(position, '$ref');
  // A reference allows no other keywords beside it; most of these are descriptions.
  for (const lost of Object.keys(siblings)) conversion.losses.push({ path: position.path, lost });
  if (target === conversion.root) return { $ref: '#' };
  const pointer = String($ref);
  const existing = conversion.definitions.get(pointer);
  if (existing) return { $ref: `#/$defs/${existing.name}` };
  const definition = { name: freshName(pointer, conversion), schema: {} as SchemaNode };
  conversion.definitions.set(pointer, definition);
  // Levels start again: a reference is not nesting.
  definition.schema = convert(target, { conversion, path: pointer.slice(1), level: 2 });
  return { $ref: `#/$defs/${definition.name}` };
};

const freshName = (pointer: string, { definitions }: Conversion): string => {
  const last = pointer.slice(pointer.lastIndexOf('/') + 1).replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  const names = new Set([...definitions.values()].map(({ name }) => name));
  return names.has(last) ? `${last}_${definitions.size}` : last;
};
