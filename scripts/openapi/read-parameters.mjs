/**
 * Reads the parameters of a request back, by the styles of the OpenAPI specification. It is the other
 * side of the driver under test and shares no code with it.
 */
import { isObject, resolved } from './document.mjs';
import { shapeOf, styleOf } from './features.mjs';
import { plainSchema } from './plain-schema.mjs';
import { compiled } from './sample-value.mjs';

export const decoded = (text) => {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'));
  } catch {
    return text;
  }
};

/** In a path a plus sign is a plus sign. */
const decodedStep = (text) => decoded(text.replaceAll('+', '%2B'));

const fits = (schema, value) => {
  try {
    return compiled(schema)(value);
  } catch {
    return true;
  }
};

/** The values that a text may stand for, the likeliest first. */
const readingsOf = (text) => [
  ...(text === 'true' || text === 'false' ? [text === 'true'] : []),
  ...(text.trim() !== '' && Number.isFinite(Number(text)) ? [Number(text)] : []),
  text,
  ...(text === '' || text === 'null' ? [null] : []),
];

const typed = (document, text, source) => {
  if (typeof text !== 'string') return text;
  const shape = shapeOf(document, source);
  const schema = plainSchema(document, source ?? {}, 'request');
  if (shape === 'string' && fits(schema, text)) return text;
  // The styles do not say how a value inside a value is written: JSON is read.
  if ((shape === 'object' || shape === 'array') && /^[[{]/.test(text)) return JSON.parse(text);
  const found = readingsOf(text).find((value) => fits(schema, value));
  return found === undefined ? text : found;
};

const itemsOf = (document, source) => {
  const target = resolved(document, source);
  return isObject(target) ? (target.items ?? {}) : {};
};

/** The schema of one field, wherever a combination declares it. */
export const fieldOf = (document, source, name, depth = 0) => {
  const target = resolved(document, source);
  if (!isObject(target) || depth > 5) return undefined;
  if (isObject(target.properties) && Object.hasOwn(target.properties, name)) {
    return target.properties[name];
  }
  for (const part of [target.allOf, target.oneOf, target.anyOf].filter(Array.isArray).flat()) {
    const field = fieldOf(document, part, name, depth + 1);
    if (field !== undefined) return field;
  }
  return isObject(target.additionalProperties) ? target.additionalProperties : undefined;
};

const typedObject = (document, pairs, source) =>
  Object.fromEntries(
    pairs.map(([name, text]) => [
      name,
      typed(document, text, fieldOf(document, source, name) ?? {}),
    ]),
  );

const chunked = (list) =>
  Array.from({ length: Math.ceil(list.length / 2) }, (_, at) => [
    list[2 * at],
    list[2 * at + 1] ?? '',
  ]);

const pairOf = (text) => {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
};

/** Reads a value that is written with separators: `a,b`, `k,v,k2,v2` or `k=v,k2=v2`. */
const readSeparated = ({ document, schema, explode, decode }, raw, separator = ',') => {
  const shape = shapeOf(document, schema);
  const parts = raw === '' ? [] : raw.split(separator);
  if (shape === 'array') {
    return parts.map((part) => typed(document, decode(part), itemsOf(document, schema)));
  }
  if (shape === 'object') {
    const pairs = explode ? parts.map(pairOf) : chunked(parts);
    return typedObject(
      document,
      pairs.map((pair) => pair.map(decode)),
      schema,
    );
  }
  return typed(document, decode(raw), schema);
};

/** Reads one path parameter from the raw text at its place. */
export const readPathParameter = (document, parameter, raw) => {
  if (isObject(parameter.content)) return JSON.parse(decodedStep(raw));
  const { style, explode } = styleOf(parameter);
  const { schema, name } = parameter;
  const how = { document, schema, explode, decode: decodedStep };
  if (style === 'label') {
    return readSeparated(how, raw.replace(/^\./, ''), explode ? '.' : ',');
  }
  if (style !== 'matrix') return readSeparated(how, raw);
  const parts = raw.replace(/^;/, '').split(';').map(pairOf);
  const shape = shapeOf(document, schema);
  if (explode && shape === 'array') {
    return parts.map(([, text]) => typed(document, decodedStep(text), itemsOf(document, schema)));
  }
  if (explode && shape === 'object') {
    return typedObject(
      document,
      parts.map((pair) => pair.map(decodedStep)),
      schema,
    );
  }
  return parts[0][0] === name ? readSeparated({ ...how, explode: false }, parts[0][1]) : undefined;
};

/** Reads `name[a][b]=c` back. Numbers and empty steps make lists. */
const readDeep = ({ document, schema, name }, pairs) => {
  const found = pairs.filter(([key]) => key === name || key.startsWith(`${name}[`));
  if (found.length === 0) return undefined;
  if (shapeOf(document, schema) === 'array') {
    return found.map(([, text]) => typed(document, text, itemsOf(document, schema)));
  }
  const result = {};
  for (const [key, text] of found) {
    const steps = [...key.slice(name.length).matchAll(/\[([^\]]*)\]/g)].map((match) => match[1]);
    insert({ document, schema }, result, [steps, text]);
  }
  return result;
};

const insert = ({ document, schema }, target, [[step, ...rest], text]) => {
  const field = fieldOf(document, schema, step) ?? {};
  if (shapeOf(document, field) === 'array') {
    target[step] ??= [];
    target[step].push(typed(document, text, itemsOf(document, field)));
  } else if (rest.length === 0) target[step] = typed(document, text, field);
  else {
    target[step] ??= {};
    insert({ document, schema: field }, target[step], [rest, text]);
  }
};

const DELIMITERS = { spaceDelimited: /%20|\+| /, pipeDelimited: /\||%7C/i };

/** Reads one field of a query, a form or a cookie. `pairs` are raw, as they were sent. */
export const readField = (document, parameter, pairs) => {
  const { name, schema } = parameter;
  const plain = pairs.map(([key, text]) => [decoded(key), decoded(text)]);
  if (isObject(parameter.content)) {
    const text = plain.find(([key]) => key === name)?.[1];
    return text === undefined ? undefined : JSON.parse(text);
  }
  const { style, explode } = styleOf({ ...parameter, in: 'query' });
  const shape = shapeOf(document, schema);
  if (style === 'deepObject') return readDeep({ document, schema, name }, plain);
  const own = pairs.filter(([key]) => decoded(key) === name).map(([, text]) => text);
  if (explode && shape === 'object') {
    const fields = plain.filter(([key]) => fieldOf(document, schema, key) !== undefined);
    return fields.length === 0 ? undefined : typedObject(document, fields, schema);
  }
  if (own.length === 0) return undefined;
  if (explode && shape === 'array') {
    return own.map((text) => typed(document, decoded(text), itemsOf(document, schema)));
  }
  const how = { document, schema, explode: false, decode: decoded };
  return readSeparated(how, own[0], DELIMITERS[style] ?? ',');
};

/** Reads a header: nothing is decoded, and spaces after commas do not count. */
export const readHeader = (document, parameter, raw) => {
  if (raw === undefined) return undefined;
  if (isObject(parameter.content)) return JSON.parse(raw);
  const { explode } = styleOf(parameter);
  const how = { document, schema: parameter.schema, explode, decode: (text) => text };
  return readSeparated(how, raw, /, ?/);
};

export const pairsOf = (text, separator = '&') =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(pairOf);
