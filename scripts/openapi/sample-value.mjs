/**
 * Makes a value that fits a JSON Schema, always the same for the same schema. Several variants are made
 * and checked with Ajv; the first that fits is the answer.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { at, isObject } from './document.mjs';
import { textOfPattern } from './sample-text.mjs';

const MAX_DEPTH = 7;
const MAX_OPTIONAL = 25;
/** Which optional fields are given, and which branch of a choice is taken. */
const VARIANTS = [
  { optional: 3, branch: 0 },
  { optional: 1, branch: 0 },
  { optional: 0, branch: 0 },
  { optional: 1, branch: 1 },
  { optional: 0, branch: 1 },
  { optional: 0, branch: 2 },
];

const FORMATS = {
  'date-time': '2024-01-31T10:20:30Z',
  date: '2024-01-31',
  time: '10:20:30Z',
  duration: 'PT1H',
  uuid: '0b5f2c1e-4d8a-4e7b-9c3d-1a2b3c4d5e6f',
  guid: '0b5f2c1e-4d8a-4e7b-9c3d-1a2b3c4d5e6f',
  email: 'ada@example.com',
  uri: 'https://example.com/a?b=c',
  url: 'https://example.com/a?b=c',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  byte: 'aGVsbG8=',
  base64: 'aGVsbG8=',
};

/** Joins what all parts of a node ask for into one node without references and combinations. */
const flattened = (node, context, open = []) => {
  if (!isObject(node)) return node === false ? false : {};
  if (typeof node.$ref === 'string') {
    if (open.includes(node.$ref)) return {};
    const { $ref, ...siblings } = node;
    const target = flattened(at(context.root, $ref), context, [...open, $ref]);
    return joined(target, flattened(siblings, context, open));
  }
  const { allOf = [], anyOf, oneOf, ...own } = node;
  const choices = [anyOf, oneOf].filter(Array.isArray).map((all) => {
    const usable = all.filter((one) => one !== false);
    return usable[context.variant.branch % usable.length] ?? {};
  });
  return [...allOf, ...choices].map((part) => flattened(part, context, open)).reduce(joined, own);
};

const intersection = (one, other) => {
  if (one === undefined || other === undefined) return one ?? other;
  const second = [other].flat();
  const both = [one].flat().filter((type) => {
    if (second.includes(type)) return true;
    return type === 'integer' && second.includes('number');
  });
  return both.length > 0 ? both : other;
};

const joined = (one, other) => {
  if (one === false || other === false) return false;
  const properties = { ...one.properties };
  for (const [name, schema] of Object.entries(other.properties ?? {})) {
    properties[name] = Object.hasOwn(properties, name)
      ? { allOf: [properties[name], schema] }
      : schema;
  }
  const type = intersection(one.type, other.type);
  return {
    ...one,
    ...other,
    ...(type !== undefined && { type }),
    ...(Object.keys(properties).length > 0 && { properties }),
    required: [...new Set([...(one.required ?? []), ...(other.required ?? [])])],
    ...(one.enum && other.enum && { enum: other.enum.filter((each) => one.enum.includes(each)) }),
  };
};

const typeOf = (schema) => {
  const types = [schema.type].flat().filter((type) => type !== undefined);
  const type = types.find((one) => one !== 'null') ?? types[0];
  if (type !== undefined) return type;
  if (schema.properties || schema.additionalProperties) return 'object';
  if (schema.items) return 'array';
  if (schema.minimum !== undefined || schema.maximum !== undefined) return 'number';
  return 'string';
};

const textOf = (schema, { text }) => {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
  if (pattern !== undefined) return textOfPattern(pattern, { minLength, maxLength });
  const base = FORMATS[format] ?? text;
  const long = base.padEnd(minLength, 'x');
  return long.length > maxLength ? 'x'.repeat(Math.max(minLength, Math.min(maxLength, 3))) : long;
};

