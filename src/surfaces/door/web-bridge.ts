/**
 * Between Node and the web: makes the web's request of an exchange when somebody wants one, and sends
 * the response that comes of it. Most exchanges never need either.
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

/** Throws when the address of the request is none; the client has been told then. */
export type WebBridge = (exchange: Exchange) => WebExchange;

type Taker = (request: Request) => Promise<Response>;

export const createWebBridge = async (): Promise<WebBridge> => {
  const [{ getRequestListener }, { RESPONSE_ALREADY_SENT }] = await Promise.all([
    import('@hono/node-server'),
    import('@hono/node-server/utils/response'),
  ]);
  const takers = new WeakMap<object, Taker>();
  const listener = getRequestListener(
    (request, { incoming }) => takers.get(incoming)?.(request) ?? Response.error(),
    { overrideGlobalObjects: false },
  );
  return ({ incoming, outgoing }) => {
    const taken: { request?: Request } = {};
    let respond: (response: Response) => void = () => undefined;
    const answered = new Promise<Response>((resolve) => {
      respond = resolve;
    });
    takers.set(incoming, (request) => {
      taken.request = request;
      return answered;
    });
    // It reports its own failures to the client.
    void listener(incoming, outgoing);
    const { request } = taken;
    if (!request) throw new ToolFailure('VALIDATION_ERROR', 'The request has no good address.');
    return { request, respond: (response) => respond(response ?? RESPONSE_ALREADY_SENT) };
  };
};
