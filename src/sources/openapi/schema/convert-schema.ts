/**
 * Converts a schema of OpenAPI 3.0, 3.1 or Swagger 2 to JSON Schema 2020-12. References become local
 * ones, `#/$defs/<name>`, also in circles. What is not understood is left out: the API checks it.
 */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { isPrototypeKey } from '../../../kit/data/prototype-key.ts';
import type { Fields } from '../operations/definition.ts';
import type { Located } from '../operations/resolver.ts';
import { shortText } from '../operations/short-text.ts';
import type { Components, Converted } from './converted.ts';
import { type Branch, discriminated } from './discriminator.ts';
import { findProperties } from './find-properties.ts';
import { enumOf, isSafePattern, plainKeywords } from './keywords.ts';
import {
  containsItself,
  isOwnAlternative,
  listsItself,
  referencesIn,
  type Target,
  withoutUnions,
} from './loops.ts';
import { mergeAllOf } from './merge-all-of.ts';
import { withoutFields } from './other-side.ts';
import type { Side } from './side.ts';

const MAX_DEPTH = 40;
const MAX_DESCRIPTION = 240;
const MAX_PROPERTIES = 1_000;
const MAX_BRANCHES = 100;
const MAX_KEY = 500;
/** A schema with more schemas inside is too large for a tool, so what is left of it need not be converted. */
const MAX_CONVERTED = 20_000;
const HIDDEN = /\p{C}/u;

/** Tells whether a key can be shown, and may be in an input. */
const isUsableKey = (key: string): boolean =>
  key.length <= MAX_KEY && !isPrototypeKey(key) && !HIDDEN.test(key);

const schemasOf = (branches: readonly Branch[]): readonly JsonSchema[] =>
  branches.map(({ schema }) => schema);

const UNSET: JsonSchema = Object.freeze({});
const NOTHING: JsonSchema = { not: {} };

class Conversion {
  readonly names = new Set<string>();
  readonly #book: Components;
  readonly #side: Side;
  readonly #address: string;
  /** The schema that is converted, while only its combinations were entered: they are about the same value. */
  #own: Target | undefined;
  #left = MAX_CONVERTED;

  constructor(book: Components, side: Side, { value, address }: Located) {
    this.#book = book;
    this.#side = side;
    this.#address = address;
    this.#own = isRecord(value) ? value : undefined;
  }

