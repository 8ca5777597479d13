/**
 * Decodes bash quoting independently of the parser, so that two implementations have to agree on
 * every value. Returns `undefined` for text that is not purely literal.
 */

/** Unquoted text: no operators, blanks, quotes, patterns or expansions unless escaped. */
const BARE = /^(?:[^\s;&|<>()$`'"*?\\]|\\[^\r])*\$?$/su;
const DOUBLE = /^(?:[^"$`\\]|\\[\s\S]|\$(?=[\s|)/,.;:%\\]))*\$?$/u;

/** A dollar sign that starts nothing may only be the very last character of its piece. */
export interface Piece {
  readonly text: string;
  readonly isLast: boolean;
}

const endsInOpenDollar = ({ text, isLast }: Piece): boolean => !isLast && text.endsWith('$');

export const decodeBare = (piece: Piece): string | undefined => {
  const { text } = piece;
  if (!BARE.test(text) || endsInOpenDollar(piece)) return undefined;
  return text.replace(/\\\n/g, '').replace(/\\(.)/gsu, '$1');
};

/** Decodes the inside of double quotes. */
export const decodeDouble = (piece: Piece): string | undefined => {
  const { text } = piece;
  if (!DOUBLE.test(text) || endsInOpenDollar(piece)) return undefined;
  return text.replace(/\\([$`"\\\n])/g, (_, escaped: string) => (escaped === '\n' ? '' : escaped));
};

/** Decodes text in single quotes, given with its quotes. */
export const decodeSingle = (text: string): string | undefined =>
  /^'[^']*'$/.test(text) ? text.slice(1, -1) : undefined;

/** Decodes `$'…'` without escapes, which can spell any character and hide a program's name. */
export const decodeAnsi = (text: string): string | undefined =>
  /^\$'[^'\\]*'$/.test(text) ? text.slice(2, -1) : undefined;

/** Finds a tilde that bash expands: at the start of a word and after `=` and `:`. */
export const hasTilde = (text: string): boolean => /(?:^|[=:])~/.test(text);

/** Finds `{a,b}` and `{1..3}`, also with quotes in between. */
export const hasBraces = (text: string): boolean =>
  /(?<!\\)\{/.test(text) && /,|\.\./.test(text.slice(text.indexOf('{')));

/** Finds `[…]` outside quotes, which is a pattern even where the parser did not report one. */
export const hasBracketPattern = (text: string): boolean => {
  const open = text.search(/(?<!\\)\[/);
  return open >= 0 && text.indexOf(']', open) >= 0;
};
