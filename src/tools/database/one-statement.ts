/** Checks that a text holds one SQL statement: of several, a database would run only the first. */
import { ToolFailure } from '../../contract/errors.ts';

/** Matches strings, quoted names and comments as a whole, so that a semicolon inside does not count. */
const PIECES =
  /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|\[[^\]]*\]?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|;|[^'"`[;/-]+|[/-]/g;

const isComment = (piece: string): boolean => piece.startsWith('--') || piece.startsWith('/*');
const saysNothing = (piece: string): boolean =>
  piece === ';' || isComment(piece) || piece.trim() === '';

export const invalidQuery = (message: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', message, { issues: [{ path: ['query'], message }] });

/** Makes the failure for values that do not fit the placeholders. */
export const invalidParams = (message: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', message, { issues: [{ path: ['params'], message }] });

const isQuoted = (piece: string): boolean => /^['"`[]/.test(piece) || isComment(piece);

/** Refuses named placeholders: values are a list, and SQLite would bind NULL to a name. A `$` may be part of a name. */
export const assertNoNames = (sql: string): void => {
  const isNamed = [...sql.matchAll(PIECES)].some(
    ([piece]) => !isQuoted(piece) && /(?<![\w$\u0080-\uffff])[:@$#]/.test(piece),
  );
  if (isNamed) throw invalidQuery('Use ? for values: the query has a placeholder with a name.');
};

/** Fails with VALIDATION_ERROR for no statement or several. */
export const assertOneStatement = (sql: string): void => {
  if (sql.includes('\0')) throw invalidQuery('The query holds a NUL character.');
  const pieces = [...sql.matchAll(PIECES)].map(([piece]) => piece);
  if (pieces.every(saysNothing)) throw invalidQuery('The query holds no statement.');
  const end = pieces.indexOf(
    ';',
    pieces.findIndex((piece) => !saysNothing(piece)),
  );
  if (end >= 0 && !pieces.slice(end).every(saysNothing)) {
    throw invalidQuery('One statement a call: the query holds several.');
  }
};
