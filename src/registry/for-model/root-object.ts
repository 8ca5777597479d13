/**
 * Makes the root of an input schema one plain object. OpenAI, Anthropic and Gemini refuse a whole
 * request when a single tool has a combination or a reference there.
 */
import { isRecord } from '../../kit/data/is-record.ts';
import { follow, type Loss, membersOf, type SchemaNode, stringsOf } from './definition.ts';

const MAX_DEPTH = 8;
/** Schemas that are merged: combinations of combinations multiply. */
const MAX_MERGED = 2_000;
const COMBINATIONS = ['allOf', 'oneOf', 'anyOf'] as const;
/** Also refused at the root; with a plain object they rarely matter. */
const REFUSED = ['not', 'enum', 'const', 'if', 'then', 'else'] as const;

/**
 * Makes the root a plain object; nothing when the input is no object: no model could call such a
 * tool.
 */
export const rootObject = (schema: SchemaNode, losses: Loss[]): SchemaNode | undefined => {
  const flat = flatten(schema, { root: schema, losses, depth: 0, left: { count: MAX_MERGED } });
  if (flat === undefined) return undefined;
  const { type = 'object' } = flat;
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isObject) {
    losses.push({ path: '', lost: 'type' });
    return undefined;
  }
  const { $schema: _schema, $id: _id, ...rest } = flat;
  return { ...rest, type: 'object', properties: isRecord(flat.properties) ? flat.properties : {} };
};

/** Puts what stands beside a reference on top of what it refers to; both count for each field. */
export const besideReference = (target: SchemaNode, siblings: SchemaNode): SchemaNode => {
  const properties = new Map(membersOf(target.properties));
  for (const [name, schema] of membersOf(siblings.properties)) {
    const before = properties.get(name);
    const isBoth = isRecord(before) && isRecord(schema);
    properties.set(name, isBoth ? { ...before, ...schema } : schema);
  }
  const required = [target, siblings].flatMap((part) => stringsOf(part.required));
  return {
    ...target,
    ...siblings,
    ...(properties.size > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
};

interface Flattening {
  readonly root: SchemaNode;
  readonly losses: Loss[];
  readonly depth: number;
  /** Counts down for all of them together. */
  readonly left: { count: number };
}

const flatten = (schema: SchemaNode, at: Flattening): SchemaNode | undefined => {
  at.left.count -= 1;
  if (at.left.count < 0) return undefined;
  if (at.depth > MAX_DEPTH || at.left.count === 0) {
    at.losses.push({ path: '', lost: '$ref' });
    return undefined;
  }
  const inner = { ...at, depth: at.depth + 1 };
  if (schema.$ref !== undefined) {
    const { $ref, ...siblings } = schema;
    const target = follow(at.root, $ref);
    if (target && target !== schema) return flatten(besideReference(target, siblings), inner);
    at.losses.push({ path: '', lost: '$ref' });
    return undefined;
  }
  return COMBINATIONS.reduce<SchemaNode>(
    (flat, keyword) => combine(flat, keyword, inner),
    drop(schema, at),
  );
};

const combine = (
  schema: SchemaNode,
  keyword: (typeof COMBINATIONS)[number],
  at: Flattening,
): SchemaNode => {
  const { [keyword]: branches, ...rest } = schema;
  if (!Array.isArray(branches)) return schema;
  // Merging an `allOf` of objects loses nothing; merging the others does.
  if (keyword !== 'allOf') at.losses.push({ path: '', lost: keyword });
  const flat = (branches as readonly unknown[])
    .filter(isRecord)
    .map((branch) => flatten(branch, at))
    .filter((branch) => branch !== undefined);
  if (flat.length === 0) return rest;
  return mergeAll([keyword === 'allOf' ? mergeAll(flat) : mergeAny(flat), rest]);
};

const drop = (schema: SchemaNode, { losses }: Flattening): SchemaNode => {
  const rest: Record<string, unknown> = { ...schema };
  for (const keyword of REFUSED) {
    if (!Object.hasOwn(rest, keyword)) continue;
    losses.push({ path: '', lost: keyword });
    delete rest[keyword];
  }
  return rest;
};

/** Merges schemas that all hold: all fields, and every field that any of them requires is required. */
export const mergeAll = (parts: readonly SchemaNode[]): SchemaNode => ({
  ...Object.assign({}, ...parts),
  ...fieldsOf(parts, (name) => parts.some((part) => stringsOf(part.required).includes(name))),
});

/** Merges alternatives: all fields, and only fields that all of them require are required. */
const mergeAny = (parts: readonly SchemaNode[]): SchemaNode => ({
  type: 'object',
  ...fieldsOf(parts, (name) => parts.every((part) => stringsOf(part.required).includes(name))),
});

const fieldsOf = (parts: readonly SchemaNode[], isRequired: (name: string) => boolean) => {
  const properties = new Map<string, unknown>();
  for (const [name, schema] of parts.flatMap((part) => membersOf(part.properties))) {
    const before = properties.get(name);
    properties.set(name, before === undefined ? schema : either(before, schema));
  }
  const required = new Set(parts.flatMap((part) => stringsOf(part.required)).filter(isRequired));
  return {
    properties: Object.fromEntries(properties),
    ...(required.size > 0 && { required: [...required] }),
  };
};

/** Makes a schema that accepts what either accepts. Two that differ only in descriptions count as one. */
const either = (a: unknown, b: unknown): unknown => {
  if (!isRecord(a) || !isRecord(b)) return a;
  const [valuesA, valuesB] = [valuesOf(a), valuesOf(b)];
  if (valuesA && valuesB) {
    const { const: _const, ...rest } = a;
    return { ...rest, enum: [...new Set([...valuesA, ...valuesB])] };
  }
  const branches = Array.isArray(a.anyOf) && Object.keys(a).length === 1 ? a.anyOf : [a];
  if (branches.some((branch) => sameShape(branch, b))) return a;
  return { anyOf: [...branches, b] };
};

const valuesOf = (schema: SchemaNode): readonly unknown[] | undefined => {
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
};

const sameShape = (a: unknown, b: unknown): boolean => withoutTexts(a) === withoutTexts(b);

const withoutTexts = (schema: unknown): string => {
  if (!isRecord(schema)) return JSON.stringify(schema);
  const { description: _description, title: _title, ...rest } = schema;
  return JSON.stringify(rest);
};
