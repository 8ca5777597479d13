/**
 * Finds what is wrong with the shape of a JSON-RPC message. The library drops such a message, and the
 * client would wait for an answer that never comes.
 */
import { isRecord } from '../../../kit/data/is-record.ts';

export interface RpcError {
  readonly code: number;
  readonly message: string;
}

const KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

export const invalidRequest = (message: string): RpcError => ({
  code: -32600,
  message: `Invalid Request: ${message}`,
});

export interface MessageFault {
  /** Null when the message has none that can be answered. */
  readonly id: unknown;
  readonly error: RpcError;
}

/** Says what is wrong with the parts of a request: the library drops such a one without an answer. */
const requestFault = (message: Readonly<Record<string, unknown>>): RpcError | undefined => {
  const { jsonrpc, method, params } = message;
  if (jsonrpc !== '2.0') return invalidRequest('jsonrpc has to be "2.0"');
  if (typeof method !== 'string') return invalidRequest('method has to be text');
  const foreign = Object.keys(message).find((key) => !KEYS.has(key));
  if (foreign !== undefined) return invalidRequest('it has a key that no request has');
  const meta = isRecord(params) ? params._meta : undefined;
  if (params !== undefined && !isRecord(params)) {
    return { code: -32602, message: 'Invalid params: params has to be an object' };
  }
  if (meta !== undefined && !isRecord(meta)) {
    return { code: -32602, message: 'Invalid params: params._meta has to be an object' };
  }
  return undefined;
};

const isResponse = (message: object): boolean => 'result' in message || 'error' in message;

/**
 * Judges a message by its shape. Returns what to answer it with, and nothing for one that is sound
 * or gets no answer: a notification, and what looks like a response.
 */
export const messageFault = (line: string): MessageFault | undefined => {
  const message: unknown = JSON.parse(line);
  if (!isRecord(message)) return { id: null, error: invalidRequest('a message is an object') };
  const { id } = message;
  if (isResponse(message) && message.method === undefined) return undefined;
  if (id === undefined && typeof message.method === 'string') return undefined;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) {
    return { id: null, error: invalidRequest('id has to be text or a whole number') };
  }
  const error = requestFault(message);
  return error && { id, error };
};
