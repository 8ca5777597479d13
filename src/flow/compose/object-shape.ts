/** Reads the fields of an object from the schema of a tool, to pass data from one tool to the next. */
import type { JsonSchema, LazySchema, Schema } from '../../contract/schema.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import {
  compileSchema,
  isZodSchema,
  type SchemaSide,
} from '../../registry/schema/compile-schema.ts';

export interface ObjectShape {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: ReadonlySet<string>;
  /** Other fields are refused. */
  readonly isClosed: boolean;
}

/** Returns the schema as JSON Schema. One of Zod is compiled at once, so nothing has to be awaited. */
export const jsonOf = (source: LazySchema, side: SchemaSide): JsonSchema => {
  const schema = typeof source === 'function' ? source() : source;
  return isZodSchema(schema) ? (compileSchema(schema, side) as Schema).json : schema;
};

/** Returns the fields, or `undefined` where the schema does not list them at its root. */
export const shapeOf = (
  source: LazySchema | undefined,
  side: SchemaSide,
): ObjectShape | undefined => {
  if (source === undefined) return undefined;
  const { properties, required, additionalProperties } = jsonOf(source, side);
  if (!isRecord(properties)) return undefined;
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return {
    properties: properties as ObjectShape['properties'],
    required: new Set(names),
    isClosed: additionalProperties === false,
  };
};

/** Takes the fields that a tool knows; a value whose shape is unknown is passed on whole. */
export const pickFields = (shape: ObjectShape | undefined, value: unknown): unknown => {
  if (shape === undefined || !isRecord(value)) return value;
  const names = Object.keys(shape.properties).filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(names.map((name) => [name, value[name]]));
};

export const typesOf = ({ type }: JsonSchema): readonly string[] => {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((each) => typeof each === 'string') : [];
};

/** Says whether a value of one schema can have a type of the other; a missing type fits any. */
export const mayFit = (from: JsonSchema, to: JsonSchema): boolean => {
  const [given, accepted] = [typesOf(from), typesOf(to)];
  if (given.length === 0 || accepted.length === 0) return true;
  const fits = (type: string): boolean =>
    accepted.includes(type) ||
    (type === 'integer' && accepted.includes('number')) ||
    (type === 'number' && accepted.includes('integer'));
  return given.some(fits);
};

/** Lists why the output of one tool can never be the input of the next; empty when it may fit. */
export const mismatches = (
  output: LazySchema | undefined,
  input: LazySchema,
): readonly string[] => {
  if (output === undefined) return [];
  const given = jsonOf(output, 'output');
  const accepted = jsonOf(input, 'input');
  if (!mayFit(given, accepted)) {
    return [`it is ${typesOf(given).join(' or ')}, not ${typesOf(accepted).join(' or ')}`];
  }
  return fieldMismatches(shapeOf(given, 'output'), shapeOf(accepted, 'input'));
};

const fieldMismatches = (
  from: ObjectShape | undefined,
  to: ObjectShape | undefined,
): readonly string[] => {
  if (from === undefined || to === undefined) return [];
  const problems: string[] = [];
  for (const [name, schema] of Object.entries(to.properties)) {
    const own = Object.hasOwn(from.properties, name) ? from.properties[name] : undefined;
    if (own === undefined) {
      if (to.required.has(name)) problems.push(`${name} is missing`);
    } else if (!mayFit(own, schema)) {
      problems.push(`${name} is ${typesOf(own).join(' or ')}, not ${typesOf(schema).join(' or ')}`);
    }
  }
  return problems;
};
