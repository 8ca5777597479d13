/**
 * Writes JSON that reads back to itself: `stringify(parse(text)) === text` makes verification exact. `stringify`
 * alone ensures it but for two cases: a proxy can list index keys out of order, and `JSON.rawJSON` of
 * newer engines puts numbers and strings of any form into the text.
 */

const INDEX_KEY = /"\d+":/;

/** Matches all index keys, and all but the plainest numbers and strings: integers of at most 15 digits, no \u or \/. */
const INDEX_KEY_OR_RAW = /"\d+":|[:,[]-?(?:\d+[.eE]|\d{16})|[:,[]-0|\\[u/]|\p{Surrogate}/u;

/** Tells whether JSON text could change when it is read and written again; doing so for every row costs as much as writing it. Never false where it does. */
export const mayChange = (text: string, mayHoldRaw: boolean): boolean =>
  (mayHoldRaw ? INDEX_KEY_OR_RAW : INDEX_KEY).test(text);

const HAS_RAW = 'rawJSON' in JSON;

/** Returns `undefined` for what is no object. Throws for what JSON cannot hold. */
export const stableJson = (value: unknown): string | undefined => {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined || !text.startsWith('{')) return undefined;
  return mayChange(text, HAS_RAW) ? JSON.stringify(JSON.parse(text)) : text;
};
