/**
 * Sends one request to the running server of this folder, with a token that is valid for this request
 * only.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { Role } from '../../contract/tokens.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import type { Io, OpenCrib } from '../io.ts';
import { localPerson } from './local-person.ts';
import { tokensOf } from './open-tokens.ts';
import { findServe } from './running-server.ts';

export interface ServerRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** The role that the route requires. */
  readonly role: Role;
  readonly body?: unknown;
}

export interface ServerAnswer {
  /** The address of the server. */
  readonly url: string;
  readonly answer: unknown;
}

const TOKEN_LIFE_MS = 60_000;
const MAX_ANSWER_MS = 10_000;

const notRunning = (): ToolFailure =>
  new ToolFailure('NOT_FOUND', 'No server of yours runs for this folder.', {
    suggestions: ['Start one: toolcrib serve --open'],
  });

const noAnswer = (): ToolFailure =>
  new ToolFailure('SERVER_ERROR', 'The server did not answer.', {
    suggestions: ['See whether it is still running, or start it again: toolcrib serve'],
  });

/** Makes the failure of a refused request from the answer; without a message, from the status. */
const refused = (status: number, answer: unknown): ToolFailure => {
  const error = isRecord(answer) && isRecord(answer.error) ? answer.error : {};
  const { message = `The server answered with status ${status}.` } = error;
  return new ToolFailure('SERVER_ERROR', String(message));
};

const send = async (
  url: string,
  { method, path, body }: ServerRequest,
  token: string,
): Promise<unknown> => {
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(MAX_ANSWER_MS),
  });
  const answer: unknown = await response.json();
  if (response.ok) return answer;
  throw refused(response.status, answer);
};

/**
 * Sends the request. Throws NOT_FOUND when no server runs, and SERVER_ERROR when it refuses or does not
 * answer.
 */
export const askServer = async (
  io: Io,
  { crib, loaded, root }: OpenCrib,
  request: ServerRequest,
): Promise<ServerAnswer> => {
  const running = await findServe(loaded.userDir, root);
  if (!running) throw notRunning();
  const tokens = await tokensOf(io, crib);
  const now = io.runtime.now();
  const name = `command-${process.pid}-${now}`;
  const newToken = { name, role: request.role, expiresAt: now + TOKEN_LIFE_MS };
  const { token, record } = await tokens.create(newToken, localPerson());
  try {
    return { url: running.url, answer: await send(running.url, request, token) };
  } catch (error) {
    throw error instanceof ToolFailure ? error : noAnswer();
  } finally {
    await tokens.revoke(record.id);
  }
};
