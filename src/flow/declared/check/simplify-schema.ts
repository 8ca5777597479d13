/**
 * Rewrites a JSON Schema with the few words that flows are compared by: `type`, `enum`, `properties`,
 * `required`, `additionalProperties: false` and `items`. What comes out allows at least what the schema
 * allows, so that no fault is found in a flow that works.
 */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { ownValue } from '../../../kit/data/own-value.ts';
import {
  commonValues,
  declaredValues,
  jsonType,
  valuesOf,
  valuesOfEither,
} from './allowed-values.ts';

/** A schema of more parts is unknown beyond them: references can repeat a part very often. */
const MAX_PARTS = 5_000;
const MAX_DEPTH = 40;

/** Words that say nothing about a value; beside any other word a `$ref` is left unknown. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['$ref', '$schema', '$id', '$defs', 'definitions', '$comment', 'title', 'description'],
  ...['default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
]);

const NOTHING: JsonSchema = Object.freeze({});

const isSchema = (value: unknown): value is JsonSchema => isRecord(value);

/** Lists the types that a schema names; nothing where it names none. */
export const typesOf = ({ type }: JsonSchema): readonly string[] | undefined => {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) && type.every((each) => typeof each === 'string') ? type : undefined;
};

export const requiredOf = ({ required }: JsonSchema): readonly string[] =>
  Array.isArray(required) ? required.filter((each) => typeof each === 'string') : [];

const propertiesOf = ({ properties }: JsonSchema): Readonly<Record<string, unknown>> =>
  isRecord(properties) ? properties : {};

const isClosed = ({ additionalProperties }: JsonSchema): boolean => additionalProperties === false;

/** Lists the types that both allow. An integer is a number. */
const commonTypes = (one: readonly string[], other: readonly string[]): readonly string[] => {
  const allows = (types: readonly string[], type: string): boolean =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return [...new Set([...one, ...other])].filter(
    (type) => allows(one, type) && allows(other, type),
  );
};

/** Joins two simple schemas that both have to hold. One that nothing fits is unknown. */
const both = (one: JsonSchema, other: JsonSchema): JsonSchema => {
  const [types, others] = [typesOf(one), typesOf(other)];
  const type = types && others ? commonTypes(types, others) : (types ?? others);
  const values = commonValues(valuesOf(one), valuesOf(other));
  if (type?.length === 0 || values?.length === 0) return NOTHING;
  const properties: Record<string, unknown> = Object.create(null);
  const [left, right] = [propertiesOf(one), propertiesOf(other)];
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const [first, second] = [ownValue(left, name), ownValue(right, name)];
    // What one of them forbids cannot be there.
    if ((first === undefined && isClosed(one)) || (second === undefined && isClosed(other)))
      continue;
    properties[name] =
      isSchema(first) && isSchema(second) ? both(first, second) : (first ?? second);
  }
  const [items, otherItems] = [one.items, other.items];
  return {
    ...(type && { type }),
    ...(values && { enum: values }),
    ...((one.properties ?? other.properties) !== undefined && { properties }),
    required: [...new Set([...requiredOf(one), ...requiredOf(other)])],
    ...((isClosed(one) || isClosed(other)) && { additionalProperties: false }),
    ...((items ?? otherItems) !== undefined && {
      items:
        isSchema(items) && isSchema(otherItems) ? both(items, otherItems) : (items ?? otherItems),
    }),
  };
};

/** Joins schemas of objects: what one of them may hold is allowed, and what all of them need is needed. */
const eitherObject = (branches: readonly JsonSchema[]): JsonSchema => {
  const lists = branches.map(propertiesOf);
  const properties: Record<string, unknown> = Object.create(null);
  for (const name of new Set(lists.flatMap((list) => Object.keys(list)))) {
    const parts = branches.flatMap((branch, at): readonly JsonSchema[] => {
      const part = ownValue(lists[at] ?? {}, name);
      if (isSchema(part)) return [part];
      return isClosed(branch) ? [] : [NOTHING];
    });
    properties[name] = either(parts);
  }
  const [first, ...others] = branches.map(requiredOf);
  const required = first?.filter((name) => others.every((names) => names.includes(name)));
  return {
    properties,
    required: required ?? [],
    ...(branches.every(isClosed) && { additionalProperties: false }),
  };
};

