/** Sends requests of a program to a server: only those that read, with a bounded answer. */
import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { ToolFailure } from '../../contract/errors.ts';
import { SERVER_METHODS, type ServerMethod, type ServerRequest } from '../../contract/servers.ts';
import { onServerUnasked } from './on-server.ts';
import type { ServerSource } from './server-source.ts';

type Params = Readonly<Record<string, unknown>> | undefined;
type Send = (client: Client, params: Params, options: RequestOptions) => Promise<object>;

/** A method of the SDK for each: it knows both eras of the protocol. */
const SENDERS: Readonly<Record<ServerMethod, Send>> = {
  ping: (client, _, options) => client.ping(options),
  'tools/list': (client, params, options) => client.listTools(params as never, options),
  'resources/list': (client, params, options) => client.listResources(params as never, options),
  'resources/templates/list': (client, params, options) =>
    client.listResourceTemplates(params as never, options),
  'resources/read': (client, params, options) => client.readResource(params as never, options),
  'prompts/list': (client, params, options) => client.listPrompts(params as never, options),
  'prompts/get': (client, params, options) => client.getPrompt(params as never, options),
  'completion/complete': (client, params, options) => client.complete(params as never, options),
};

const refused = (): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', 'A program cannot send this request to a server itself.', {
    suggestions: [
      'Call a tool with crib.execute, so that the call is judged and recorded.',
      `Requests that can be sent: ${SERVER_METHODS.join(', ')}.`,
    ],
  });

const tooLarge = (maxBytes: number): ToolFailure =>
  new ToolFailure('OUTPUT_TOO_LARGE', `The answer is larger than ${maxBytes} bytes.`, {
    suggestions: ['Ask for less, or raise maxOutputBytes of the server.'],
  });

/** Rejects with PERMISSION_DENIED for a method that can do more than read. */
export const sendRequest = async (
  one: ServerSource,
  { method, params }: ServerRequest,
): Promise<Readonly<Record<string, unknown>>> => {
  if (!Object.hasOwn(SENDERS, method)) throw refused();
  const { maxOutputBytes } = one.link.settings;
  const answer = await onServerUnasked(one, undefined, (client, options) =>
    SENDERS[method](client, params, options),
  );
  if (Buffer.byteLength(JSON.stringify(answer)) > maxOutputBytes) throw tooLarge(maxOutputBytes);
  return { ...answer };
};
