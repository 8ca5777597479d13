/**
 * A schema in Gemini's subset of OpenAPI 3.0: no references, no `oneOf`, one type each with `nullable`
 * beside it, values listed for strings only. References are written out; where they come round again, or
 * the result would grow too large, they are cut.
 */

import { isRecord } from '../../kit/data/is-record.ts';
import { below, follow, type Loss, membersOf, type SchemaNode, stringsOf } from './definition.ts';
import { mergeAll } from './merge-schemas.ts';
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

export interface GeminiSchema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Work {
  readonly root: SchemaNode;
  readonly losses: Loss[];
  nodes: number;
}

interface Place {
  readonly work: Work;
  readonly path: string;
  /** The references being written out on the way here. */
  readonly open: readonly string[];
}

export const geminiSchema = (root: SchemaNode, losses: Loss[]): GeminiSchema =>
  convert(root, { work: { root, losses, nodes: 0 }, path: '', open: ['#'] });

const lose = ({ work, path }: Place, ...keywords: readonly string[]): void => {
  for (const lost of keywords) work.losses.push({ path, lost });
};

const inside = (place: Place, ...keys: readonly (string | number)[]): Place => ({
  ...place,
  path: below(place.path, ...keys),
});

const convert = (schema: unknown, place: Place): GeminiSchema => {
  place.work.nodes += 1;
  if (!isRecord(schema)) return anything({}, place);
  if (schema.$ref !== undefined) return convertReference(schema, place);
  if (Array.isArray(schema.allOf)) return convertAllOf(schema, place);
  const union = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(union)) return convertUnion(schema, union, place);
  const types = jsonTypes(schema);
  const concrete = types.filter((type) => type !== 'null');
  const nullable = concrete.length < types.length ? { nullable: true } : {};
  const [type] = concrete;
  if (type === undefined) return { ...anything(schema, place), ...nullable };
  if (concrete.length === 1) return { ...convertTyped({ ...schema, type }, place), ...nullable };
  const anyOf = concrete.map((one) => ({
    ...convertTyped({ ...schema, type: one }, place),
    ...nullable,
  }));
  return { anyOf };
};

/** The dialect has no word for "any value". */
const anything = ({ title, description }: SchemaNode, place: Place): GeminiSchema => {
  lose(place, 'type');
  return {
    type: 'string',
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  };
};

const convertReference = ({ $ref, ...siblings }: SchemaNode, place: Place): GeminiSchema => {
  const { work, open } = place;
  const target = follow(work.root, $ref);
  const pointer = String($ref);
  if (target && !open.includes(pointer) && work.nodes < MAX_NODES) {
    return convert({ ...target, ...siblings }, { ...place, open: [...open, pointer] });
  }
  lose(place, '$ref');
  const type = target && jsonTypes(target)[0];
  return {
    type: type ?? 'object',
    ...(siblings.description !== undefined && { description: siblings.description }),
  };
};

const convertAllOf = ({ allOf, ...rest }: SchemaNode, place: Place): GeminiSchema => {
  const parts = (allOf as readonly unknown[]).flatMap((part) => {
    const target =
      isRecord(part) && part.$ref !== undefined ? follow(place.work.root, part.$ref) : part;
    return isRecord(target) && target.allOf === undefined ? [target] : [];
  });
  const isWhole = parts.length === (allOf as readonly unknown[]).length;
  const areObjects = parts.every((part) => jsonTypes(part)[0] === 'object');
  if (!isWhole || (parts.length > 1 && !areObjects)) lose(place, 'allOf');
  const merged = areObjects ? mergeAll([...parts, rest]) : Object.assign({}, ...parts, rest);
  return convert(merged, place);
};

const convertUnion = (
  schema: SchemaNode,
  union: readonly unknown[],
  place: Place,
): GeminiSchema => {
  const keyword = schema.anyOf === undefined ? 'oneOf' : 'anyOf';
  const { [keyword]: _union, ...rest } = schema;
  if (keyword === 'oneOf' || isRecord(rest.properties)) lose(place, keyword);
  // Beside `anyOf` nothing else may stand: the fields say more than the condition over them.
  if (isRecord(rest.properties)) return convert(rest, place);
  const isNull = (branch: unknown): boolean => isRecord(branch) && branch.type === 'null';
  const branches = union.filter((branch) => !isNull(branch));
  const shared = {
    ...(branches.length < union.length && { nullable: true }),
    ...(rest.description !== undefined && { description: rest.description }),
  };
  const converted = branches.map((branch, at) => ({
    ...shared,
    ...convert(branch, inside(place, keyword, at)),
  }));
  return converted.length === 1 ? (converted[0] ?? {}) : { anyOf: converted };
};

const convertTyped = (schema: SchemaNode, place: Place): GeminiSchema => {
  const type = String(schema.type);
  return {
    type,
    ...keepKeywords(bounded(schema), type, place),
    ...valuesOf(schema, type, place),
    ...(type === 'object' && fieldsOf(schema, place)),
    ...(type === 'array' && { items: itemsOf(schema, place) }),
  };
};

const keepKeywords = (schema: SchemaNode, type: string, place: Place): GeminiSchema => {
  const allowed = new Set([...COMMON, ...(KEPT[type] ?? [])]);
  const entries = Object.entries(schema).filter(([keyword, value]) => {
    const keeps = allowed.has(keyword) && (keyword !== 'format' || FORMATS.has(String(value)));
    const isSilent = SILENT.has(keyword) || (type === 'array' && keyword === 'prefixItems');
    if (!keeps && !isSilent) lose(place, keyword);
    return keeps;
  });
  return Object.fromEntries(entries);
};

/** For whole numbers an exclusive bound is an inclusive one, one further in. */
const bounded = (schema: SchemaNode): SchemaNode => {
  const { exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  if (schema.type !== 'integer') return schema;
  return {
    ...rest,
    ...(typeof exclusiveMinimum === 'number' && { minimum: Math.floor(exclusiveMinimum) + 1 }),
    ...(typeof exclusiveMaximum === 'number' && { maximum: Math.ceil(exclusiveMaximum) - 1 }),
  };
};

const valuesOf = (schema: SchemaNode, type: string, place: Place): GeminiSchema => {
  const keyword = Object.hasOwn(schema, 'const') ? 'const' : 'enum';
  const given = keyword === 'const' ? [schema.const] : schema.enum;
  if (!Array.isArray(given)) return {};
  const strings = stringsOf(given);
  if (type === 'string' && strings.length > 0) return { enum: strings };
  lose(place, keyword);
  return {};
};

const fieldsOf = (schema: SchemaNode, place: Place): GeminiSchema => {
  const fields = membersOf(schema.properties);
  const names = new Set(fields.map(([name]) => name));
  const required = stringsOf(schema.required).filter((name) => names.has(name));
  const converted = fields.map(
    ([name, field]) => [name, convert(field, inside(place, 'properties', name))] as const,
  );
  return {
    ...(fields.length > 0 && { properties: Object.fromEntries(converted) }),
    ...(required.length > 0 && { required }),
  };
};

/** `items` is a must there. A tuple becomes a list of whatever its places allow. */
const itemsOf = (schema: SchemaNode, place: Place): GeminiSchema => {
  const { prefixItems, items } = schema;
  if (Array.isArray(prefixItems)) {
    lose(place, 'prefixItems');
    const anyOf = isRecord(items) ? [...prefixItems, items] : prefixItems;
    return convert({ anyOf }, inside(place, 'prefixItems'));
  }
  return convert(items, inside(place, 'items'));
};
