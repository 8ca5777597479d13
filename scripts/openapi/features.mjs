/** Says which features of OpenAPI an operation uses, so that a sample can cover all of them. */
import {
  bodyOf,
  isObject,
  parametersOf,
  essenceOf as plainEssence,
  resolved,
  securityOf,
  successOf,
} from './document.mjs';

/** Names of vendors do not count. */
const essenceOf = (type) => plainEssence(type).replace(/\/(?:vnd|x|prs)[.-][^+]+/, '/vnd.*');

const DEFAULT_STYLES = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' };

/** The shape of a schema, one step deep: what decides how a parameter is written. */
export const shapeOf = (document, schema, depth = 0) => {
  const target = resolved(document, schema);
  if (!isObject(target) || depth > 4) return 'any';
  const type = [target.type].flat().find((one) => one !== undefined && one !== 'null');
  if (type === 'array' || (type === undefined && target.items)) return 'array';
  if (type === 'object' || (type === undefined && target.properties)) return 'object';
  if (type !== undefined) return String(type);
  const [part] = [target.allOf, target.oneOf, target.anyOf].find(Array.isArray) ?? [];
  return part === undefined ? 'any' : shapeOf(document, part, depth + 1);
};

export const styleOf = (parameter) => {
  const style = parameter.style ?? DEFAULT_STYLES[parameter.in];
  return { style, explode: parameter.explode ?? (style === 'form' || style === 'deepObject') };
};

const parameterFeatures = (document, parameter) => {
  if (isObject(parameter.content)) {
    return [`${parameter.in} content ${Object.keys(parameter.content).map(essenceOf)[0]}`];
  }
  const { style, explode } = styleOf(parameter);
  const shape = shapeOf(document, parameter.schema);
  const isPlain = shape !== 'array' && shape !== 'object';
  const features = [`${parameter.in} ${style} ${isPlain ? '' : `explode=${explode} `}${shape}`];
  if (shape === 'array') {
    const items = shapeOf(document, resolved(document, parameter.schema)?.items);
    features.push(`${parameter.in} ${style} array of ${items}`);
  }
  if (parameter.allowReserved === true) features.push(`${parameter.in} allowReserved`);
  if (/[^A-Za-z0-9_.-]/.test(parameter.name)) features.push(`${parameter.in} odd name`);
  return features;
};

const bodyFeatures = (document, body) => {
  if (!body) return [];
  return Object.entries(body.content).flatMap(([type, media]) => {
    const essence = essenceOf(type);
    const schema = resolved(document, media?.schema);
    const features = [`body ${essence}`, `body ${essence} ${shapeOf(document, schema)}`];
    for (const key of ['allOf', 'oneOf', 'anyOf', 'discriminator']) {
      if (isObject(schema) && schema[key] !== undefined) features.push(`body ${key}`);
    }
    if (isObject(media?.encoding)) features.push(`body ${essence} encoding`);
    return features;
  });
};

const schemeFeature = ({ scheme }) => {
  if (!isObject(scheme)) return 'auth undefined scheme';
  if (scheme.type === 'apiKey') return `auth apiKey ${scheme.in}`;
  if (scheme.type === 'http') return `auth http ${String(scheme.scheme).toLowerCase()}`;
  if (scheme.type !== 'oauth2') return `auth ${scheme.type}`;
  return `auth oauth2 ${Object.keys(scheme.flows ?? {})
    .sort()
    .join('+')}`;
};

export const featuresOf = (document, found) => {
  const { method, path } = found;
  const parameters = parametersOf(document, found);
  const security = securityOf(document, found);
  const { status, type, schema } = successOf(document, found);
  const names = parameters.map(({ name }) => name);
  return new Set([
    `method ${method}`,
    ...parameters.flatMap((parameter) => parameterFeatures(document, parameter)),
    ...bodyFeatures(document, bodyOf(document, found)),
    ...security.map(schemeFeature),
    ...(security.length > 1 ? ['auth several at once'] : []),
    ...(new Set(names).size < names.length ? ['same name in two places'] : []),
    ...(path.includes('?') ? ['query in the path'] : []),
    ...(path.includes('#') ? ['fragment in the path'] : []),
    ...(/\}[^/{]*\{/.test(path) ? ['two parameters in one step of the path'] : []),
    `answer ${status}`,
    ...(type === undefined ? [] : [`answer ${essenceOf(type)} ${shapeOf(document, schema)}`]),
  ]);
};
