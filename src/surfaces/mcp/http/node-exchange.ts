/** Between Node's HTTP server and the door: nothing is copied or built that nobody asks for. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RequestHead } from '../mcp-options.ts';
import type { DoorAnswer, PlainAnswer, StreamAnswer } from './door-answer.ts';
import type { DoorRequest } from './door-request.ts';
import { RawHeaders } from './raw-headers.ts';
import { readText } from './read-text.ts';

/** A client that disconnects cancels what it asked for. */
const cancelledWith = (response: ServerResponse): AbortSignal => {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
};

export const fromNode = (incoming: IncomingMessage, response: ServerResponse): DoorRequest => {
  const { method = 'GET', url: target = '/' } = incoming;
  const headers = new RawHeaders(incoming.rawHeaders);
  const head: RequestHead = { method, url: `http://127.0.0.1${target}`, headers };
  let web: Request | undefined;
  return {
    method,
    head,
    header: (name) => headers.get(name),
    text: (most) =>
      // What says that it is too large is not read at all.
      Number(headers.get('content-length')) > most
        ? Promise.resolve(undefined)
        : readText(incoming, most),
    web: () => {
      web ??= new Request(head.url, {
        method,
        headers: headers.toHeaders(),
        signal: cancelledWith(response),
      });
      return web;
    },
  };
};

const writePlain = ({ status, headers, body }: PlainAnswer, response: ServerResponse): void => {
  const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...length });
  response.end(body ?? undefined);
};

const writeEvents = (answer: StreamAnswer, response: ServerResponse): void => {
  const { status, headers, stream } = answer;
  if (response.destroyed) {
    stream.leave();
    return;
  }
  response.once('close', () => stream.leave());
  response.writeHead(status, { ...headers });
  // So that the client knows at once that its stream is open, although nothing was said yet.
  if (stream.isSilent) response.flushHeaders();
  stream.open({
    write: (text) => void response.write(text),
    end: () => void response.end(),
    backlog: () => response.writableLength,
    cut: () => void response.destroy(),
  });
};

const writeResponse = async (answer: Response, response: ServerResponse): Promise<void> => {
  const headers = Object.fromEntries(answer.headers);
  if (!answer.body) return void response.writeHead(answer.status, headers).end();
  if (!headers['content-type']?.startsWith('text/event-stream')) {
    return writePlain({ status: answer.status, headers, body: await answer.text() }, response);
  }
  response.writeHead(answer.status, headers).flushHeaders();
  await pipeline(Readable.fromWeb(answer.body as never), response);
};

export const writeAnswer = async (answer: DoorAnswer, response: ServerResponse): Promise<void> => {
  if (answer instanceof Response) await writeResponse(answer, response);
  else if ('stream' in answer) writeEvents(answer, response);
  else writePlain(answer, response);
};
