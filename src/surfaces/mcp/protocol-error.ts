/** Failures as the protocol words them. What nobody foresaw goes to the log, not to the client. */
import type { ProtocolError } from '@modelcontextprotocol/server';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import type { Logger } from '../../contract/runtime.ts';
import { thrownTrace } from '../../kit/data/reason-of.ts';
import type { Sdk } from './load-sdk.ts';

const codeOf = (error: Error): ErrorCode | undefined => {
  const { code } = error as Error & { code?: unknown };
  return typeof code === 'string' && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : undefined;
};

export const protocolError = (error: unknown, sdk: Sdk, log: Logger): ProtocolError => {
  if (error instanceof sdk.ProtocolError) return error;
  const code = error instanceof Error ? codeOf(error) : undefined;
  if (code !== undefined && code !== 'INTERNAL') {
    return new sdk.ProtocolError(ERRORS[code].rpc, (error as Error).message, { code });
  }
  log.error('an MCP request failed', {
    cause: thrownTrace(error),
  });
  const { rpc, sentence } = ERRORS.INTERNAL;
  return new sdk.ProtocolError(rpc, sentence, { code: 'INTERNAL' });
};
