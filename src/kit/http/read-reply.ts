/** Reads what came back over the network: no more than a limit, decoded, and when to come again. */
import { ToolFailure } from '../../contract/errors.ts';
import { DAY_MS } from '../data/durations.ts';
import { PulledResponse } from './pulled-response.ts';

const tooLarge = (maxBytes: number): ToolFailure =>
  new ToolFailure('OUTPUT_TOO_LARGE', `The response is larger than ${maxBytes} bytes.`, {
    suggestions: ['Ask for less, or allow more bytes.'],
  });

/** Reads a body. Fails with OUTPUT_TOO_LARGE as soon as the limit is passed; the rest is not read. */
export const readBytes = async (response: Response, maxBytes: number): Promise<Uint8Array> => {
  if (response instanceof PulledResponse) {
    const bytes = await response.readUpTo(maxBytes);
    if (bytes === undefined) throw tooLarge(maxBytes);
    return bytes;
  }
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

/** Reads the charset of a media type, where it names one. */
export const charsetOf = (contentType: string): string | undefined =>
  CHARSET.exec(contentType)?.[1];

/** Decodes text. An unknown charset is read as UTF-8; invalid bytes become U+FFFD. */
export const decodeText = (bytes: Uint8Array, charset = 'utf-8'): string => {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
};

/** Parses JSON; gives `undefined` for anything else. */
export const parseJson = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
};

/** Nobody waits longer than a day: a larger number is a mistake or a trick. */
const MAX_WAIT_MS = DAY_MS;

/** Reads the start of the next window, which some services name instead of `Retry-After`. */
const windowStart = (headers: Headers): string | undefined => {
  const seconds = headers.get('x-ratelimit-reset') ?? '';
  return /^\d{10}$/.test(seconds) ? new Date(Number(seconds) * 1000).toUTCString() : undefined;
};

/** Reads how long `Retry-After` asks to wait. A date is measured by the other side's own clock. */
export const retryAfterMs = (headers: Headers): number | undefined => {
  const header = headers.get('retry-after')?.trim() ?? windowStart(headers);
  if (header === undefined || header === '') return undefined;
  const wait = /^\d{1,9}$/.test(header)
    ? Number(header) * 1000
    : Date.parse(header) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), MAX_WAIT_MS);
};
