/** Makes the JSON Schema 2020-12 of the configuration, published for editors as `docs/config.schema.json`. */
import { z } from 'zod';
import { isRecord } from '../../kit/data/is-record.ts';
import { configSchema } from '../schema.ts';

type Node = Record<string, unknown>;

const mapValues = (value: unknown, change: (node: Node) => Node): unknown =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, node]) => [key, isRecord(node) ? change(node) : node]),
      )
    : value;

/**
 * Allows what the loader accepts: a mapping with nothing but comments. Alternatives stay as they are,
 * because an empty value is a mistake there.
 */
const allowEmpty = (node: Node): Node => {
  if (node.type !== 'object') return node;
  const { properties, additionalProperties } = node;
  return {
    ...node,
    type: ['object', 'null'],
    ...(isRecord(properties) && { properties: mapValues(properties, allowEmpty) }),
    ...(isRecord(additionalProperties) && {
      additionalProperties: allowEmpty(additionalProperties),
    }),
  };
};

/** Removes the bounds of safe integers and our own marks: editors have no use for them. */
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
