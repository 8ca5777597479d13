/** Waits on this machine for the redirect of the browser after a login, and accepts one answer only. */
import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';

const HOST = '127.0.0.1';
const PATH = '/callback';

export interface CallbackAnswer {
  readonly code: string;
  readonly iss: string | undefined;
}

export interface CallbackListener {
  readonly port: number;
  readonly redirectUrl: string;
  /** Resolves with the first answer that carries the state. Fails with TIMEOUT or CANCELLED. */
  wait(state: string): Promise<CallbackAnswer>;
  close(): void;
}

export interface ListenOptions {
  /** Tried first, so that an earlier registration stays valid; any free one otherwise. */
  readonly port: number | undefined;
  /** Fails when the port is taken, instead of using another one. */
  readonly isFixed: boolean;
  readonly runtime: Runtime;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

const isSame = (received: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(received), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
};

const sendPage = (response: ServerResponse, status: number, text: string): void => {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      connection: 'close',
    })
    .end(`<!doctype html><title>Toolcrib</title><p>${text}</p>`);
};

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

/** Repeats no text of the login page. */
const refusal = (error: string): ToolFailure =>
  new ToolFailure(
    'AUTH_MISSING',
    error === 'access_denied' ? 'The login was refused.' : 'The login page reported an error.',
    { suggestions: ['Log in again, and agree to what the page asks for.'] },
  );

type Outcome = CallbackAnswer | ToolFailure;

/** Returns `undefined` for a request that is not the expected answer. */
const outcomeOf = (query: URLSearchParams, state: string): Outcome | undefined => {
  const states = query.getAll('state');
  if (states.length !== 1 || !isSame(states[0] ?? '', state)) return undefined;
  const error = query.get('error');
  if (error !== null) return refusal(error);
  const codes = query.getAll('code');
  if (codes.length !== 1 || codes[0] === undefined || codes[0] === '') return undefined;
  return { code: codes[0], iss: query.get('iss') ?? undefined };
};

const answerTo = (
  { method, url = '/', headers }: IncomingMessage,
  { port, state }: { readonly port: number; readonly state: string },
): Outcome | undefined => {
  // Against DNS rebinding: a page of another origin has its own name in Host.
  if (method !== 'GET' || headers.host !== `${HOST}:${port}`) return undefined;
  const at = new URL(url, `http://${HOST}`);
  return at.pathname === PATH ? outcomeOf(at.searchParams, state) : undefined;
};

/** Opens the port; nothing is accepted before `wait` says which state counts. */
export const listenForCallback = async (options: ListenOptions): Promise<CallbackListener> => {
  const { runtime, waitMs, signal } = options;
  let handle: ((request: IncomingMessage) => boolean) | undefined;
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    if (handle?.(request) === true) sendPage(response, 200, 'Done. You can close this page.');
    else sendPage(response, 400, 'This is not the answer that Toolcrib waits for.');
  });
  server.maxConnections = 16;
  const port = await listen(server, options.port ?? 0).catch(() => {
    if (!options.isFixed) return listen(server, 0);
    throw new ToolFailure('CONFLICT', `Port ${options.port} of this machine is taken.`, {
      suggestions: ['End the program that uses it, then log in again.'],
    });
  });
  const wait = (state: string): Promise<CallbackAnswer> =>
    new Promise((resolve, reject) => {
      const settle = (outcome: Outcome): void => {
        handle = undefined;
        timer.cancel();
        if (outcome instanceof ToolFailure) reject(outcome);
        else resolve(outcome);
      };
      const timer = runtime.after(waitMs, () =>
        settle(
          new ToolFailure('TIMEOUT', 'Nobody logged in in time.', {
            suggestions: ['If the page showed an error, log out and in again: it starts afresh.'],
          }),
        ),
      );
      const stop = (): void => settle(new ToolFailure('CANCELLED', 'The login was cancelled.'));
      if (signal?.aborted === true) return stop();
      signal?.addEventListener('abort', stop, { once: true });
      handle = (request) => {
        const outcome = answerTo(request, { port, state });
        if (outcome) settle(outcome);
        return outcome !== undefined && !(outcome instanceof ToolFailure);
      };
    });
  return {
    port,
    redirectUrl: `http://${HOST}:${port}${PATH}`,
    wait,
    close: () => {
      server.close();
      server.closeIdleConnections();
    },
  };
};