const numberOf = (schema, type) => {
  const step = schema.multipleOf > 0 ? schema.multipleOf : 1;
  const isWhole = type === 'integer';
  let low = schema.minimum ?? Number.NEGATIVE_INFINITY;
  let high = schema.maximum ?? Number.POSITIVE_INFINITY;
  const span = isWhole || high - low > 2 ? 1 : (high - low) / 4;
  if (schema.exclusiveMinimum !== undefined) low = Math.max(low, schema.exclusiveMinimum + span);
  if (schema.exclusiveMaximum !== undefined) high = Math.min(high, schema.exclusiveMaximum - span);
  const value = Math.min(Math.max(7, low), high);
  const stepped = Math.ceil(value / step) * step;
  const fitting = stepped > high ? Math.floor(value / step) * step : stepped;
  return isWhole ? Math.round(fitting) : step === 1 && span !== 1 ? value : fitting;
};

const listOf = (schema, context) => {
  if (context.depth > MAX_DEPTH && !schema.minItems) return [];
  const most = schema.maxItems ?? Number.POSITIVE_INFINITY;
  const count = Math.min(Math.max(schema.minItems ?? 0, 2), most, 20);
  const items = Array.from({ length: count }, (_, index) =>
    madeValue(schema.prefixItems?.[index] ?? schema.items ?? {}, {
      ...context,
      depth: context.depth + 1,
      text: `item${index}`,
      turn: index,
    }),
  ).filter((item) => item !== undefined);
  if (schema.uniqueItems !== true) return items;
  const texts = items.map((item) => JSON.stringify(item));
  return items.filter((_, index) => texts.indexOf(texts[index]) === index);
};

/** A file of the crib has a text or bytes, not both. */
const isFileInput = ({ text, base64 }) => text !== undefined && base64 !== undefined;

const objectOf = (schema, context) => {
  const { required = [], properties = {} } = schema;
  if (isFileInput(properties)) return { base64: 'aGVsbG8gd29ybGQ=', fileName: 'a b.txt' };
  const result = {};
  let optional = context.depth < context.variant.optional ? MAX_OPTIONAL : 0;
  for (const [name, field] of Object.entries(properties)) {
    if (!required.includes(name)) {
      if (optional === 0 || field === false) continue;
      optional -= 1;
    }
    const text = context.textFor?.(name, context.depth) ?? context.text;
    const value = madeValue(field, { ...context, depth: context.depth + 1, text });
    if (value !== undefined) {
      Object.defineProperty(result, name, {
        value,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
  }
  const free = required.filter((name) => !Object.hasOwn(properties, name));
  const inner = isObject(schema.additionalProperties) ? schema.additionalProperties : {};
  for (const name of free)
    result[name] = madeValue(inner, { ...context, depth: context.depth + 1 });
  for (let at = 0; Object.keys(result).length < (schema.minProperties ?? 0) && at < 10; at += 1) {
    result[`key${at}`] = madeValue(inner, { ...context, depth: context.depth + 1 });
  }
  return result;
};

const madeValue = (node, context) => {
  if (context.depth > MAX_DEPTH * 4) return undefined;
  const schema = flattened(node, context);
  if (schema === false) return undefined;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) {
    return schema.enum[(context.turn ?? 0) % schema.enum.length];
  }
  const type = typeOf(schema);
  if (type === 'null') return null;
  if (type === 'boolean') return true;
  if (type === 'array') return listOf(schema, context);
  if (type === 'object') return objectOf(schema, context);
  if (type === 'string') return textOf(schema, context);
  return numberOf(schema, type) + (context.turn && schema.maximum === undefined ? context.turn : 0);
};

export const compiled = (schema) => {
  const options = { strict: false, validateFormats: false, logger: false, validateSchema: false };
  return new Ajv2020({ ...options, unicodeRegExp: false, allErrors: false }).compile(schema);
};

/** Returns `{ value }`, or `undefined` when no variant fits. `textFor` gives the text of a field. */
export const sampleOf = (schema, { textFor, text = 'x y&z=1/é' } = {}) => {
  const isValid = compiled(schema);
  for (const variant of VARIANTS) {
    const value = madeValue(schema, { root: schema, variant, depth: 0, textFor, text });
    if (value !== undefined && isValid(value)) return { value };
  }
  return undefined;
};