  /** Converts the schema of a value inside the value. */
  #inner(value: unknown, depth: number): JsonSchema {
    const own = this.#own;
    this.#own = undefined;
    const converted = this.convert(value, depth + 1);
    this.#own = own;
    return converted;
  }

  convert(value: unknown, depth: number): JsonSchema {
    if (value === false) return NOTHING;
    if (!isRecord(value) || depth > MAX_DEPTH || this.#left <= 0) return UNSET;
    this.#left -= 1;
    if (typeof value.$ref === 'string') return this.#reference(value, value.$ref, depth);
    return this.#nullable(value, this.#structure(value, depth));
  }

  #reference(schema: Fields, reference: string, depth: number): JsonSchema {
    const name = this.#book.nameOf(reference, this.#address);
    if (name === undefined) return UNSET;
    this.names.add(name);
    const { $ref: _, ...siblings } = schema;
    const { description, nullable, ...others } = siblings;
    const text = shortText(description, MAX_DESCRIPTION);
    const beside = isLater(this.#book) ? this.#structure(others, depth) : {};
    const refers = {
      ...beside,
      $ref: `#/$defs/${name}`,
      ...(text !== '' && { description: text }),
    };
    return nullable === true ? { anyOf: [refers, { type: 'null' }] } : refers;
  }

  #structure(schema: Fields, depth: number): JsonSchema {
    const copy = plainKeywords(schema);
    this.#describe(schema, copy);
    this.#object(schema, copy, depth);
    this.#array(schema, copy, depth);
    this.#branches(schema, copy, depth);
    if (isRecord(schema.not)) copy.not = this.#inner(schema.not, depth);
    return this.#allOf(schema, copy, depth);
  }

  #describe(schema: Fields, copy: Record<string, unknown>): void {
    const { values, note } = enumOf(schema);
    if (values) copy.enum = values;
    const about = shortText(schema.description ?? schema.title, MAX_DESCRIPTION);
    const { default: preset } = schema;
    // A default is described but not filled in: the API applies its own.
    const isPlain =
      typeof preset === 'number' ||
      typeof preset === 'boolean' ||
      (typeof preset === 'string' && preset !== '');
    const presetNote = isPlain ? `Default: ${shortText(String(preset), 80)}.` : '';
    const text = [about, note ?? '', presetNote].filter((one) => one !== '').join(' ');
    if (text !== '') copy.description = text;
  }

  #object(schema: Fields, copy: Record<string, unknown>, depth: number): void {
    const { properties, required, additionalProperties, patternProperties } = schema;
    const fields = isRecord(properties) ? this.#properties(properties, depth) : undefined;
    if (fields) {
      copy.properties = fields.properties;
      copy.type ??= 'object';
    }
    if (Array.isArray(required)) {
      const names = required.filter(
        (name): name is string =>
          typeof name === 'string' && isUsableKey(name) && fields?.omitted.has(name) !== true,
      );
      if (names.length > 0) copy.required = [...new Set(names)].slice(0, MAX_PROPERTIES);
    }
    if (additionalProperties === false || isRecord(additionalProperties)) {
      copy.additionalProperties =
        additionalProperties === false ? false : this.#inner(additionalProperties, depth);
    } else if (additionalProperties === true) copy.additionalProperties = true;
    if (isRecord(patternProperties)) {
      copy.patternProperties = this.#map(patternProperties, depth, isSafePattern);
    }
    if (isRecord(schema.propertyNames))
      copy.propertyNames = this.#inner(schema.propertyNames, depth);
  }

  #map(schemas: Fields, depth: number, isKey: (key: string) => boolean): JsonSchema {
    return Object.fromEntries(
      Object.entries(schemas)
        .filter(([key]) => isKey(key))
        .slice(0, MAX_PROPERTIES)
        .map(([key, schema]) => [key, this.#inner(schema, depth)]),
    );
  }

  #properties(properties: Fields, depth: number) {
    const otherSide = this.#book.otherSide(this.#side);
    const omitted = new Set<string>();
    const members: [string, JsonSchema][] = [];
    for (const [key, schema] of Object.entries(properties).slice(0, MAX_PROPERTIES)) {
      if (!isUsableKey(key) || otherSide.has(this.#at(schema))) {
        omitted.add(key);
      } else members.push([key, this.#inner(schema, depth)]);
    }
    return { properties: Object.fromEntries(members), omitted };
  }

  #at(value: unknown): Located {
    return { value, address: this.#address, pointer: '' };
  }

  #array(schema: Fields, copy: Record<string, unknown>, depth: number): void {
    const { items, prefixItems, contains } = schema;
    const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    if (tuple.length > 0) {
      copy.prefixItems = tuple.slice(0, MAX_BRANCHES).map((item) => this.#inner(item, depth));
    }
    if (isRecord(items)) copy.items = this.#inner(items, depth);
    if (isRecord(contains)) copy.contains = this.#inner(contains, depth);
    if (isRecord(items) && copy.type === undefined) copy.type = 'array';
  }

  #branches(schema: Fields, copy: Record<string, unknown>, depth: number): void {
    const { oneOf, anyOf, discriminator } = schema;
    const listed = (list: unknown): readonly unknown[] =>
      Array.isArray(list) && list.length <= MAX_BRANCHES ? (list as unknown[]) : [];
    const any = listed(anyOf);
    const one = listed(oneOf);
    const { resolver } = this.#book;
    const own = this.#own;
    if (own && [...any, ...one].some((each) => isOwnAlternative(this.#at(each), own, resolver)))
      return;
    const converted = (list: readonly unknown[]): readonly Branch[] =>
      list.map((raw) => ({ raw, schema: this.convert(raw, depth + 1) }));
    const fieldsOf = (branch: unknown, name: string): readonly unknown[] =>
      findProperties(this.#at(branch), name, resolver).map((each) => resolver.fields(each)?.value);
    const anyBranches = converted(any);
    // Beside `anyOf` it counts only with a discriminator.
    const oneBranches = any.length === 0 || isRecord(discriminator) ? converted(one) : [];
    const exclusive = discriminated(oneBranches, discriminator, fieldsOf);
    if (exclusive) copy.oneOf = exclusive;
    // By JSON Schema exactly one has to fit. Without a discriminator the alternatives of most documents
    // overlap (an object and one with more optional fields, a text and a date), so that values which the API
    // takes would be refused here: at least one has to fit, and the API decides which one is meant.
    else if (one.length > 0 && any.length === 0) copy.anyOf = schemasOf(oneBranches);
    if (any.length > 0) copy.anyOf = schemasOf(anyBranches);
  }

  #allOf(schema: Fields, copy: JsonSchema, depth: number): JsonSchema {
    const { allOf } = schema;
    if (!Array.isArray(allOf) || allOf.length === 0 || allOf.length > MAX_BRANCHES) return copy;
    // One part may require a field that another one marks as that of the other side.
    const omitted = this.#book.otherSide(this.#side).fieldsOf(this.#at(schema));
    const parts = (allOf as unknown[]).map((part) =>
      withoutFields(this.#part(part, depth), omitted),
    );
    return mergeAllOf(
      withoutFields(copy, omitted),
      parts.filter((part) => Object.keys(part).length > 0),
    );
  }

  /** Takes in a base that lists this very schema among its alternatives, without these. */
  #base(part: unknown, depth: number): JsonSchema {
    const reference: unknown = isRecord(part) ? part.$ref : undefined;
    const name =
      typeof reference === 'string' ? this.#book.nameOf(reference, this.#address) : undefined;
    const whole =
      name === undefined ? this.convert(part, depth + 1) : this.#book.whole(name, this.#side);
    const base = withoutUnions(whole ?? UNSET);
    for (const inner of referencesIn(base)) this.names.add(inner);
    return base;
  }

  /** Puts the component in the place of a reference, so that its fields can be merged. */
  #part(part: unknown, depth: number): JsonSchema {
    const own = this.#own;
    const { resolver } = this.#book;
    if (own && containsItself(this.#at(part), own, resolver)) return UNSET;
    if (own && listsItself(this.#at(part), own, resolver)) return this.#base(part, depth);
    const converted = this.convert(part, depth + 1);
    // Inside a value: a base of the same value is always taken in, so that its fields can be merged.
    if (own === undefined && this.#book.isRecursive(this.#at(part))) return converted;
    const { $ref, ...siblings } = converted;
    if (typeof $ref !== 'string' || Object.keys(siblings).some((key) => key !== 'description')) {
      return converted;
    }
    const name = $ref.slice('#/$defs/'.length);
    const component = this.#book.mergeable(name, this.#side);
    if (!component) return converted;
    for (const inner of component.names) this.names.add(inner);
    return { ...component.schema, ...siblings };
  }

  #nullable(schema: Fields, copy: JsonSchema): JsonSchema {
    if (schema.nullable !== true && schema['x-nullable'] !== true) return copy;
    const { type, enum: values } = copy;
    if (
      typeof type === 'string' &&
      copy.allOf === undefined &&
      copy.oneOf === undefined &&
      copy.anyOf === undefined
    ) {
      const withNull =
        Array.isArray(values) && !values.includes(null) ? [...(values as unknown[]), null] : values;
      return {
        ...copy,
        type: type === 'null' ? type : [type, 'null'],
        ...(withNull !== undefined && { enum: withNull }),
      };
    }
    const isOpen = Object.keys(copy).every((key) => key === 'description');
    if (isOpen || (Array.isArray(type) && type.includes('null'))) return copy;
    return { anyOf: [copy, { type: 'null' }] };
  }
}

/** Tells whether the document is of 3.1 or later, where keywords beside a reference count. */
const isLater = ({ resolver }: Components): boolean => {
  const { openapi } = resolver.root;
  // YAML reads `openapi: 3.1` as a number.
  return openapi !== undefined && !/^3(?:\.0|$)/.test(String(openapi));
};

export const convertSchema = (located: Located, side: Side, book: Components): Converted => {
  const conversion = new Conversion(book, side, located);
  const schema = conversion.convert(located.value, 0);
  return { schema, names: conversion.names };
};
