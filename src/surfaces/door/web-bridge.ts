/**
 * Converts between Node and the web: makes the web request of an exchange on demand, and sends its
 * web response. Most exchanges need neither.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ToolFailure } from '../../contract/errors.ts';

export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

export interface WebExchange {
  readonly request: Request;
  /** Sends a response; nothing when the answer was written already. */
  respond(response: Response | undefined): void;
}

/**
 * Makes the web side of an exchange. Throws when the URL of the request is invalid; a 400 has been
 * written then.
 */
export type WebBridge = (exchange: Exchange) => WebExchange;

type WebHandler = (request: Request) => Promise<Response>;

export const createWebBridge = async (): Promise<WebBridge> => {
  const [{ getRequestListener }, { RESPONSE_ALREADY_SENT }] = await Promise.all([
    import('@hono/node-server'),
    import('@hono/node-server/utils/response'),
  ]);
  const handlers = new WeakMap<object, WebHandler>();
  const listener = getRequestListener(
    (request, { incoming }) => handlers.get(incoming)?.(request) ?? Response.error(),
    { overrideGlobalObjects: false },
  );
  return ({ incoming, outgoing }) => {
    const received: { request?: Request } = {};
    let respond: (response: Response) => void = () => undefined;
    const answered = new Promise<Response>((resolve) => {
      respond = resolve;
    });
    handlers.set(incoming, (request) => {
      received.request = request;
      return answered;
    });
    // The listener reports its own failures to the client.
    void listener(incoming, outgoing);
    const { request } = received;
    if (!request)
      throw new ToolFailure('VALIDATION_ERROR', 'The address of the request is not a valid URL.');
    return { request, respond: (response) => respond(response ?? RESPONSE_ALREADY_SENT) };
  };
};
