/**
 * Takes out the nulls that stand for "not given". OpenAI's strict mode makes every field required and
 * lets an optional one be null instead, which the schema of the tool itself would refuse.
 */
import type { JsonSchema } from '../contract/schema.ts';
import { isRecord } from '../kit/data/is-record.ts';

/** Deeper input is left as it is: the pipeline refuses it. */
const MAX_DEPTH = 100;

interface Place {
  readonly root: JsonSchema;
  readonly depth: number;
}

const own = (node: unknown, key: string): unknown =>
  isRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined;

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const follow = (root: JsonSchema, reference: string): unknown => {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, step) => own(at, step), root);
};

/** The schemas a value may have to fit: those referred to and those of every branch. */
const variants = (schema: unknown, root: JsonSchema): readonly JsonSchema[] => {
  const found = new Set<JsonSchema>();
  const walk = (node: unknown): void => {
    if (!isRecord(node) || found.has(node)) return;
    found.add(node);
    if (typeof node.$ref === 'string') walk(follow(root, node.$ref));
    for (const keyword of ['anyOf', 'oneOf', 'allOf']) listed(node[keyword]).forEach(walk);
  };
  walk(schema);
  return [...found];
};

const SPEAKS = ['type', 'enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf', 'properties', 'items'];

/** A schema that says nothing of types takes null like anything else. */
const takesNull = (schema: unknown, root: JsonSchema): boolean =>
  schema === true ||
  variants(schema, root).some(
    (node) =>
      [node.type].flat().includes('null') ||
      node.nullable === true ||
      node.const === null ||
      listed(node.enum).includes(null) ||
      !SPEAKS.some((keyword) => node[keyword] !== undefined),
  );

/**
 * Declared, and null nowhere allowed. Where the field is required the tool's schema says so itself:
 * one branch of a union may require what another does not know.
 */
const isMeantAsAbsent = (key: string, nodes: readonly JsonSchema[], root: JsonSchema): boolean => {
  const declared = nodes
    .map((node) => own(node.properties, key))
    .filter((schema) => schema !== undefined);
  return declared.length > 0 && !declared.some((schema) => takesNull(schema, root));
};

const strip = (value: unknown, schemas: readonly unknown[], place: Place): unknown => {
  const { root, depth } = place;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  const nodes = schemas.flatMap((schema) => variants(schema, root));
  const inner = { root, depth: depth + 1 };
  if (Array.isArray(value)) {
    const items = nodes.map((node) => node.items);
    return value.map((item) => strip(item, items, inner));
  }
  const kept = Object.entries(value).filter(
    ([key, member]) => member !== null || !isMeantAsAbsent(key, nodes, root),
  );
  // As own properties, `__proto__` among them: the pipeline has to see it to refuse it.
  return Object.fromEntries(
    kept.map(([key, member]) => {
      const below = nodes.map((node) => own(node.properties, key));
      return [key, strip(member, below, inner)];
    }),
  );
};

/** Copies; the value given stays as it is. */
export const dropNulls = (value: unknown, schema: JsonSchema): unknown =>
  strip(value, [schema], { root: schema, depth: 0 });
