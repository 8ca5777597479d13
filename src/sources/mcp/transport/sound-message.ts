/**
 * Reads messages of servers as strictly as those of callers. A response with a duplicate name becomes an
 * error for its call, because it is unclear which value is meant. Integers in a tool's result that
 * a double would round become text.
 */
import { type JsonFlaw, scanJson } from '../../../kit/text/json-scan.ts';
import { linkText, takeLink } from '../call/question-link.ts';
import { tidyListing } from '../listing/list-server.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Depth is checked later, for each tool and result. */
const MAX_DEPTH = 100_000;
const PARSE_ERROR = -32700;

const isId = (id: unknown): boolean => typeof id === 'string' || Number.isSafeInteger(id);

const isToolResult = ({ result }: Fields): boolean =>
  typeof result === 'object' &&
  result !== null &&
  (Object.hasOwn(result, 'content') || Object.hasOwn(result, 'structuredContent'));

const quoted = (text: string, numbers: readonly JsonFlaw[]): string => {
  let from = 0;
  const pieces = numbers.map(({ offset, end }) => {
    const piece = `${text.slice(from, offset)}"${text.slice(offset, end)}"`;
    from = end;
    return piece;
  });
  return `${pieces.join('')}${text.slice(from)}`;
};

const refused = ({ id }: Fields, { message, offset }: JsonFlaw): unknown => {
  if (!isId(id)) throw new SyntaxError(message);
  const reason = `its message is refused: at character ${offset + 1}, ${message}`;
  return { jsonrpc: '2.0', id, error: { code: PARSE_ERROR, message: reason } };
};

/** Throws for invalid JSON, and for a flawed message that is no response. */
export const parseSoundly = (text: string): unknown => tidyListing(parseExactly(text));

const parseExactly = (text: string): unknown => {
  const { error, warnings } = scanJson(text, { maxDepth: MAX_DEPTH });
  if (error) return JSON.parse(text);
  if (warnings.length === 0) return JSON.parse(text);
  const message = Object(JSON.parse(text)) as Fields;
  const duplicate = warnings.find(({ kind }) => kind === 'duplicate');
  if (duplicate) return refused(message, duplicate);
  const inexact = warnings.filter(({ kind }) => kind === 'inexact');
  if (inexact.length === 0 || !isToolResult(message)) return message;
  return JSON.parse(quoted(text, inexact));
};

/** Does the same for readers that parse themselves: returns text. Invalid JSON stays as it is. */
const soundText = (text: string): string => {
  try {
    const { error, warnings } = scanJson(text, { maxDepth: MAX_DEPTH, stopAtFirst: true });
    const isPlain = warnings.length === 0 && !text.includes('"tools"');
    return error || isPlain ? text : JSON.stringify(parseSoundly(text));
  } catch {
    return 'null';
  }
};

type Fetch = typeof globalThis.fetch;

/** Replaces the data of one event by the checked text; a question in it is linked to its call. */
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

/** Checks each event at the blank line that ends it; the egress guard cuts a stream that never sends one. */
const soundEvents = (link: string | undefined): TransformStream<string, string> => {
  const blankLine = /\r\n\r\n|\n\n|\r\r/g;
  let rest = '';
  return new TransformStream({
    transform: (chunk, controller) => {
      // The earlier text holds no blank line, but may end in a part of one.
      blankLine.lastIndex = Math.max(0, rest.length - 3);
      rest += chunk;
      // A line break may be split: wait for what follows the carriage return.
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

const checkResponse = async (response: Response, link: string | undefined): Promise<Response> => {
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

/** Wraps a fetch so that the SDK, which parses bodies and event streams itself, gets checked messages. */
export const soundFetch =
  (fetch: Fetch): Fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers);
    const link = takeLink(headers);
    return checkResponse(await fetch(input, { ...init, headers }), link);
  };
