/**
 * Tells the common message without the library's schemas, which cost more than serving it: one request
 * of the 2025 protocols that brings nothing but what its method takes. For all else the library is asked.
 */
import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import { isRecord } from '../../../kit/data/is-record.ts';

const KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

/** `_meta` has a schema of its own, and says of newer protocols that they are spoken. */
const isPlainParams = (params: unknown): boolean =>
  params === undefined ||
  (isRecord(params) && !Object.hasOwn(params, '_meta') && !Object.hasOwn(params, '__proto__'));

export const isPlainRequest = (body: unknown): body is JSONRPCRequest => {
  if (!isRecord(body)) return false;
  const { jsonrpc, id, method, params } = body;
  return (
    jsonrpc === '2.0' &&
    typeof method === 'string' &&
    (typeof id === 'string' || Number.isSafeInteger(id)) &&
    isPlainParams(params) &&
    Object.keys(body).every((key) => KEYS.has(key))
  );
};
