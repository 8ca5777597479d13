/** Reads the body of a request back, by its media type. Shares no code with the driver under test. */
import { essenceOf, isJson, isObject, resolved } from './document.mjs';
import { shapeOf } from './features.mjs';
import { decoded, fieldOf, pairsOf, readField } from './read-parameters.mjs';

/**
 * Finds the declared media type that a sent one falls under. A key of `content` is a media type or a range of
 * them; one that is neither (`json`, an empty text) declares none, so that a server cannot refuse any by it.
 */
export const mediaFor = (content, sent) => {
  const essence = essenceOf(sent);
  const declared = Object.keys(content);
  const exact = declared.find((type) => essenceOf(type) === essence);
  const ranged = declared.find((type) => {
    const [main, sub] = essenceOf(type).split('/');
    if (main === '*' || sub === undefined) return true;
    if (sub === '*') return essence.startsWith(`${main}/`);
    return sub.startsWith('*+') && essence.endsWith(sub.slice(1));
  });
  const type = exact ?? ranged;
  return type === undefined ? undefined : { type, media: content[type] ?? {} };
};

const parsedJson = (text) => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

const propertyNames = (document, schema, depth = 0) => {
  const target = resolved(document, schema);
  if (!isObject(target) || depth > 5) return [];
  const parts = [target.allOf, target.oneOf, target.anyOf].filter(Array.isArray).flat();
  return [
    ...Object.keys(target.properties ?? {}),
    ...parts.flatMap((part) => propertyNames(document, part, depth + 1)),
  ];
};

const readForm = (document, { schema, encoding = {} }, text) => {
  const pairs = pairsOf(text);
  const result = {};
  const names = new Set([
    ...propertyNames(document, schema),
    ...pairs.map(([key]) => decoded(key).replace(/\[.*$/, '')),
  ]);
  for (const name of names) {
    const field = fieldOf(document, schema, name) ?? {};
    const own = pairs.filter(([key]) => decoded(key) === name);
    const shape = shapeOf(document, field);
    // The specification leaves open how nested values are written: JSON and brackets are both read.
    const json =
      own.length === 1 && /^[[{]/.test(decoded(own[0][1]))
        ? parsedJson(decoded(own[0][1]))
        : undefined;
    const isNested = shape === 'object' || shape === 'array';
    const isDeep = pairs.some(([key]) => decoded(key).startsWith(`${name}[`));
    const chosen = isObject(encoding[name]) ? encoding[name] : {};
    const how = { ...chosen, ...(isDeep && { style: 'deepObject' }) };
    const value =
      isNested && json ? json.value : readField(document, { name, schema: field, ...how }, pairs);
    if (value !== undefined) result[name] = value;
  }
  return result;
};

const readPart = async (document, part, schema) => {
  if (typeof part !== 'string') {
    const bytes = Buffer.from(await part.arrayBuffer());
    if (isJson(part.type)) return JSON.parse(bytes.toString());
    return shapeOf(document, schema) === 'string' ? { bytes } : { bytes };
  }
  const shape = shapeOf(document, schema);
  if (shape === 'string') return part;
  return parsedJson(part)?.value ?? part;
};

const readMultipart = async (document, { schema }, { type, bytes }) => {
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  const result = {};
  for (const name of new Set(form.keys())) {
    const field = fieldOf(document, schema, name) ?? {};
    const parts = form.getAll(name);
    if (shapeOf(document, field) !== 'array') {
      result[name] = await readPart(document, parts[0], field);
      continue;
    }
    const { items = {} } = resolved(document, field);
    const values = await Promise.all(parts.map((part) => readPart(document, part, items)));
    result[name] = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
  }
  return result;
};

/** Returns `{ value, schema }`; `isOpaque` where the body is bytes or a text of some other language. */
export const readBody = async (document, body, { type, bytes }) => {
  const found = mediaFor(body.content, type);
  if (!found) throw new Error(`the body has the media type ${type}, which is not declared`);
  const { schema } = found.media;
  const essence = essenceOf(type);
  if (isJson(type)) return { value: JSON.parse(bytes.toString()), schema };
  if (essence === 'application/x-www-form-urlencoded') {
    const isText = shapeOf(document, schema) === 'string';
    if (isText) return { value: bytes, schema, isOpaque: true };
    return { value: readForm(document, found.media, bytes.toString()), schema };
  }
  if (essence === 'multipart/form-data') {
    // Of a text nobody can say which parts it has.
    if (shapeOf(document, schema) === 'string') return { value: bytes, schema, isOpaque: true };
    return { value: await readMultipart(document, found.media, { type, bytes }), schema };
  }
  return { value: bytes, schema, isOpaque: true };
};
