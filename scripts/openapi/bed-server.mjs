/**
 * The server of the test bed. It serves a document with one operation, reads a request for it with its
 * own readers, checks it against the operation's schemas, and answers as the document says.
 */
import { createServer } from 'node:http';
import { credentialFaults, credentialNames, tokenReply } from './credentials.mjs';
import { bodyOf, isJson, parametersOf, securityOf, successOf } from './document.mjs';
import { plainSchema } from './plain-schema.mjs';
import { readBody } from './read-body.mjs';
import { decoded, pairsOf, readField, readHeader, readPathParameter } from './read-parameters.mjs';
import { compiled, sampleOf } from './sample-value.mjs';

export const BASE = '/base/v1';
/** OpenAPI says that the first three are ignored; the other two are the client's, whatever an API declares. */
const IGNORED_HEADERS = new Set([
  ...['accept', 'content-type', 'authorization'],
  ...['content-length', 'accept-encoding'],
]);

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Reads the parameters of the path; `undefined` for another path. */
const readPath = (document, { path }, { raw, pairs, parameters }) => {
  const template = path.split('#')[0].split('?')[0];
  const names = [];
  const parts = template.split(/(\{[^{}]*\})/).map((part) => {
    if (!part.startsWith('{')) return escaped(encodeURI(decodeURI(part)));
    names.push(part.slice(1, -1));
    return '([^/]*?)';
  });
  const match = new RegExp(`^${escaped(BASE)}${parts.join('')}$`).exec(raw);
  if (match === null) return undefined;
  const inQuery = pairsOf(path.split('#')[0].split('?')[1] ?? '').flatMap(([key, text]) =>
    /^\{[^{}]*\}$/.test(text) ? [[text.slice(1, -1), rawField(pairs, key)]] : [],
  );
  const texts = [...names.map((name, at) => [name, match[at + 1]]), ...inQuery];
  return Object.fromEntries(
    texts.map(([name, text]) => {
      const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
      return [name, parameter && text ? readPathParameter(document, parameter, text) : undefined];
    }),
  );
};

const rawField = (pairs, key) => pairs.find(([name]) => decoded(name) === decoded(key))?.[1];

const validationFaults = (document, { where, source, value }) => {
  let isValid;
  try {
    isValid = compiled(plainSchema(document, source ?? {}, 'request'));
  } catch {
    return [];
  }
  if (isValid(value)) return [];
  const [{ instancePath, message }] = isValid.errors;
  const shown = JSON.stringify(value)?.slice(0, 120);
  return [`${where}${instancePath} ${message}: ${shown}`];
};

/** Reads all parameters of one operation from a request. */
const readParameters = (document, found, request) => {
  const security = securityOf(document, found);
  const isCredential = (one) => credentialNames(security, one.in).includes(one.name);
  const parameters = parametersOf(document, found).filter(
    (one) =>
      !isCredential(one) && (one.in !== 'header' || !IGNORED_HEADERS.has(one.name.toLowerCase())),
  );
  const path = readPath(document, found, { raw: request.path, pairs: request.pairs, parameters });
  if (path === undefined) throw new Error(`the path ${request.path} is not ${found.path}`);
  const read = {
    path: (one) => path[one.name],
    query: (one) => readField(document, one, request.pairs),
    header: (one) => readHeader(document, one, request.header(one.name)),
    cookie: (one) => readField(document, one, request.cookies),
  };
  return parameters.map((parameter) => ({ parameter, value: read[parameter.in]?.(parameter) }));
};

const parameterFaults = (document, values) =>
  values.flatMap(({ parameter, value }) => {
    const where = `${parameter.in} parameter ${parameter.name}`;
    if (value === undefined) return parameter.required === true ? [`${where} is missing`] : [];
    const source = parameter.schema ?? Object.values(parameter.content ?? {})[0]?.schema;
    return validationFaults(document, { where, source, value });
  });

