/**
 * Defines tools for Gemini's function declarations, in its subset of OpenAPI 3.0: no references, no
 * `oneOf`, one type each with `nullable` beside it, values listed for strings only. References are
 * expanded; recursive ones, and those that would make the result too large, are cut.
 */
import { compact } from '../../kit/data/compact.ts';
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
import { besideReference, mergeAll, rootObject } from './root-object.ts';
import { jsonTypes } from './strict-keywords.ts';

const MAX_NODES = 2_000;

const COMMON = ['title', 'description', 'default'];
const KEPT: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'format'],
  integer: ['minimum', 'maximum', 'format'],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
};
const FORMATS = new Set(['date-time', 'float', 'double', 'int32', 'int64']);
const SILENT = new Set([
  ...['type', 'nullable', 'properties', 'required', 'items', 'enum', 'const'],
  ...['$schema', '$id', '$anchor', '$dynamicAnchor', '$comment', '$defs', 'definitions'],
  ...['examples', 'example', 'deprecated', 'readOnly', 'writeOnly'],
]);

interface GeminiSchema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Conversion {
  readonly root: SchemaNode;
  readonly losses: Loss[];
  nodes: number;
}

interface Position {
  readonly conversion: Conversion;
  readonly path: string;
  /** The references that are being expanded above this position. */
  readonly open: readonly string[];
}

const geminiSchema = (root: SchemaNode, losses: Loss[]): GeminiSchema =>
  convert(root, { conversion: { root, losses, nodes: 0 }, path: '', open: ['#'] });

const lose = ({ conversion, path }: Position, ...keywords: readonly string[]): void => {
  for (const lost of keywords) conversion.losses.push({ path, lost });
};

const inside = (position: Position, ...keys: readonly (string | number)[]): Position => ({
  ...position,
  path: below(position.path, ...keys),
});

const convert = (schema: unknown, position: Position): GeminiSchema => {
  position.conversion.nodes += 1;
  if (!isRecord(schema)) return anything({}, position);
  if (schema.$ref !== undefined) return convertReference(schema, position);
  if (Array.isArray(schema.allOf)) return convertAllOf(schema, position);
  const union = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(union)) return convertUnion(schema, union, position);
  const types = jsonTypes(schema);
  const concrete = types.filter((type) => type !== 'null');
  const nullable = concrete.length < types.length ? { nullable: true } : {};
  const [type] = concrete;
  if (type === undefined) return { ...anything(schema, position), ...nullable };
  if (concrete.length === 1) return { ...convertTyped({ ...schema, type }, position), ...nullable };
  const anyOf = concrete.map((one) => ({
    ...convertTyped({ ...schema, type: one }, position),
    ...nullable,
  }));
  return { anyOf };
};

/** Stands for "any value", which the dialect cannot express. */
const anything = ({ title, description }: SchemaNode, position: Position): GeminiSchema => {
  lose(position, 'type');
  return {
    type: 'string',
    ...compact({ title, description }),
  };
};

const convertReference = ({ $ref, ...siblings }: SchemaNode, position: Position): GeminiSchema => {
  const { conversion, open } = position;
  const target = follow(conversion.root, $ref);
  const pointer = String($ref);
  if (target && !open.includes(pointer) && conversion.nodes < MAX_NODES) {
    return convert(besideReference(target, siblings), { ...position, open: [...open, pointer] });
  }
  lose(position, '$ref');
  const type = target && jsonTypes(target).find((one) => one !== 'null');
  return {
    type: type ?? 'object',
    // Gemini refuses the whole request for a list without items.
    ...(type === 'array' && { items: { type: 'object' } }),
    ...(siblings.description !== undefined && { description: siblings.description }),
  };
};

/** Gives what a part stands for, and its type alone where it comes round or would be too much. */
const openedPart = (part: unknown, position: Position): unknown => {
  if (!isRecord(part) || part.$ref === undefined) return part;
  const { conversion, open } = position;
  const target = follow(conversion.root, part.$ref);
  const isOpen = open.includes(String(part.$ref)) || conversion.nodes >= MAX_NODES;
  if (!target || !isOpen) return target;
  lose(position, '$ref');
  return { type: jsonTypes(target).find((one) => one !== 'null') ?? 'object' };
};

const pointersOf = (parts: readonly unknown[]): readonly string[] =>
  parts.flatMap((part) => (isRecord(part) && part.$ref !== undefined ? [String(part.$ref)] : []));

const convertAllOf = ({ allOf, ...rest }: SchemaNode, position: Position): GeminiSchema => {
  const parts = (allOf as readonly unknown[]).flatMap((part) => {
    const target = openedPart(part, position);
    return isRecord(target) && target.allOf === undefined ? [target] : [];
  });
  const isWhole = parts.length === (allOf as readonly unknown[]).length;
  const areObjects = parts.every((part) => jsonTypes(part)[0] === 'object');
  if (!isWhole || (parts.length > 1 && !areObjects)) lose(position, 'allOf');
  const merged = areObjects ? mergeAll([...parts, rest]) : Object.assign({}, ...parts, rest);
  const open = [...position.open, ...pointersOf(allOf as readonly unknown[])];
  return convert(merged, { ...position, open });
};

