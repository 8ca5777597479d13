/**
 * Makes the root of an input schema one plain object. OpenAI, Anthropic and Gemini refuse a whole
 * request when a single tool has a combination or a reference there.
 */

import { isRecord } from '../../kit/data/is-record.ts';
import { follow, type Loss, type SchemaNode } from './definition.ts';
import { mergeAll, mergeAny } from './merge-schemas.ts';

const MAX_DEPTH = 8;
const COMBINATIONS = ['allOf', 'oneOf', 'anyOf'] as const;
/** Also refused at the root, and with a plain object they rarely say anything. */
const REFUSED = ['not', 'enum', 'const', 'if', 'then', 'else'] as const;

/** Nothing when the input is not an object, so that no model could call the tool. */
export const rootObject = (schema: SchemaNode, losses: Loss[]): SchemaNode | undefined => {
  const flat = flatten(schema, { root: schema, losses, depth: 0 });
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

interface Flattening {
  readonly root: SchemaNode;
  readonly losses: Loss[];
  readonly depth: number;
}

const flatten = (schema: SchemaNode, at: Flattening): SchemaNode | undefined => {
  if (at.depth > MAX_DEPTH) {
    at.losses.push({ path: '', lost: '$ref' });
    return undefined;
  }
  const inner = { ...at, depth: at.depth + 1 };
  if (schema.$ref !== undefined) {
    const { $ref, ...siblings } = schema;
    const target = follow(at.root, $ref);
    if (target && target !== schema) return flatten({ ...target, ...siblings }, inner);
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
  // An `allOf` of objects says the same in one object; the others say more than it can.
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