/** Query keys that no parameter, credential or fixed part of the path explains. */
const strayKeys = (found, { request, values, security }) => {
  const known = new Set([
    ...values
      .filter(({ parameter }) => parameter.in === 'query')
      .map(({ parameter }) => parameter.name),
    ...values.flatMap(({ parameter, value }) =>
      parameter.in === 'query' && typeof value === 'object' && value !== null
        ? Object.keys(value)
        : [],
    ),
    ...credentialNames(security, 'query'),
    ...pairsOf(found.path.split('#')[0].split('?')[1] ?? '').map(([key]) => decoded(key)),
  ]);
  return request.pairs
    .map(([key]) => decoded(key))
    .filter((key) => !known.has(key) && !known.has(key.replace(/\[.*$/, '')))
    .map((key) => `the query has the key ${key}, which is no parameter`);
};

const readWholeBody = async (document, found, { type, bytes }) => {
  const body = bodyOf(document, found);
  if (bytes.length === 0 && type === undefined) {
    return { faults: body?.required === true ? ['the body is missing'] : [] };
  }
  if (!body)
    return bytes.length === 0 ? { faults: [] } : { faults: ['a body that is not declared'] };
  const { value, schema, isOpaque } = await readBody(document, body, { type: type ?? '', bytes });
  const checked = isOpaque
    ? []
    : validationFaults(document, { where: 'body', source: schema, value: withoutBytes(value) });
  return { value, isOpaque, faults: checked };
};

/** Files are texts to a schema. */
const withoutBytes = (value) => {
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (typeof value !== 'object' || value === null) return value;
  if (Buffer.isBuffer(value.bytes)) return value.bytes.toString('latin1');
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutBytes(one)]));
};

const answerOf = (document, found) => {
  const { status, type, schema } = successOf(document, found);
  if (type === undefined || found.method === 'head') return { status };
  if (!isJson(type) && type !== '*/*') return { status, type, text: 'plain text' };
  const sample = sampleOf(plainSchema(document, schema ?? {}, 'response'));
  const sent = isJson(type) ? type : 'application/json';
  return { status, type: sent, value: sample?.value, text: JSON.stringify(sample?.value ?? null) };
};

const requestOf = (incoming, bytes) => {
  const [path, query = ''] = incoming.url.split('?');
  const cookies = pairsOf(incoming.headers.cookie ?? '', ';');
  const pairs = pairsOf(query);
  const findIn = (list) => (name) => {
    const text = list.find(([key]) => decoded(key) === name)?.[1];
    return text === undefined ? undefined : decoded(text);
  };
  return {
    path,
    pairs,
    cookies,
    bytes,
    method: incoming.method.toLowerCase(),
    type: incoming.headers['content-type'],
    header: (name) => incoming.headers[name.toLowerCase()],
    query: findIn(pairs),
    cookie: findIn(cookies),
  };
};

const judge = async ({ document, found, keys }, request) => {
  const faults = [];
  const security = securityOf(document, found);
  if (request.method !== found.method) faults.push(`the method is ${request.method}`);
  const values = readParameters(document, found, request);
  faults.push(...parameterFaults(document, values));
  faults.push(...strayKeys(found, { request, values, security }));
  faults.push(...credentialFaults(security, request, keys));
  const body = await readWholeBody(document, found, request);
  faults.push(...body.faults);
  return { faults, values, body };
};

/** Starts the server. `expect` sets the operation that the next request has to fit. */
export const startBedServer = async () => {
  let current;
  let received;
  const respond = async (incoming, outgoing, bytes) => {
    const send = (status, value, type = 'application/json') => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      outgoing.writeHead(status, text === undefined ? {} : { 'content-type': type }).end(text);
    };
    if (incoming.url === '/documents/openapi.json') return send(200, current.served);
    if (incoming.url === '/token') {
      const form = new URLSearchParams(bytes.toString());
      const reply = tokenReply(incoming.headers, form, Object.values(current.keys));
      return reply ? send(200, reply) : send(401, { error: 'invalid_client' });
    }
    try {
      received = await judge(current, requestOf(incoming, bytes));
    } catch (error) {
      received = { faults: [error.message], values: [], body: {} };
    }
    if (received.faults.length > 0) return send(400, { faults: received.faults });
    const { status, type, text } = current.answer;
    return send(status, text, type);
  };
  const server = createServer((incoming, outgoing) => {
    const chunks = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => {
      respond(incoming, outgoing, Buffer.concat(chunks)).catch((error) => {
        outgoing.writeHead(500).end(String(error));
      });
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    expect({ document, found, served, keys }) {
      received = undefined;
      current = { document, found, served, keys, answer: answerOf(document, found) };
      return current.answer;
    },
    received: () => received,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};
