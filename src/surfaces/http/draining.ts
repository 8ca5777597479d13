/**
 * Which requests a server still accepts while it shuts down: none that starts a call, and all that
 * running calls wait for.
 */
import { isRecord } from '../../kit/data/is-record.ts';
import type { HttpRequest } from '../door/http-request.ts';
import { readBody } from '../door/read-body.ts';

export const DRAINING = {
  code: 'CIRCUIT_OPEN',
  message: 'The server is shutting down and takes no new calls.',
  extras: { suggestions: ['Send the call again later, or to another server.'] },
} as const;

const CALL_PATH =
  /^\/(?:v1\/process$|v1\/tools\/[^/]+\/execute$|v1\/flows\/[^/]+\/runs$|jobs\/[^/]+$)/;

/** Tells requests of the API that start a call; those of `/mcp` are told by their body. */
export const startsCall = ({ method, path }: HttpRequest): boolean =>
  method === 'POST' && CALL_PATH.test(path);

/**
 * Recognises an answer, a notification, and a call that continues with the answers to its
 * questions.
 */
const continuesCall = (message: unknown): boolean => {
  if (!isRecord(message)) return false;
  const { id, method, params } = message;
  if (typeof method !== 'string') return 'result' in message || 'error' in message;
  if (id === undefined) return true;
  return method === 'tools/call' && isRecord(params) && typeof params.requestState === 'string';
};

const withBytes = (request: HttpRequest, bytes: Uint8Array): HttpRequest => {
  const { method, path, query, address } = request;
  return {
    method,
    path,
    query,
    address,
    header: (name) => request.header(name),
    isAmbiguous: () => request.isAmbiguous(),
    hasBody: () => request.hasBody(),
    bytes: async (maxBytes) => (bytes.byteLength > maxBytes ? undefined : bytes),
    signal: () => request.signal(),
    web: () => request.web(),
  };
};

/**
 * Reads a message to `/mcp`. Returns the request to hand on when running calls may wait for it,
 * nothing when it starts something new.
 */
export const continuingRequest = async (
  request: HttpRequest,
  maxBytes: number,
): Promise<HttpRequest | undefined> => {
  const bytes = await request.bytes(maxBytes).catch(() => undefined);
  if (!bytes) return undefined;
  const again = withBytes(request, bytes);
  const body = await readBody(again, { maxBytes });
  const value = 'value' in body ? body.value : undefined;
  const messages = Array.isArray(value) ? value : [value];
  return messages.length > 0 && messages.every(continuesCall) ? again : undefined;
};
