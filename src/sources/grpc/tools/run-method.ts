/** Runs a method as a tool: converts the input, makes the call, converts what comes back. */
import type { Client, Metadata } from '@grpc/grpc-js';
import type { ToolContext } from '../../../contract/context.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { callMetadata } from '../call/call-metadata.ts';
import { inCallSpan } from '../call/call-span.ts';
import type { Channels } from '../call/channels.ts';
import { type CallRequest, callStream, callUnary } from '../call/make-call.ts';
import { statusFailure } from '../call/status-failure.ts';
import { type Decoding, decodeMessage, newDecoding } from '../codec/decode-message.ts';
import { encodeMessage } from '../codec/encode-message.ts';
import type { TypeTable } from '../codec/type-table.ts';
import { MalformedMessage } from '../codec/wire-reader.ts';
import type { MethodModel } from '../definition/model.ts';
import type { GrpcSettings } from '../grpc-settings.ts';
import { messageOf } from './input-object.ts';

export interface MethodDeps {
  readonly method: MethodModel;
  readonly path: string;
  readonly types: TypeTable;
  readonly settings: GrpcSettings;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly channels: Channels;
  /** A repeated call can do no harm. */
  readonly isRepeatable: boolean;
  redact(text: string): string;
  now(): number;
}

const STREAM_SHARE = 0.95;

/** What a call of a server stream gives. */
export interface StreamResult {
  readonly messages: readonly unknown[];
  /** False when the server had more to send, and the rest was cancelled. */
  readonly complete: boolean;
}

const warnOf = ({ unknownFields, faultyTexts, leftOut }: Decoding, context: ToolContext): void => {
  if (unknownFields > 0) {
    context.warn('The answer has fields that the definition does not know: read the source again.');
  }
  if (faultyTexts > 0) context.warn('A text of the answer was not UTF-8; faulty bytes are marked.');
  if (leftOut > 0) context.warn('A member named __proto__ was left out of the answer.');
};

const unary = async (
  client: Client,
  request: CallRequest,
  { deps, context }: { readonly deps: MethodDeps; readonly context: ToolContext },
): Promise<unknown> => {
  const decoding = newDecoding(deps.types, deps.maxOutputBytes);
  const answer = decodeMessage(deps.method.output, await callUnary(client, request), decoding);
  warnOf(decoding, context);
  return answer;
};

interface Listening {
  readonly deps: MethodDeps;
  readonly context: ToolContext;
  readonly messages: unknown[];
}

/** Gives why listening ended early; `undefined` when the server sent all. */
const listen = async (
  client: Client,
  request: CallRequest,
  { deps, context, messages }: Listening,
): Promise<string | undefined> => {
  const { types, method, maxOutputBytes, settings } = deps;
  const decoding = newDecoding(types, maxOutputBytes);
  let ended: string | undefined;
  await callStream(client, request, (bytes) => {
    if (messages.length >= settings.maxMessages) ended = `after ${settings.maxMessages} messages`;
    else if (!tryTake(() => decodeMessage(method.output, bytes, decoding), messages)) {
      ended = `after ${maxOutputBytes} bytes`;
    } else
      context.progress(messages.length / (settings.maxMessages + 1), `message ${messages.length}`);
    return ended === undefined;
  });
  warnOf(decoding, context);
  return ended;
};

/** Returns false where the message would be too much; what came before is kept. */
const tryTake = (decode: () => unknown, messages: unknown[]): boolean => {
  try {
    messages.push(decode());
    return true;
  } catch (error) {
    const isTooMuch = error instanceof ToolFailure && error.code === 'OUTPUT_TOO_LARGE';
    if (isTooMuch && messages.length > 0) return false;
    throw error;
  }
};

const stream = async (
  client: Client,
  request: CallRequest,
  listening: Listening,
): Promise<StreamResult> => {
  const { messages, deps, context } = listening;
  const { maxStreamMs } = deps.settings;
  const time = maxStreamMs === undefined ? undefined : AbortSignal.timeout(maxStreamMs);
  const signal = time ? AbortSignal.any([request.signal, time]) : request.signal;
  let ended: string | undefined;
  try {
    ended = await listen(client, { ...request, signal }, listening);
  } catch (error) {
    if (!time?.aborted || request.signal.aborted) throw error;
    ended = `after ${maxStreamMs} ms`;
  }
  if (ended !== undefined) context.warn(`The stream was ended ${ended}; the server had more.`);
  return { messages, complete: ended === undefined };
};

const failureOf = (error: unknown, { context, deps, messages }: Listening): unknown => {
  if (context.signal.aborted) return context.signal.reason;
  if (error instanceof MalformedMessage) {
    return new ToolFailure(
      'SERVER_ERROR',
      `The answer of the server cannot be read: ${error.message}.`,
      {
        retryable: false,
        suggestions: ['The call was made. Read the source again if the server has changed.'],
      },
    );
  }
  const partial = messages.length > 0 ? { messages, complete: false } : undefined;
  const { redact, isRepeatable } = deps;
  return statusFailure(error, { redact, isRepeatable, ...(partial && { partial }) });
};

const requestOf = (
  input: unknown,
  { method, types, settings, path, timeoutMs, now }: MethodDeps,
  { metadata, signal }: { readonly metadata: Metadata; readonly signal: AbortSignal },
): CallRequest => {
  const message = encodeMessage(method.input, messageOf(method.input, input), types);
  if (message.length > settings.maxRequestBytes) {
    throw new ToolFailure(
      'VALIDATION_ERROR',
      `The message is larger than ${settings.maxRequestBytes} bytes.`,
      { suggestions: ['Send less, or raise maxRequestBytes of the source.'] },
    );
  }
  // A stream ends a little before the call, so that the failure has what came until then.
  const time = method.serverStream ? timeoutMs * STREAM_SHARE : timeoutMs;
  return { path, message, metadata, signal, deadline: now() + time };
};

export const runMethod = async (
  input: unknown,
  context: ToolContext,
  deps: MethodDeps,
): Promise<unknown> => {
  const { settings, channels, method } = deps;
  const { signal } = context;
  const address = await context.resolveHost(settings.host, settings.port);
  return channels.use(address, async (client, grpc) => {
    const secret = (key: string): Promise<string> => context.secret(key);
    const metadata = await callMetadata(settings, { grpc, address, secret });
    const request = requestOf(input, deps, { metadata, signal });
    const listening: Listening = { deps, context, messages: [] };
    try {
      const call = (): Promise<unknown> =>
        method.serverStream
          ? stream(client, request, listening)
          : unary(client, request, { deps, context });
      return await inCallSpan(context, { grpc, path: deps.path, settings, metadata }, call);
    } catch (error) {
      throw failureOf(error, listening);
    }
  });
};
