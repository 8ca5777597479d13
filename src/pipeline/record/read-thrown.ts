/**
 * Reads what foreign code threw without ever throwing itself: getters, proxies and messages that are
 * no text belong to the tool, and must not end the process.
 */
import { types } from 'node:util';
import {
  type ErrorCode,
  type ErrorExtras,
  type Issue,
  isErrorCode,
} from '../../contract/errors.ts';

/** Longer chains of causes are not followed; a circle ends here too. */
const MAX_CAUSES = 8;
const UNREADABLE = 'The tool threw a value that cannot be read.';

/** A property of anything, or `undefined` where there is none or reading it throws. */
const property = (value: unknown, key: string): unknown => {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function')
    return undefined;
  try {
    return (value as unknown as Readonly<Record<string, unknown>>)[key];
  } catch {
    return undefined;
  }
};

const isError = (value: unknown): boolean => {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
};

/** The words of what was thrown; an empty text where there are none. */
export const thrownText = (thrown: unknown): string => {
  try {
    if (!isError(thrown)) return String(thrown);
    const message: unknown = (thrown as Error).message;
    return message === undefined ? '' : String(message);
  } catch {
    return UNREADABLE;
  }
};

/** For the log: the stack where there is one. */
export const thrownTrace = (thrown: unknown): string => {
  const stack = isError(thrown) ? property(thrown, 'stack') : undefined;
  return typeof stack === 'string' ? stack : thrownText(thrown);
};

/** Hears the rejection of a promise that was returned where none is waited for. */
export const ignoreRejection = (value: unknown): void => {
  if (types.isPromise(value)) Promise.prototype.then.call(value, undefined, () => undefined);
};

const isText = (value: unknown): value is string => typeof value === 'string';

const listOf = (value: unknown): readonly unknown[] => {
  try {
    return Array.isArray(value) ? Array.from(value) : [];
  } catch {
    return [];
  }
};

const issuesOf = (value: unknown): readonly Issue[] =>
  listOf(value).flatMap((issue) => {
    const message = property(issue, 'message');
    if (!isText(message)) return [];
    const path = listOf(property(issue, 'path')).filter(
      (key): key is string | number => isText(key) || typeof key === 'number',
    );
    return [{ path, message }];
  });

/** The extras of a failure, without what is not of their type. */
const extrasOf = (value: unknown): ErrorExtras => {
  const issues = issuesOf(property(value, 'issues'));
  const retryAfterMs = property(value, 'retryAfterMs');
  const retryable = property(value, 'retryable');
  const cause = property(value, 'cause');
  const standing = listOf(property(value, 'standing')).filter(isText);
  return {
    suggestions: listOf(property(value, 'suggestions')).filter(isText),
    ...(issues.length > 0 && { issues }),
    ...(Number.isFinite(retryAfterMs) && { retryAfterMs: retryAfterMs as number }),
    ...(typeof retryable === 'boolean' && { retryable }),
    ...(isErrorCode(cause) && { cause }),
    ...(standing.length > 0 && { standing }),
  };
};

export interface CodedFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly extras: ErrorExtras;
}

const has = (value: unknown, key: string): boolean => {
  try {
    return key in (value as object);
  } catch {
    return false;
  }
};

/** A failure that names a code of the table itself, as `ToolFailure` does. */
export const codedFailure = (thrown: unknown): CodedFailure | undefined => {
  const code = isError(thrown) && has(thrown, 'extras') ? property(thrown, 'code') : undefined;
  if (!isErrorCode(code)) return undefined;
  return { code, message: thrownText(thrown), extras: extrasOf(property(thrown, 'extras')) };
};

/** What `handleError` of a tool returned, where that is an error of the table. */
export const givenError = (value: unknown): CodedFailure | undefined => {
  const code = property(value, 'code');
  if (!isErrorCode(code)) return undefined;
  const message = property(value, 'message');
  return { code, message: isText(message) ? message : '', extras: extrasOf(value) };
};

/** The error and its causes, from the outermost on. */
function* causes(thrown: unknown): Iterable<unknown> {
  let error = thrown;
  for (let depth = 0; depth < MAX_CAUSES && isError(error); depth++) {
    yield error;
    error = property(error, 'cause');
  }
}

/** The code that Node or the operating system gave the error or the first of its causes with one. */
export const systemCodeOf = (thrown: unknown): string | undefined => {
  for (const error of causes(thrown)) {
    const code = property(error, 'code');
    if (isText(code)) return code;
  }
  return undefined;
};

/** True for what an `AbortSignal.timeout` aborts with, also as the cause of another error. */
export const isTimeout = (thrown: unknown): boolean => {
  for (const error of causes(thrown)) if (property(error, 'name') === 'TimeoutError') return true;
  return false;
};
