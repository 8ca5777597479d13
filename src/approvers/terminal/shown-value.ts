/** A value of an input as an approver reads it: exact, with its type, nothing in it invisible. */

import { isRecord } from '../../kit/data/is-record.ts';
import { visibleText } from '../../kit/text/visible-text.ts';

/** A string on one line between quotes; a quote inside is escaped, so that it ends where it ends. */
export const quoted = (text: string): string =>
  `"${visibleText(text)
    .replace(/(\\*)"/g, '$1$1\\"')
    .replace(/\\+$/, '$&$&')}"`;

const keyOf = (key: string): string => (/^[A-Za-z_][\w-]*$/.test(key) ? key : quoted(key));

/** The children of an object or a list, as name and value; nothing for anything else. */
export const childrenOf = (value: unknown): readonly (readonly [string, unknown])[] => {
  if (Array.isArray(value)) return value.map((item, at) => [`- ${at + 1}`, item] as const);
  return isRecord(value)
    ? Object.entries(value).map(([key, item]) => [keyOf(key), item] as const)
    : [];
};

/** Of a value that has no children. */
export const shownScalar = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return '[]';
  return isRecord(value) ? '{}' : String(value);
};
