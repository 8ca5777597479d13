/**
 * Reads OpenAPI documents for the test bed. It shares no code with the driver under test: what this
 * file says of a document is what the driver is judged by.
 */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export const isObject = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const unescaped = (step) => {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // A step with a bare percent sign means itself.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
};

/** Gives what a local reference names; `undefined` for every other reference. */
export const at = (document, reference) => {
  if (reference === '#') return document;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  let node = document;
  for (const step of reference.slice(2).split('/').map(unescaped)) {
    node =
      typeof node === 'object' && node !== null && Object.hasOwn(node, step)
        ? node[step]
        : undefined;
  }
  return node;
};

const MAX_HOPS = 20;

/** Follows references until there is none; `undefined` where one leads nowhere. */
export const resolved = (document, node) => {
  let target = node;
  for (let hops = 0; isObject(target) && typeof target.$ref === 'string'; hops += 1) {
    if (hops > MAX_HOPS) return undefined;
    target = at(document, target.$ref);
  }
  return target;
};

/** Lists the operations of a document as `{ method, path, item, operation }`. */
export const operationsOf = (document) =>
  Object.entries(isObject(document.paths) ? document.paths : {}).flatMap(([path, raw]) => {
    const item = resolved(document, raw);
    if (!isObject(item) || path.startsWith('x-')) return [];
    return METHODS.filter((method) => isObject(item[method])).map((method) => ({
      method,
      path,
      item,
      operation: item[method],
    }));
  });

/** The parameters of an operation, those of its path included, each once. */
export const parametersOf = (document, { item, operation }) => {
  const lists = [item.parameters, operation.parameters].filter(Array.isArray);
  const byKey = new Map();
  for (const raw of lists.flat()) {
    const parameter = resolved(document, raw);
    if (isObject(parameter)) byKey.set(`${parameter.in}:${parameter.name}`, parameter);
  }
  return [...byKey.values()];
};

export const bodyOf = (document, { operation }) => {
  const body = resolved(document, operation.requestBody);
  return isObject(body) && isObject(body.content) ? body : undefined;
};

const MEDIA_OF_JSON = /^application\/(?:[\w.+-]+\+)?json$|^text\/json$/i;
export const essenceOf = (type) => String(type).split(';')[0].trim().toLowerCase();
export const isJson = (type) => MEDIA_OF_JSON.test(essenceOf(type));

/** The answer of success that the bed's server gives: `{ status, type?, schema? }`. */
export const successOf = (document, { operation }) => {
  const responses = isObject(operation.responses) ? operation.responses : {};
  const keys = Object.keys(responses).sort();
  const key =
    keys.find((one) => /^2\d\d$/.test(one)) ??
    keys.find((one) => /^2xx$/i.test(one)) ??
    keys.find((one) => one === 'default');
  const response = key === undefined ? undefined : resolved(document, responses[key]);
  const status = /^\d+$/.test(key ?? '') ? Number(key) : 200;
  const content = isObject(response?.content) ? response.content : {};
  const type = Object.keys(content).find(isJson) ?? Object.keys(content)[0];
  if (status === 204 || status === 205) return { status };
  if (type === undefined) return { status: status === 200 ? 204 : status };
  return { status, type, schema: content[type]?.schema };
};

/** The security requirement of an operation: the first alternative, or none. */
export const securityOf = (document, { operation }) => {
  const alternatives = operation.security ?? document.security ?? [];
  const first = Array.isArray(alternatives) ? alternatives[0] : undefined;
  return Object.keys(isObject(first) ? first : {}).map((name) => ({
    name,
    scheme: resolved(document, document.components?.securitySchemes?.[name]),
  }));
};

/** Keeps the targets of references into paths that are left out, under a name of their own. */
const withOtherTargets = (document, kept) => {
  const targets = {};
  const rewrite = (node) => {
    if (Array.isArray(node)) return node.map(rewrite);
    if (!isObject(node)) return node;
    const { $ref } = node;
    if (typeof $ref === 'string' && $ref.startsWith('#/') && at(kept, $ref) === undefined) {
      const name = `t${[...$ref].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) >>> 0, 7)}`;
      if (!Object.hasOwn(targets, name)) {
        targets[name] = {};
        targets[name] = rewrite(at(document, $ref) ?? {});
      }
      return { ...node, $ref: `#/x-targets/${name}` };
    }
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, rewrite(value)]));
  };
  const rewritten = rewrite(kept);
  return { ...rewritten, 'x-targets': targets };
};

/** Copies what one operation needs of a document: a document with this operation alone. */
export const onlyOperation = (document, { method, path, item, operation }) => {
  const kept = {
    ...(item.parameters && { parameters: item.parameters }),
    [method]: { ...operation, servers: undefined },
  };
  const { paths: _, servers: __, components, webhooks: ___, ...rest } = document;
  const result = { ...rest, paths: { [path]: kept } };
  const parts = {};
  const copied = new Set();
  const copyTargets = (node) => {
    const open = [node];
    while (open.length > 0) {
      const value = open.pop();
      if (typeof value !== 'object' || value === null) continue;
      const reference = value.$ref;
      if (typeof reference === 'string' && !copied.has(reference)) {
        copied.add(reference);
        const [, section, kind, name] = reference.split('/');
        const target = section === 'components' ? at(document, `#/components/${kind}/${name}`) : 0;
        if (isObject(target)) {
          parts[kind] ??= {};
          parts[kind][unescaped(name)] = target;
          open.push(target);
        }
      }
      open.push(...Object.values(value));
    }
  };
  copyTargets(kept);
  const securitySchemes = components?.securitySchemes;
  const whole = {
    ...result,
    components: { ...parts, ...(securitySchemes && { securitySchemes }) },
  };
  return withOtherTargets(document, whole);
};
