/**
 * Tells JSON-RPC messages from other output of a server. Checks the frame only: the SDK checks the
 * content once it knows which request it answers.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isRecord } from '../../../kit/data/is-record.ts';

type Fields = Readonly<Record<string, unknown>>;

const isId = (id: unknown): boolean =>
  typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));

const isCall = ({ id, params }: Fields): boolean =>
  (id === undefined || isId(id)) && (params === undefined || isRecord(params));

const isError = ({ id, error }: Fields): boolean =>
  (id === undefined || id === null || isId(id)) &&
  isRecord(error) &&
  typeof error.code === 'number' &&
  typeof error.message === 'string';

const isAnswer = (message: Fields): boolean =>
  message.result === undefined
    ? isError(message)
    : isId(message.id) && isRecord(message.result) && message.error === undefined;

/** Throws for anything that is not a message. */
export const readMessage = (value: unknown): JSONRPCMessage => {
  if (isRecord(value) && value.jsonrpc === '2.0') {
    const isMessage = typeof value.method === 'string' ? isCall(value) : isAnswer(value);
    if (isMessage) return value as unknown as JSONRPCMessage;
  }
  throw new TypeError('That is no JSON-RPC message.');
};
