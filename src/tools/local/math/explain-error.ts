/** Turns errors of mathjs into failures that name the position but never the values. */
import { ToolFailure } from '../../../contract/errors.ts';
import { tooMuch, wrongExpression } from './refusal.ts';

/** Messages of the parser, matched by their beginning. */
const PARSER_SAYS: readonly (readonly [RegExp, string])[] = [
  [/^Unexpected end of expression/, 'it ends too early'],
  [/^Value expected/, 'a value is missing'],
  [/^Parenthesis \) expected/, 'a closing parenthesis is missing'],
  [/^Unexpected operator/, 'an operator stands where none can be'],
  [/^Unexpected part/, 'something follows that does not belong to the expression'],
  [/^Syntax error in part/, 'a character is not part of any expression'],
  [/^End of (matrix|array)/i, 'the closing bracket of a matrix is missing'],
  [/^(Column|Row) dimensions mismatch/i, 'the rows of a matrix differ in length'],
  [/conditional expression/, 'the second half of a condition "a ? b : c" is missing'],
  [/^Digit expected/, 'a digit is missing'],
  [/quote/i, 'a quotation mark is missing'],
];

/** Messages of functions, matched by what they contain. */
const FUNCTION_SAYS: readonly (readonly [RegExp, string])[] = [
  [/Too (few|many) arguments/i, 'the number of arguments is wrong'],
  [/Units do not match/i, 'the units do not fit together'],
  [
    /shape mismatch|Dimension mismatch|dimensions|must be square|equal length/i,
    'the sizes of the matrices do not fit together',
  ],
  [/singular|determinant is zero|linearly dependent/i, 'the matrix has no inverse'],
  [/out of range/i, 'a position lies outside the matrix'],
  [/converge/i, 'the method found no solution'],
  [/significant digits/i, 'doubles and exact decimals cannot be mixed'],
];

const saidBy = (table: readonly (readonly [RegExp, string])[], message: string) =>
  table.find(([pattern]) => pattern.test(message))?.[1];

const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && /call stack/i.test(error.message);

/** Makes the failure for an error of the parser. */
export const explainParse = (error: unknown): ToolFailure => {
  if (isStackOverflow(error)) return tooMuch('it is nested too deep');
  const message = error instanceof Error ? error.message : '';
  const at: unknown = error instanceof Error ? Reflect.get(error, 'char') : undefined;
  return wrongExpression(saidBy(PARSER_SAYS, message) ?? 'its syntax is not valid', {
    position: typeof at === 'number' ? at : undefined,
  });
};

/** Makes the failure for an error of a function; `name` is one of the list, so it may be shown. */
export const explainCall = (
  error: unknown,
  { name, position }: { readonly name: string; readonly position: number | undefined },
): ToolFailure => {
  if (error instanceof ToolFailure) return error;
  if (isStackOverflow(error)) return tooMuch('it is nested too deep');
  const message = error instanceof Error ? error.message : '';
  const reason = saidBy(FUNCTION_SAYS, message) ?? 'the arguments do not suit it';
  return wrongExpression(`${name}: ${reason}`, { position });
};
