/** Reads what came back over the network: no more than a limit, decoded, and when to come again. */
import { ToolFailure } from '../contract/errors.ts';

const tooLarge = (maxBytes: number): ToolFailure =>
  new ToolFailure('OUTPUT_TOO_LARGE', `The response is larger than ${maxBytes} bytes.`, {
    suggestions: ['Ask for less, or allow more bytes.'],
  });

/** Fails with OUTPUT_TOO_LARGE as soon as the limit is passed; the rest is not read. */
export const readBytes = async (response: Response, maxBytes: number): Promise<Uint8Array> => {
  if (response.body === null) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body) {
    size += piece.byteLength;
    // Leaving the loop cancels the stream.
    if (size > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
};

/** Longest of the common names: `x-mac-cyrillic`, `iso-8859-8-i`. */
const CHARSET = /charset\s*=\s*"?([\w.:-]{1,40})/i;

/** The label of a media type's parameter, where there is one. */
export const charsetOf = (contentType: string): string | undefined =>
  CHARSET.exec(contentType)?.[1];

/** A label nobody knows is read as UTF-8; bytes that fit no character become U+FFFD. */
export const decodeText = (bytes: Uint8Array, charset = 'utf-8'): string => {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
};

/** `undefined` when the text is no JSON. */
export const parseJson = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
};

/** A day: nobody waits longer, and a larger number is a mistake or a trick. */
const MAX_WAIT = 86_400_000;

/** Some services name the second at which the next window begins instead. */
const windowStart = (headers: Headers): string | undefined => {
  const seconds = headers.get('x-ratelimit-reset') ?? '';
  return /^\d{10}$/.test(seconds) ? new Date(Number(seconds) * 1000).toUTCString() : undefined;
};

/** What `Retry-After` asks for. A date is measured by the other side's own clock. */
export const retryAfterMs = (headers: Headers): number | undefined => {
  const asked = headers.get('retry-after')?.trim() ?? windowStart(headers);
  if (asked === undefined || asked === '') return undefined;
  const wait = /^\d{1,9}$/.test(asked)
    ? Number(asked) * 1000
    : Date.parse(asked) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), MAX_WAIT);
};
