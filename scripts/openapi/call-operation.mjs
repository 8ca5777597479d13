/** Calls one operation of a document through a crib, against the server of the test bed. */
import { BASE } from './bed-server.mjs';
import { credentialSettings } from './credentials.mjs';
import { isObject, onlyOperation, parametersOf, securityOf } from './document.mjs';
import { openBedCrib } from './open-bed-crib.mjs';
import { sampleOf } from './sample-value.mjs';

const simple = (name) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Headers and cookies get texts that need no escape: HTTP has none for them. */
const textsFor = (document, found) => {
  const plain = new Set(
    parametersOf(document, found)
      .filter((one) => one.in === 'header' || one.in === 'cookie')
      .flatMap(({ in: place, name }) => [simple(name), `${simple(name)}${place}`]),
  );
  return (name, depth) => (depth < 2 && plain.has(simple(name)) ? 'plain-text' : undefined);
};

const isHidden = (text) => typeof text === 'string' && /redacted|\*\*\*/i.test(text);

/** Compares values; a text that the crib redacted equals every text. */
export const isSame = (one, other) => {
  if (one === other || isHidden(other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return false;
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  );
};

const bytesOf = (value) => (Buffer.isBuffer(value) ? value : value?.bytes);

/** True when the server received a value that was sent, as text or as bytes. */
const isReceived = (sent, got) => {
  const bytes = bytesOf(got);
  if (bytes) {
    if (isObject(sent) && typeof sent.base64 === 'string') {
      return bytes.equals(Buffer.from(sent.base64, 'base64'));
    }
    if (typeof sent !== 'string') return isObject(sent) || Array.isArray(sent);
    return bytes.equals(Buffer.from(sent)) || bytes.equals(Buffer.from(sent, 'base64'));
  }
  if (isObject(sent) && isObject(got)) {
    return Object.keys(sent).every((key) => isEmpty(sent[key]) || isReceived(sent[key], got[key]));
  }
  if (Array.isArray(sent) && Array.isArray(got)) {
    return sent.length === got.length && sent.every((one, at) => isReceived(one, got[at]));
  }
  return isSame(sent, got) || String(sent) === String(got);
};

/** Empty lists and objects leave no trace in a query or a form. */
const isEmpty = (value) =>
  typeof value === 'object' && value !== null && Object.values(value).every(isEmpty);

/** Names the fields of the input that did not arrive as they were sent. */
const lostFields = (input, { values, body }, ignored) => {
  const places = [
    ...values.map(({ parameter, value }) => [parameter.name, value]),
    ...(isObject(body.value) && !bytesOf(body.value) ? Object.entries(body.value) : []),
    ['body', body.value],
  ];
  const arrived = (name, value) =>
    places.some(([place, got]) => simple(place) === simple(name) && isReceived(value, got)) ||
    places.some(([, got]) => got !== undefined && isReceived(value, got));
  return Object.entries(input).flatMap(([name, value]) => {
    if (isEmpty(value) || ignored.has(simple(name)) || arrived(name, value)) return [];
    // A group of parameters: each of its fields has to arrive.
    if (isObject(value) && Object.entries(value).every((pair) => arrived(...pair))) return [];
    return [name];
  });
};

/** True when the data holds the answer of the server, itself or in one of its fields. */
const holds = (data, answer) =>
  isSame(answer, data) ||
  (isObject(data) && Object.values(data).some((one) => isSame(answer, one)));

const servedDocument = (document, found, origin) => ({
  ...onlyOperation(document, found),
  // Relative, as many documents have it: it is resolved against the address of the document.
  servers: [{ url: BASE }],
  'x-bed': origin,
});

/** Returns `{ ok: true }`, or what went wrong: `{ ok: false, step, fault }`. */
export const callOperation = async ({ document, found, server, createCrib, folder }) => {
  const security = securityOf(document, found);
  const { auth, keys } = credentialSettings(security, `${server.origin}/token`);
  const served = servedDocument(document, found, server.origin);
  const answer = server.expect({ document, found, served, keys });
  const { crib, close } = await openBedCrib({
    createCrib,
    folder,
    keys,
    document: `${server.origin}/documents/openapi.json`,
    settings: { responses: 'fail', ...(security.length > 0 && { auth }) },
  });
  try {
    const [status] = crib.sources.list();
    const [entry] = crib.tools.list();
    if (entry === undefined) {
      const fault = status.lastError ?? status.refused[0]?.reason ?? 'there is no tool';
      return { ok: false, step: 'import', fault };
    }
    const schema = crib.tools.inputSchema(entry.tool.name);
    const sample = sampleOf(schema, { textFor: textsFor(document, found) });
    if (!sample) return { ok: false, step: 'sample', fault: 'no input was found for the schema' };
    const result = await crib.execute(entry.tool.name, sample.value, { userId: 'ada' });
    const received = server.received();
    const ignored = new Set(
      ['content-length', ...security.map(({ scheme }) => scheme.name ?? '')].map(simple),
    );
    return judgeCall({ result, received, answer, ignored, input: sample.value });
  } finally {
    await close();
  }
};

const judgeCall = ({ result, received, answer, ignored, input }) => {
  if (received === undefined) {
    const { code, message, details } = result.error ?? {};
    const fault = `${code} ${message} ${JSON.stringify(details ?? '').slice(0, 200)}`;
    return { ok: false, step: 'request', fault };
  }
  if (received.faults.length > 0)
    return { ok: false, step: 'server', fault: received.faults.join('; ') };
  const lost = lostFields(input, received, ignored);
  if (lost.length > 0) {
    const fault = `did not arrive: ${lost.map((name) => `${name}=${JSON.stringify(input[name])}`).join(', ')}`;
    return { ok: false, step: 'values', fault: fault.slice(0, 400) };
  }
  if (!result.success) {
    const fault = `${result.error?.code} ${result.error?.message}`;
    return { ok: false, step: 'answer', fault };
  }
  if (answer.value !== undefined && !holds(result.data, answer.value)) {
    const fault = `answered ${JSON.stringify(answer.value)?.slice(0, 150)}, got ${JSON.stringify(result.data)?.slice(0, 150)}`;
    return { ok: false, step: 'data', fault };
  }
  return { ok: true };
};
