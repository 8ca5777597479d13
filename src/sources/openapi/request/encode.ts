/** Writes values for addresses. */

const LONE = /\p{Cs}/gu;
const SUB_DELIMS = /[!'()*]/g;

const hex = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Encodes all but letters, digits and `-._~`. Lone surrogates become U+FFFD. */
export const encode = (text: string): string =>
  encodeURIComponent(text.replace(LONE, '\uFFFD')).replace(SUB_DELIMS, hex);

const KEPT = /%(?:3A|2F|3F|40|24|2C|3B|5B|5D|21|27|28|29|2A)/g;

const TRIPLE = /%25([0-9A-Fa-f]{2})/g;

/**
 * Leaves reserved characters and what is percent-encoded already as they are (RFC 6570, section 3.2.3),
 * except those that would end the value: `#&=+%`.
 */
export const encodeReserved = (text: string): string =>
  encode(text)
    .replace(KEPT, (code) => decodeURIComponent(code))
    .replace(TRIPLE, '%$1');

const JSON_TYPE = /^(?:\*\/\*|[^/;]+\/(?:[^/;]+\+)?json\b)/i;

/** Writes a value in a media type: JSON as JSON, and a text of any other type as it is. */
export const contentText = (contentType: string, value: unknown): string =>
  JSON_TYPE.test(contentType) ? JSON.stringify(value) : plainText(value);

/** Writes a value that is no list and no object; nested ones as JSON. */
export const plainText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};
