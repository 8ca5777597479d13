/**
 * The line to the streams of a container. Asked for without a body: the library sends its options as
 * one, and Podman takes them for the first words of the standard input.
 */
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';

const QUERY = 'stream=1&stdin=1&stdout=1&stderr=1';

/** As the library puts the errors of an engine. */
const refusal = async (response: IncomingMessage): Promise<Error> => {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text = `${text}${chunk}`.slice(0, 10_000);
  return Object.assign(new Error(text), { statusCode: response.statusCode });
};

/** Rejects with the status of the engine's answer when it refuses. */
export const attach = (socketPath: string, id: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const asked = request({
      socketPath,
      method: 'POST',
      path: `/containers/${id}/attach?${QUERY}`,
      headers: { Connection: 'Upgrade', Upgrade: 'tcp', 'Content-Length': '0' },
    });
    asked.once('upgrade', (_, socket: Socket, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.once('response', (response) => void refusal(response).then(reject, reject));
    asked.once('error', reject);
    asked.end();
  });
