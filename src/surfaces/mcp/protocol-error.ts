/** Failures in the words of JSON-RPC. The cause of an unexpected one goes to the log, not to the client. */
import type { ProtocolError } from '@modelcontextprotocol/server';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import type { Logger } from '../../contract/runtime.ts';
import { thrownTrace } from '../../kit/data/reason-of.ts';
import type { JsonFlaw } from '../../kit/text/json-scan.ts';
import { type HeaderRecord, JSON_TYPE, type PlainAnswer } from '../door/answer.ts';
import type { Sdk } from './load-sdk.ts';

const codeOf = (error: Error): ErrorCode | undefined => {
  const { code } = error as Error & { code?: unknown };
  return typeof code === 'string' && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : undefined;
};

/** Makes the error that a client gets for whatever a handler threw. */
export const protocolError = (error: unknown, sdk: Sdk, log: Logger): ProtocolError => {
  if (error instanceof sdk.ProtocolError) return error;
  const code = error instanceof Error ? codeOf(error) : undefined;
  if (code !== undefined && code !== 'INTERNAL') {
    return new sdk.ProtocolError(ERRORS[code].rpc, (error as Error).message, { code });
  }
  log.error('an MCP request failed', { cause: thrownTrace(error) });
  const { rpc, sentence } = ERRORS.INTERNAL;
  return new sdk.ProtocolError(rpc, sentence, { code: 'INTERNAL' });
};

interface RpcFault {
  readonly code?: number;
  readonly message: string;
}

/** Refuses an HTTP request that reaches no handler. The id is null, because no request was understood. */
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