/** Joins simple schemas of which one has to hold. */
const either = (branches: readonly JsonSchema[]): JsonSchema => {
  const types = branches.map(typesOf);
  if (types.some((each) => each === undefined)) return NOTHING;
  const values = valuesOfEither(branches);
  const ofType = (type: string) => branches.filter((_branch, at) => types[at]?.includes(type));
  const objects = ofType('object');
  const items = ofType('array').map((branch) => branch.items);
  return {
    type: [...new Set(types.flatMap((each) => each ?? []))],
    ...(values && { enum: values }),
    ...(objects.length > 0 && eitherObject(objects)),
    ...(items.length > 0 && items.every(isSchema) && { items: either(items) }),
  };
};

class Simplifier {
  readonly #root: JsonSchema;
  readonly #open = new Set<JsonSchema>();
  #parts = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  simplify(schema: unknown, depth = 0): JsonSchema {
    this.#parts += 1;
    const isTooMuch = this.#parts > MAX_PARTS || depth > MAX_DEPTH;
    if (!isSchema(schema) || isTooMuch || this.#open.has(schema)) return NOTHING;
    // A schema with a name of its own is what the references inside it begin at.
    if (schema !== this.#root && typeof schema.$id === 'string') return NOTHING;
    this.#open.add(schema);
    try {
      return '$ref' in schema ? this.#referred(schema, depth) : this.#combined(schema, depth);
    } finally {
      this.#open.delete(schema);
    }
  }

  #referred(schema: JsonSchema, depth: number): JsonSchema {
    const { $ref } = schema;
    const isAlone = Object.keys(schema).every((word) => ANNOTATIONS.has(word));
    if (!isAlone || typeof $ref !== 'string' || !/^#(?:\/|$)/.test($ref)) return NOTHING;
    let at: unknown = this.#root;
    for (const part of $ref.split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      at = isRecord(at) ? ownValue(at, name) : Array.isArray(at) ? at[Number(name)] : undefined;
    }
    return this.simplify(at, depth + 1);
  }

  #combined(schema: JsonSchema, depth: number): JsonSchema {
    let result = this.#own(schema, depth);
    const inner = (part: unknown): JsonSchema => this.simplify(part, depth + 1);
    if (Array.isArray(schema.allOf)) {
      for (const part of schema.allOf) result = both(result, inner(part));
    }
    for (const word of ['anyOf', 'oneOf'] as const) {
      const branches = schema[word];
      if (Array.isArray(branches)) result = both(result, either(branches.map(inner)));
    }
    return result;
  }

  #own(schema: JsonSchema, depth: number): JsonSchema {
    const values = declaredValues(schema);
    const types = typesOf(schema) ?? (values && [...new Set(values.map(jsonType))]);
    const type = types && schema.nullable === true ? [...types, 'null'] : types;
    const properties: Record<string, unknown> = Object.create(null);
    for (const [name, each] of Object.entries(propertiesOf(schema))) {
      properties[name] = this.simplify(each, depth + 1);
    }
    // Names of a pattern are allowed although they are not declared.
    const isShut = isClosed(schema) && schema.patternProperties === undefined;
    const hasItems = isSchema(schema.items) && schema.prefixItems === undefined;
    return {
      ...(type && { type }),
      ...(values && { enum: values }),
      ...(isRecord(schema.properties) && { properties }),
      required: requiredOf(schema),
      ...(isShut && { additionalProperties: false }),
      ...(hasItems && { items: this.simplify(schema.items, depth + 1) }),
    };
  }
}

/** Never throws: of what cannot be read nothing is known. */
export const simplifySchema = (schema: JsonSchema): JsonSchema =>
  new Simplifier(schema).simplify(schema);
