/** Runs requests other than tool calls on the connection of a server. */
import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import type { ToolFailure } from '../../contract/errors.ts';
import { linkHeaders } from './call/question-link.ts';
import type { Connection } from './connect-server.ts';
import { serverFailure } from './server-failure.ts';
import type { ServerSource } from './server-source.ts';

export const failureOf = (one: ServerSource, error: unknown): ToolFailure =>
  serverFailure(error, {
    server: one.link.settings.name,
    retryable: true,
    redact: (text) => one.redact(text),
  });

/** What a request to a server is sent with. */
export interface SendOptions {
  /** Withdraws the request. */
  readonly signal?: AbortSignal;
}

/** Runs work on the connection of a server, within its time limit. */
export const onServer = async <T>(
  one: ServerSource,
  work: (connection: Connection, timeout: number) => Promise<T>,
  { signal }: SendOptions = {},
): Promise<T> => {
  const { link } = one;
  const { timeoutMs } = link.settings;
  const limit = AbortSignal.timeout(timeoutMs);
  const until = signal ? AbortSignal.any([limit, signal]) : limit;
  try {
    signal?.throwIfAborted();
    return await link.use(until, (connection) => work(connection, timeoutMs));
  } catch (error) {
    throw failureOf(one, error);
  }
};

/**
 * Runs a request of somebody whom the server cannot ask. It counts among the calls meanwhile: what
 * the server asks for it must not reach the person behind another call.
 */
export const onServerUnasked = <T>(
  one: ServerSource,
  sending: SendOptions | undefined,
  work: (client: Client, options: RequestOptions) => Promise<T>,
): Promise<T> =>
  onServer(
    one,
    ({ client, calls }, timeout) => {
      const call = calls.addSilent();
      const options = { ...sending, timeout, headers: linkHeaders(call.key) };
      return calls.settle(call, work(client, options));
    },
    sending,
  );
