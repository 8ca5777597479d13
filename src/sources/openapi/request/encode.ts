/** Writes values for addresses. */

const LONE = /\p{Cs}/gu;
const SUB_DELIMS = /[!'()*]/g;

const hex = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Encodes all but letters, digits and `-._~`. Lone surrogates become U+FFFD. */
export const encode = (text: string): string =>
  encodeURIComponent(text.replace(LONE, '\uFFFD')).replace(SUB_DELIMS, hex);

const KEPT = /%(?:3A|2F|3F|40|24|2C|3B|5B|5D|21|27|28|29|2A)/g;

/** Leaves reserved characters as they are, except those that would end the value: `#&=+%`. */
export const encodeReserved = (text: string): string =>
  encode(text).replace(KEPT, (code) => decodeURIComponent(code));

/** Writes a value that is no list and no object; nested ones as JSON. */
export const plainText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};
