/** The configuration as JSON Schema 2020-12, published for editors as `docs/config.schema.json`. */
import { z } from 'zod';
import { configSchema } from '../schema.ts';

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapValues = (value: unknown, change: (node: Node) => Node): unknown =>
  isNode(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, node]) => [key, isNode(node) ? change(node) : node]),
      )
    : value;

/**
 * Says what the loader accepts: a mapping with nothing in it but comments. Alternatives are left as
 * they are, for there an empty value is a mistake.
 */
const allowEmpty = (node: Node): Node => {
  if (node.type !== 'object') return node;
  const { properties, additionalProperties } = node;
  return {
    ...node,
    type: ['object', 'null'],
    ...(isNode(properties) && { properties: mapValues(properties, allowEmpty) }),
    ...(isNode(additionalProperties) && {
      additionalProperties: allowEmpty(additionalProperties),
    }),
  };
};

/** The bounds of exact integers say nothing to a reader, and our own marks nothing to an editor. */
const dropNoise = (node: Node): void => {
  delete node.project;
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
};

export const configJsonSchema = (): Record<string, unknown> => {
  const { $schema, ...root } = z.toJSONSchema(configSchema, {
    io: 'input',
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => dropNoise(jsonSchema as Node),
  });
  return {
    $schema,
    $id: 'urn:toolcrib:config',
    title: 'Toolcrib configuration',
    ...allowEmpty(root),
  };
};
