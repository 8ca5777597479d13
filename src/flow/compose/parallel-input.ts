/** The input of a parallel tool: the union of those of its parts, or one object for each of them. */
import type { JsonSchema } from '../../contract/schema.ts';
import type { Tool } from '../../contract/tool.ts';
import { canonicalJson } from '../../kit/data/canonical-json.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { ownValue } from '../../kit/data/own-value.ts';
import { refused } from './compose-options.ts';
import { jsonOf, mayFit, type ObjectShape, pickFields, shapeOf, typesOf } from './object-shape.ts';

export interface ParallelPart {
  /** Its name in the result: that of the tool, with a number where the tool comes again. */
  readonly key: string;
  readonly tool: Tool;
  readonly shape: ObjectShape | undefined;
}

/** Numbers a tool that comes again, so that no result replaces another. */
export const keyedParts = (tools: readonly Tool[]): readonly ParallelPart[] => {
  const taken = new Set(tools.map(({ name }) => name));
  const used = new Set<string>();
  return tools.map((tool) => {
    let key = tool.name;
    for (let count = 2; used.has(key); count += 1) {
      const numbered = `${tool.name}_${count}`;
      if (!taken.has(numbered)) key = numbered;
    }
    used.add(key);
    return { key, tool, shape: shapeOf(tool.input, 'input') };
  });
};

/** Definitions of one schema mean nothing in another: the part checks such a field by itself. */
const withoutReferences = (schema: JsonSchema): JsonSchema =>
  JSON.stringify(schema).includes('"$ref"') ? {} : schema;

interface Field {
  readonly owner: string;
  readonly schema: JsonSchema;
}

const joined = (name: string, one: Field, other: Field): Field => {
  if (!mayFit(one.schema, other.schema)) {
    const types = [one, other].map(
      ({ owner, schema }) => `${typesOf(schema).join(' or ')} for ${owner}`,
    );
    throw refused('parallel', `${name} is ${types.join(' and ')}. Give namespaced: true.`);
  }
  const isSame = canonicalJson(one.schema) === canonicalJson(other.schema);
  return isSame ? one : { owner: one.owner, schema: { allOf: [one.schema, other.schema] } };
};

/** Throws CONFIG_INVALID, and names both tools, where two want another type under one name. */
export const unionInput = (parts: readonly ParallelPart[]): JsonSchema => {
  const fields = new Map<string, Field>();
  const required = new Set<string>();
  for (const { tool, shape } of parts) {
    for (const [name, schema] of Object.entries(shape?.properties ?? {})) {
      const field = { owner: tool.name, schema: withoutReferences(schema) };
      const earlier = fields.get(name);
      fields.set(name, earlier ? joined(name, earlier, field) : field);
    }
    for (const name of shape?.required ?? []) required.add(name);
  }
  const properties = Object.fromEntries([...fields].map(([name, { schema }]) => [name, schema]));
  const isClosed = parts.every(({ shape }) => shape !== undefined);
  return {
    type: 'object',
    properties,
    required: [...required],
    ...(isClosed && { additionalProperties: false }),
  };
};

/** One object for each part, under its key. */
export const namespacedInput = (parts: readonly ParallelPart[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    parts.map(({ key, tool }) => [key, withoutReferences(jsonOf(tool.input, 'input'))]),
  ),
  required: parts.flatMap(({ key, shape }) => (shape?.required.size === 0 ? [] : [key])),
  additionalProperties: false,
});

/** Takes the arguments of one part from those of the whole. */
export const partInput = (
  { key, shape }: ParallelPart,
  input: unknown,
  isNamespaced: boolean,
): unknown => {
  if (!isNamespaced) return pickFields(shape, input);
  return (isRecord(input) ? ownValue(input, key) : undefined) ?? {};
};
