/**
 * Tells a JSON-RPC message from anything else that a server may write. Only the frame is looked at:
 * the SDK checks what is inside once it knows which request it answers.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (id: unknown): boolean =>
  typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));

const isCall = ({ id, params }: Fields): boolean =>
  (id === undefined || isId(id)) && (params === undefined || isObject(params));

const isError = ({ id, error }: Fields): boolean =>
  (id === undefined || id === null || isId(id)) &&
  isObject(error) &&
  typeof error.code === 'number' &&
  typeof error.message === 'string';

const isAnswer = (message: Fields): boolean =>
  message.result === undefined
    ? isError(message)
    : isId(message.id) && isObject(message.result) && message.error === undefined;

/** Throws for what is no message. */
export const readMessage = (value: unknown): JSONRPCMessage => {
  if (isObject(value) && value.jsonrpc === '2.0') {
    const isMessage = typeof value.method === 'string' ? isCall(value) : isAnswer(value);
    if (isMessage) return value as unknown as JSONRPCMessage;
  }
  throw new TypeError('That is no JSON-RPC message.');
};
