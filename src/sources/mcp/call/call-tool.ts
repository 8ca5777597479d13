/** Calls a tool of a server the shortest way that its transport has. */
import type { CallToolResult, Client, JSONRPCMessage } from '@modelcontextprotocol/client';
import type { ServerSettings } from '../server-settings.ts';
import type { CallParams, CallWatch, DirectCalls } from './direct-calls.ts';
import { plainResult } from './plain-result.ts';
import { linkHeaders } from './question-link.ts';

export type CallTool = (params: CallParams, watch: CallWatch) => Promise<CallToolResult>;

/** The pipeline keeps the time; the SDK must not end a call before it does. */
const NEVER_MS = 2_147_483_647;

/**
 * What the library adds to a plain request is headers that mirror the input, for which it looks the
 * tool up each time; a pipe or a socket has no headers.
 */
export const throughSdk =
  (client: Client, { transport }: Pick<ServerSettings, 'transport'>): CallTool =>
  (params, watch) => {
    const options = {
      signal: watch.signal,
      timeout: NEVER_MS,
      ...(watch.call && { headers: linkHeaders(watch.call.key) }),
      // Always there, so that a token is always sent and a long call can show that it lives.
      onprogress: ({ progress, total, message }: Step) =>
        watch.onProgress(progress, total, message),
    };
    return transport === 'stdio' || transport === 'websocket'
      ? client.request({ method: 'tools/call', params: { ...params } }, options)
      : client.callTool({ ...params }, options);
  };

interface Step {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface LaneTransport {
  readonly directCalls: DirectCalls;
  foresee(args: object, response: JSONRPCMessage): void;
}

/** What a request of the newer protocol says of the client each time; nothing for the older one. */
export type Envelope = Readonly<Record<string, unknown>> | undefined;

/** Past the SDK, which only gets to see what is not a plain result: errors, questions, nonsense. */
export const directly = (
  transport: LaneTransport,
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
      // A copy, so that it is known which call of the SDK is meant, should others have the same input.
      const args = { ...params.arguments };
      transport.foresee(args, response as unknown as JSONRPCMessage);
      return judge({ name: params.name, arguments: args }, watch);
    });
};
