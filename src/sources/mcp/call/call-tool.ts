/** Calls a tool of a server in the fastest way that its transport allows. */
import type { CallToolResult, Client, JSONRPCMessage } from '@modelcontextprotocol/client';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { ServerSettings } from '../server-settings.ts';
import type { CallParams, CallWatch, DirectCalls } from './direct-calls.ts';
import { linkHeaders } from './question-link.ts';

export type CallTool = (params: CallParams, watch: CallWatch) => Promise<CallToolResult>;

/** Disables the timeout of the SDK: the pipeline limits the time of a call. */
const NEVER_MS = 2_147_483_647;

/**
 * Calls through the SDK. `callTool` looks the tool up each time to add headers that mirror the input; a
 * pipe or a socket has no headers, so a plain request does there.
 */
export const throughSdk =
  (client: Client, { transport }: Pick<ServerSettings, 'transport'>): CallTool =>
  (params, watch) => {
    const options = {
      signal: watch.signal,
      timeout: NEVER_MS,
      ...(watch.call && { headers: linkHeaders(watch.call.key) }),
      // Always set, so that a progress token is sent and a long call can report progress.
      onprogress: ({ progress, total, message }: Progress) =>
        watch.onProgress(progress, total, message),
    };
    const sent = watch.trace ? { ...params, _meta: { ...watch.trace } } : { ...params };
    return transport === 'stdio' || transport === 'websocket'
      ? client.request({ method: 'tools/call', params: sent }, options)
      : client.callTool(sent, options);
  };

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface DirectTransport {
  readonly directCalls: DirectCalls;
  foresee(args: object, response: JSONRPCMessage): void;
}

/** The client data in each request of the newer protocol; nothing for the older one. */
export type Envelope = Readonly<Record<string, unknown>> | undefined;

/** Calls past the SDK, which only gets what is not a plain result: errors, questions, malformed answers. */
export const directly = (
  transport: DirectTransport,
  envelope: Envelope,
  judge: CallTool,
): CallTool => {
  const { directCalls } = transport;
  const isModern = envelope !== undefined;
  directCalls.meta = isModern ? `${JSON.stringify(envelope).slice(1, -1)},` : '';
  return (params, watch) =>
    directCalls.call(params, watch, (response) => {
      const result = plainResult(response, isModern);
      if (result) return result;
      // A copy, which identifies this call of the SDK among others with the same input.
      const args = { ...params.arguments };
      transport.foresee(args, response as unknown as JSONRPCMessage);
      return judge({ name: params.name, arguments: args }, watch);
    });
};

type Fields = Readonly<Record<string, unknown>>;

const countOf = (fields: Fields): number => {
  let count = 0;
  for (const _ in fields) count += 1;
  return count;
};

/** Tells whether a block has nothing but text: the SDK removes unknown fields and checks annotations. */
const isPlainText = (block: unknown): boolean =>
  isRecord(block) &&
  block.type === 'text' &&
  typeof block.text === 'string' &&
  countOf(block) === 2;

const isPlainContent = (content: unknown): boolean => {
  if (!Array.isArray(content)) return false;
  for (const block of content) if (!isPlainText(block)) return false;
  return true;
};

/** Tells whether `_meta` has none of the keys that the protocol defines. */
const isPlainMeta = (meta: unknown): boolean =>
  meta === undefined ||
  (isRecord(meta) &&
    meta.progressToken === undefined &&
    meta['io.modelcontextprotocol/related-task'] === undefined);

/** Tells whether data has no key `__proto__`, which the SDK removes. */
const isPlainData = (data: unknown): boolean =>
  data === undefined || (isRecord(data) && !Object.hasOwn(data, '__proto__'));

/**
 * Reads the answers that nearly all calls get, text and data, exactly as the SDK would. Returns `undefined`
 * for all others, malformed or only rare: the SDK judges them.
 */
export const plainResult = (response: Fields, isModern: boolean): CallToolResult | undefined => {
  const { result } = response;
  const isPlain =
    isRecord(result) &&
    // Exactly `jsonrpc`, `id` and `result`.
    countOf(response) === 3 &&
    result.resultType === (isModern ? 'complete' : undefined) &&
    isPlainContent(result.content) &&
    isPlainData(result.structuredContent) &&
    (result.isError === undefined || typeof result.isError === 'boolean') &&
    isPlainMeta(result._meta);
  return isPlain ? (result as unknown as CallToolResult) : undefined;
};