const convertUnion = (
  schema: SchemaNode,
  union: readonly unknown[],
  position: Position,
): GeminiSchema => {
  const keyword = schema.anyOf === undefined ? 'oneOf' : 'anyOf';
  const { [keyword]: _union, ...rest } = schema;
  if (keyword === 'oneOf' || isRecord(rest.properties)) lose(position, keyword);
  // `anyOf` allows no other keyword beside it; the fields are worth more than the condition.
  if (isRecord(rest.properties)) return convert(rest, position);
  const isNull = (branch: unknown): boolean => isRecord(branch) && branch.type === 'null';
  const branches = union.filter((branch) => !isNull(branch));
  if (branches.length === 0) return { ...anything(rest, position), nullable: true };
  const shared = {
    ...(branches.length < union.length && { nullable: true }),
    ...(rest.description !== undefined && { description: rest.description }),
  };
  const converted = branches.map((branch, at) => ({
    ...shared,
    ...convert(branch, inside(position, keyword, at)),
  }));
  return converted.length === 1 ? (converted[0] ?? {}) : { anyOf: converted };
};

const convertTyped = (schema: SchemaNode, position: Position): GeminiSchema => {
  const type = String(schema.type);
  return {
    type,
    ...keepKeywords(bounded(schema), type, position),
    ...valuesOf(schema, type, position),
    ...(type === 'object' && fieldsOf(schema, position)),
    ...(type === 'array' && { items: itemsOf(schema, position) }),
  };
};

const keepKeywords = (schema: SchemaNode, type: string, position: Position): GeminiSchema => {
  const allowed = new Set([...COMMON, ...(KEPT[type] ?? [])]);
  const entries = Object.entries(schema).filter(([keyword, value]) => {
    const keeps = allowed.has(keyword) && (keyword !== 'format' || FORMATS.has(String(value)));
    const isSilent = SILENT.has(keyword) || (type === 'array' && keyword === 'prefixItems');
    if (!keeps && !isSilent) lose(position, keyword);
    return keeps;
  });
  return Object.fromEntries(entries);
};

/** Turns exclusive bounds of integers into inclusive ones. */
const bounded = (schema: SchemaNode): SchemaNode => {
  const { exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  if (schema.type !== 'integer') return schema;
  return {
    ...rest,
    ...(typeof exclusiveMinimum === 'number' && { minimum: Math.floor(exclusiveMinimum) + 1 }),
    ...(typeof exclusiveMaximum === 'number' && { maximum: Math.ceil(exclusiveMaximum) - 1 }),
  };
};

const valuesOf = (schema: SchemaNode, type: string, position: Position): GeminiSchema => {
  const keyword = Object.hasOwn(schema, 'const') ? 'const' : 'enum';
  const values = keyword === 'const' ? [schema.const] : schema.enum;
  if (!Array.isArray(values)) return {};
  const strings = stringsOf(values);
  if (type === 'string' && strings.length > 0) return { enum: strings };
  lose(position, keyword);
  return {};
};

const fieldsOf = (schema: SchemaNode, position: Position): GeminiSchema => {
  const fields = membersOf(schema.properties);
  const names = new Set(fields.map(([name]) => name));
  const required = stringsOf(schema.required).filter((name) => names.has(name));
  const converted = fields.map(
    ([name, field]) => [name, convert(field, inside(position, 'properties', name))] as const,
  );
  return {
    ...(fields.length > 0 && { properties: Object.fromEntries(converted) }),
    ...(required.length > 0 && { required }),
  };
};

/** Converts `items`, which is required. A tuple becomes a list of anything that its positions allow. */
const itemsOf = (schema: SchemaNode, position: Position): GeminiSchema => {
  const { prefixItems, items } = schema;
  if (Array.isArray(prefixItems)) {
    lose(position, 'prefixItems');
    const anyOf = isRecord(items) ? [...prefixItems, items] : prefixItems;
    return convert({ anyOf }, inside(position, 'prefixItems'));
  }
  return convert(items, inside(position, 'items'));
};

const NAME = /^[A-Za-z_]/;

export const geminiTool = ({ tool, wireName, input }: Shown): Defined => {
  // Gemini refuses the whole request for a name that begins otherwise.
  if (!NAME.test(wireName)) return { losses: [{ path: '', lost: 'name' }] };
  const losses: Loss[] = [];
  const root = rootObject(to2020(input), losses);
  if (root === undefined) return { losses };
  const parameters = geminiSchema(root, losses);
  // Gemini refuses an object without fields; a function without parameters omits it.
  const hasFields = Object.keys(parameters.properties ?? {}).length > 0;
  const definition = {
    name: wireName,
    description: tool.description,
    ...(hasFields && { parameters }),
  };
  return { definition, losses };
};
