import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configSchema } from '../schema.ts';
import { configFields } from './config-fields.ts';
import { childShape, type ShapeNode, shapeAt } from './config-shape.ts';
import { configShape } from './read-config-shape.ts';

/** What Zod itself makes of the schema, cut down to what a shape holds. */
const fromZod = (node: Record<string, unknown>): unknown => {
  const below = (key: string) =>
    node[key] === undefined ? {} : { [key]: fromZod(node[key] as Record<string, unknown>) };
  const all = (nodes: unknown) => (nodes as Record<string, unknown>[]).map(fromZod);
  const kinds = node.anyOf ?? node.oneOf;
  if (Array.isArray(node.type)) {
    const { type, ...rest } = node;
    return fromZod({ ...rest, anyOf: (type as string[]).map((one) => ({ type: one })) });
  }
  const properties = Object.entries(node.properties ?? {}).map(([key, value]) => [
    key,
    fromZod(value as Record<string, unknown>),
  ]);
  const pick = [
    ...['type', 'description', 'default', 'enum', 'const', 'minimum', 'exclusiveMinimum'],
    'project',
  ];
  return {
    ...Object.fromEntries(pick.filter((key) => key in node).map((key) => [key, node[key]])),
    ...(kinds === undefined ? {} : { anyOf: all(kinds) }),
    ...('properties' in node && { properties: Object.fromEntries(properties) }),
    ...('properties' in node && { required: node.required ?? [] }),
    ...(node.additionalProperties === false
      ? { additionalProperties: false }
      : below('additionalProperties')),
    ...below('items'),
  };
};

describe('configShape', () => {
  it('has the content of the JSON Schema that Zod makes', () => {
    const json = z.toJSONSchema(configSchema, { io: 'input' });
    expect(configShape()).toEqual(fromZod(json));
  });

  it('finds own keys only', () => {
    const shape = configShape();
    expect(shapeAt(shape, ['execution', 'breaker', 'failures'])?.default).toBe(5);
    expect(shapeAt(shape, ['workspace', 'extraRoots', 3])?.type).toBe('string');
    expect(childShape(shape, 'constructor')).toBeUndefined();
    expect(childShape({ type: 'object', properties: {} }, 'toString')).toBeUndefined();
    expect(shapeAt(shape, ['nope', 'deeper'])).toBeUndefined();
  });

  it('has only types that variables and help support', () => {
    const leaves = (shape: ShapeNode): readonly (string | undefined)[] =>
      shape.anyOf ? shape.anyOf.flatMap(leaves) : [shape.type];
    const kinds = new Set(configFields().flatMap(({ shape }) => leaves(shape)));
    // Without a type: the keywords of a JSON Schema and the fields of a message.
    expect([...kinds].toSorted()).toEqual([
      'array',
      'boolean',
      'integer',
      'number',
      'object',
      'string',
      undefined,
    ]);
  });
});
