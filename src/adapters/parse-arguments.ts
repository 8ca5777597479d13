/**
 * The arguments of a call, as the text that a model wrote. OpenAI's strict mode makes every field
 * required and lets an optional one be null instead, which the schema of the tool itself would
 * refuse: such nulls are removed.
 */
import type { JsonSchema } from '../contract/schema.ts';
import { isRecord } from '../kit/data/is-record.ts';
import { parseStrictJson } from '../kit/text/strict-json.ts';
import type { TurnCall } from './run-turn.ts';

/** Deeper input stays unchanged: the pipeline refuses it. */
const MAX_DEPTH = 100;

interface Position {
  readonly root: JsonSchema;
  readonly depth: number;
}

const own = (node: unknown, key: string): unknown =>
  isRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined;

const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const resolveReference = (root: JsonSchema, reference: string): unknown => {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, step) => own(at, step), root);
};

/** Collects the schemas that a value may have to fit: those referred to and those of every branch. */
const variants = (schema: unknown, root: JsonSchema): readonly JsonSchema[] => {
  const collected = new Set<JsonSchema>();
  const walk = (node: unknown): void => {
    if (!isRecord(node) || collected.has(node)) return;
    collected.add(node);
    if (typeof node.$ref === 'string') walk(resolveReference(root, node.$ref));
    for (const keyword of ['anyOf', 'oneOf', 'allOf']) arrayOf(node[keyword]).forEach(walk);
  };
  walk(schema);
  return [...collected];
};

const TYPE_KEYWORDS = [
  'type',
  'enum',
  'const',
  '$ref',
  'anyOf',
  'oneOf',
  'allOf',
  'properties',
  'items',
];

/** Tells whether a schema accepts null; one without a type keyword does. */
const acceptsNull = (schema: unknown, root: JsonSchema): boolean =>
  schema === true ||
  variants(schema, root).some(
    (node) =>
      [node.type].flat().includes('null') ||
      node.nullable === true ||
      node.const === null ||
      arrayOf(node.enum).includes(null) ||
      !TYPE_KEYWORDS.some((keyword) => node[keyword] !== undefined),
  );

/**
 * Tells whether null stands for an absent field: the field is declared and no schema accepts null.
 * That a field is required does not matter: one branch of a union may require what another does not
 * have.
 */
const isMeantAsAbsent = (key: string, nodes: readonly JsonSchema[], root: JsonSchema): boolean => {
  const declared = nodes
    .map((node) => own(node.properties, key))
    .filter((schema) => schema !== undefined);
  return declared.length > 0 && !declared.some((schema) => acceptsNull(schema, root));
};

const strip = (value: unknown, schemas: readonly unknown[], position: Position): unknown => {
  const { root, depth } = position;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  const nodes = schemas.flatMap((schema) => variants(schema, root));
  const inner = { root, depth: depth + 1 };
  if (Array.isArray(value)) {
    const items = nodes.map((node) => node.items);
    return value.map((item) => strip(item, items, inner));
  }
  const present = Object.entries(value).filter(
    ([key, member]) => member !== null || !isMeantAsAbsent(key, nodes, root),
  );
  // As own properties, also `__proto__`, which the pipeline refuses.
  return Object.fromEntries(
    present.map(([key, member]) => {
      const below = nodes.map((node) => own(node.properties, key));
      return [key, strip(member, below, inner)];
    }),
  );
};

/** Returns a copy without the nulls that stand for absent fields. */
export const dropNulls = (value: unknown, schema: JsonSchema): unknown =>
  strip(value, [schema], { root: schema, depth: 0 });

const parse = (text: unknown): TurnCall['input'] => {
  if (typeof text !== 'string') return { value: text ?? {} };
  // Some models write nothing where there are no arguments.
  if (text.trim() === '') return { value: {} };
  const json = parseStrictJson(text);
  if ('value' in json) return json;
  const { kind, message } = json.flaw;
  const reason = kind === 'syntax' ? 'not JSON' : `refused: ${message}`;
  return { fault: `The arguments are ${reason}. Send them again, whole and as one JSON object.` };
};

/** Parses arguments and removes the nulls that models write in OpenAI's strict mode. */
export const parseArguments = (
  text: unknown,
  schema: JsonSchema | undefined,
): TurnCall['input'] => {
  const input = parse(text);
  if (!schema || 'fault' in input) return input;
  return { value: dropNulls(input.value, schema) };
};
