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

/** Runs work on the connection of a server, within its time limit. */
export const onServer = async <T>(
  one: ServerSource,
  work: (connection: Connection, timeout: number) => Promise<T>,
): Promise<T> => {
  const { link } = one;
  const { timeoutMs } = link.settings;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await link.use(signal, (connection) => work(connection, timeoutMs));
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
  work: (client: Client, options: RequestOptions) => Promise<T>,
): Promise<T> =>
  onServer(one, ({ client, calls }, timeout) => {
    const call = calls.addSilent();
    return calls.settle(call, work(client, { timeout, headers: linkHeaders(call.key) }));
  });
