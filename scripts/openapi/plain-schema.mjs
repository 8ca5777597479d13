/**
 * Turns a schema of an OpenAPI document into JSON Schema 2020-12, for the server of the test bed. It
 * shares no code with the driver under test.
 */
import { at, isObject } from './document.mjs';

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);
const LISTS = ['allOf', 'anyOf', 'oneOf'];
const SINGLE = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames'];
const PLAIN = [
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'multipleOf'],
  ...['minProperties', 'maxProperties', 'format', 'const', 'default', 'description'],
];

/** Patterns that a linear engine cannot run are left to the real server, as the crib does. */
const UNUSUAL = /\(\?<?[=!]|\\[1-9]|\{\d{4,}|\{\d*,\d{4,}/;

const isPattern = (text) => {
  try {
    return typeof text === 'string' && !UNUSUAL.test(text) && new RegExp(text, 'u') !== undefined;
  } catch {
    return false;
  }
};

/** Bounds: a number in 3.1, a flag beside the bound in 3.0. */
const boundsOf = (schema) => {
  const result = {};
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ]) {
    const value = schema[bound];
    if (typeof schema[exclusive] === 'number') result[exclusive] = schema[exclusive];
    if (typeof value !== 'number') continue;
    result[schema[exclusive] === true ? exclusive : bound] = value;
  }
  return result;
};

const typesOf = ({ type, nullable }) => {
  const types = [type].flat().filter((one) => TYPES.has(one));
  if (types.length === 0) return undefined;
  const all = nullable === true && !types.includes('null') ? [...types, 'null'] : types;
  return all.length === 1 ? all[0] : all;
};

const typeOf = (value) => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

/**
 * A list of values of which none has the type that stands beside it leaves no value at all, so that by the
 * letter the operation could not be called: a mistake of the document. Numbers beside the type `string`, and the
 * reverse, are meant in that type; any other such list says nothing.
 */
const enumOf = ({ enum: values }, type) => {
  if (!Array.isArray(values) || values.length === 0) return undefined;
  const types = [type ?? []].flat();
  const isOfType = (value) => {
    const own = typeOf(value);
    return types.includes(own) || (own === 'integer' && types.includes('number'));
  };
  if (types.length === 0 || values.some(isOfType)) return values;
  const meant = values.map((value) =>
    typeof value === 'number' ? String(value) : typeof value === 'string' ? Number(value) : value,
  );
  const isExact = meant.every((value, index) => String(value) === String(values[index]));
  return isExact && meant.every(isOfType) ? meant : undefined;
};

/**
 * By JSON Schema exactly one of `oneOf` has to fit. Alternatives that nothing tells apart overlap, in many
 * documents so far that no value fits only one, and real servers do not count them: there this one asks for at
 * least one, too. A discriminator tells them apart, and then exactly one has to fit.
 */
const isExclusive = (key, { anyOf, discriminator }) =>
  key === 'oneOf' && (isObject(discriminator) || Array.isArray(anyOf));

/**
 * Makes a JSON Schema with everything it refers to under `$defs`. On the side `request` read-only fields
 * may not be there; on the side `response` fields that are only written may not.
 */
export const plainSchema = (document, source, side) => {
  const names = new Map();
  const $defs = {};
  const hidden = side === 'request' ? 'readOnly' : 'writeOnly';

  const refer = (reference) => {
    const target = at(document, reference);
    if (target === undefined) return {};
    if (!names.has(reference)) {
      const name = `d${names.size}`;
      names.set(reference, name);
      $defs[name] = convert(target);
    }
    return { $ref: `#/$defs/${names.get(reference)}` };
  };

  const isHidden = (schema) => {
    const target =
      typeof schema?.$ref === 'string' ? (at(document, schema.$ref) ?? schema) : schema;
    return isObject(target) && (target[hidden] === true || schema[hidden] === true);
  };

  const objectParts = (schema) => {
    const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
    const gone = new Set(properties.filter(([, one]) => isHidden(one)).map(([name]) => name));
    const required = Array.isArray(schema.required)
      ? [...new Set(schema.required.filter((one) => typeof one === 'string' && !gone.has(one)))]
      : [];
    return {
      ...(properties.length > 0 && {
        properties: Object.fromEntries(
          properties.map(([name, one]) => [name, gone.has(name) ? false : convert(one)]),
        ),
      }),
      ...(required.length > 0 && { required }),
    };
  };

  const convert = (schema) => {
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) return {};
    if (typeof schema.$ref === 'string') return refer(schema.$ref);
    const result = { ...boundsOf(schema), ...objectParts(schema) };
    const type = typesOf(schema);
    if (type !== undefined) result.type = type;
    for (const key of PLAIN) if (schema[key] !== undefined) result[key] = schema[key];
    const values = enumOf(schema, type);
    if (values !== undefined) result.enum = values;
    if (isPattern(schema.pattern)) result.pattern = schema.pattern;
    for (const key of LISTS) {
      if (!Array.isArray(schema[key]) || schema[key].length === 0) continue;
      if (key === 'allOf') result[key] = schema[key].map(convert);
      else result[isExclusive(key, schema) ? 'oneOf' : 'anyOf'] = branchesOf(schema[key], schema);
    }
    for (const key of SINGLE) {
      if (isObject(schema[key]) || typeof schema[key] === 'boolean') {
        result[key] = convert(schema[key]);
      }
    }
    return result;
  };

  const branchesOf = (parts, { discriminator }) =>
    parts.map((part) => discriminated(convert(part), part, discriminator));

  /** Adds the value of the discriminator that stands for a branch. */
  const discriminated = (converted, part, discriminator) => {
    const field = discriminator?.propertyName;
    if (typeof field !== 'string' || typeof part?.$ref !== 'string') return converted;
    const name = part.$ref.split('/').at(-1);
    const mapped = Object.entries(discriminator.mapping ?? {}).find(
      ([, target]) => target === part.$ref || target === name,
    )?.[0];
    const value = { properties: { [field]: { const: mapped ?? name } }, required: [field] };
    return { allOf: [converted, value] };
  };

  const root = convert(source);
  return isObject(root) ? { ...root, $defs } : root;
};
