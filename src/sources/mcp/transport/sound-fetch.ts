/**
 * Puts the check of messages between the network and the SDK, which parses JSON bodies and event
 * streams by itself. Questions on the stream of a call are linked to it.
 */
import { linkText, takeLink } from '../call/question-link.ts';
import { soundText } from './sound-message.ts';

type Fetch = typeof globalThis.fetch;

/** One event of a stream, with the lines of its data replaced by those of the checked text. */
const soundEvent = (event: string, link: string | undefined): string => {
  const lines = event.split(/\r\n|\n|\r/);
  const isData = (line: string): boolean => line === 'data' || line.startsWith('data:');
  const data = lines.filter(isData).map((line) => line.slice(5).replace(/^ /, ''));
  if (data.length === 0) return event;
  const text = data.join('\n');
  const sound = link === undefined ? soundText(text) : linkText(soundText(text), link);
  if (sound === text) return event;
  return [...lines.filter((line) => !isData(line)), `data: ${sound}`].join('\n');
};

/** Events wait for the blank line that ends them; a stream that never sends one is cut by the egress guard. */
const soundEvents = (link: string | undefined): TransformStream<string, string> => {
  const blankLine = /\r\n\r\n|\n\n|\r\r/g;
  let rest = '';
  return new TransformStream({
    transform: (chunk, controller) => {
      // What was there before holds no blank line, but may end in a part of one.
      blankLine.lastIndex = Math.max(0, rest.length - 3);
      rest += chunk;
      // A line break may be cut in two: the carriage return waits for what follows.
      if (rest.endsWith('\r')) return;
      let from = 0;
      for (let end = blankLine.exec(rest); end; end = blankLine.exec(rest)) {
        controller.enqueue(`${soundEvent(rest.slice(from, end.index), link)}\n\n`);
        from = end.index + end[0].length;
      }
      rest = rest.slice(from);
    },
    flush: (controller) => {
      if (rest !== '') controller.enqueue(rest);
    },
  });
};

const typeOf = ({ headers }: Response): string =>
  (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

const checked = async (response: Response, link: string | undefined): Promise<Response> => {
  const { status, statusText, headers, body } = response;
  if (!body || !response.ok) return response;
  const init = { status, statusText, headers };
  if (typeOf(response) === 'application/json') {
    return new Response(soundText(await response.text()), init);
  }
  if (typeOf(response) !== 'text/event-stream') return response;
  const events = body
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(soundEvents(link))
    .pipeThrough(new TextEncoderStream());
  return new Response(events, init);
};

export const soundFetch =
  (fetch: Fetch): Fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers);
    const link = takeLink(headers);
    return checked(await fetch(input, { ...init, headers }), link);
  };
