/** Refusals in the words of JSON-RPC, for requests that reach no handler of the protocol. */
import type { JsonFlaw } from '../../kit/text/json-scan.ts';
import { type HeaderRecord, JSON_TYPE, type PlainAnswer } from '../door/answer.ts';

interface RpcFault {
  readonly code?: number;
  readonly message: string;
}

/** Makes an HTTP answer of a refusal. Its id is null, because no request was understood. */
export const refusal = (
  status: number,
  { code = -32000, message }: RpcFault,
  headers: HeaderRecord = {},
): PlainAnswer => ({
  status,
  headers: { 'content-type': JSON_TYPE, ...headers },
  body: JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }),
});

/** Says why a text was not taken as JSON. */
export const parseError = ({ message, offset }: Pick<JsonFlaw, 'message' | 'offset'>) => ({
  code: -32700,
  message: `Parse error: at character ${offset + 1}, ${message}`,
});
