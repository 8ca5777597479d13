/**
 * Reads a message of a server as exactly as one of a caller. A response with a name given twice
 * becomes an error for the call it answers, because nobody can tell which value was meant. Whole
 * numbers of a tool's result that a double would round are kept as text.
 */
import { type JsonFlaw, scanJson } from '../../../kit/text/json-scan.ts';
import { tidyListing } from '../listing/tidy-listing.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Depth is judged later, for each tool and result by itself. */
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

/** Throws for what is no JSON, and for a flawed message that answers nobody. */
export const parseSoundly = (text: string): unknown => tidyListing(parseExactly(text));

const parseExactly = (text: string): unknown => {
  const { error, warnings } = scanJson(text, { maxDepth: MAX_DEPTH });
  if (error) return JSON.parse(text);
  if (warnings.length === 0) return JSON.parse(text);
  const message = Object(JSON.parse(text)) as Fields;
  const twice = warnings.find(({ kind }) => kind === 'duplicate');
  if (twice) return refused(message, twice);
  const inexact = warnings.filter(({ kind }) => kind === 'inexact');
  if (inexact.length === 0 || !isToolResult(message)) return message;
  return JSON.parse(quoted(text, inexact));
};

/** The same as text, for readers that parse themselves; what is no JSON stays as it is. */
export const soundText = (text: string): string => {
  try {
    const { error, warnings } = scanJson(text, { maxDepth: MAX_DEPTH, stopAtFirst: true });
    const isPlain = warnings.length === 0 && !text.includes('"tools"');
    return error || isPlain ? text : JSON.stringify(parseSoundly(text));
  } catch {
    return 'null';
  }
};
