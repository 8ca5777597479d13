/**
 * Reads what was thrown without ever throwing: the getters, proxies and messages of a thrown value may
 * belong to foreign code, and must not end the process.
 */
import { isErrorCode, type ToolFailure } from '../../contract/errors.ts';

const UNREADABLE = 'The tool threw a value that cannot be read.';
const UNKNOWN = 'It failed without saying why.';

/** Reads a property of anything; `undefined` where there is none or reading it throws. */
export const propertyOf = (value: unknown, key: string): unknown => {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function')
    return undefined;
  try {
    return (value as unknown as Readonly<Record<string, unknown>>)[key];
  } catch {
    return undefined;
  }
};

/** Tells whether a value is an `Error`; false for a proxy that refuses the question. */
export const isError = (value: unknown): value is Error => {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
};

/** Gives the words of what was thrown; an empty text where there are none. */
export const thrownText = (thrown: unknown): string => {
  try {
    if (!isError(thrown)) return String(thrown);
    const message: unknown = thrown.message;
    return message === undefined ? '' : String(message);
  } catch {
    return UNREADABLE;
  }
};

/** Gives the words of what was thrown; a sentence that admits it where there are none. */
export const reasonOf = (thrown: unknown): string => thrownText(thrown) || UNKNOWN;

/** Gives the stack where there is one, else the words. For the log. */
export const thrownTrace = (thrown: unknown): string => {
  const stack = isError(thrown) ? propertyOf(thrown, 'stack') : undefined;
  return typeof stack === 'string' ? stack : thrownText(thrown);
};

/** Gives the code that Node or the operating system put on an error, such as `ENOENT`; '' without one. */
export const errorCodeOf = (thrown: unknown): string => {
  const code = propertyOf(thrown, 'code');
  return typeof code === 'string' ? code : '';
};

/**
 * Tells whether an error names a code of the table, as `ToolFailure` does, also one of another copy of this
 * library.
 */
export const isCoded = (error: Error): error is ToolFailure =>
  'code' in error && isErrorCode(error.code) && 'extras' in error;
