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
import { isText } from '../../kit/data/is-text.ts';
import { isError, propertyOf, thrownText } from '../../kit/data/reason-of.ts';

/** Longer chains of causes are not followed; a circle ends here too. */
const MAX_CAUSES = 8;

/** Handles the rejection of a promise that nothing waits for. */
export const ignoreRejection = (value: unknown): void => {
  if (types.isPromise(value)) void Promise.prototype.then.call(value, undefined, () => undefined);
};

/**
 * An error is part of results and of logs: its lists and texts stay short, whoever threw it. Texts are cut
 * again after their secrets were removed: one that was cut in half here would not be found.
 */
const MAX_ITEMS = 100;
const MAX_CHARS = 16_000;
const MAX_KEY_CHARS = 4_000;

/** Copies the start of a list. */
const listOf = (value: unknown): readonly unknown[] => {
  const items: unknown[] = [];
  try {
    if (!Array.isArray(value)) return items;
    for (const item of value) {
      if (items.length === MAX_ITEMS) break;
      items.push(item);
    }
  } catch {
    return [];
  }
  return items;
};

const textsOf = (value: unknown): readonly string[] =>
  listOf(value)
    .filter(isText)
    .map((text) => text.slice(0, MAX_CHARS));

const shortKey = (key: string | number): string | number =>
  typeof key === 'number' ? key : key.slice(0, MAX_KEY_CHARS);

const issuesOf = (value: unknown): readonly Issue[] =>
  listOf(value).flatMap((issue) => {
    const message = propertyOf(issue, 'message');
    if (!isText(message)) return [];
    const path = listOf(propertyOf(issue, 'path')).filter(
      (key): key is string | number => isText(key) || typeof key === 'number',
    );
    return [{ path: path.map(shortKey), message: message.slice(0, MAX_CHARS) }];
  });

/** Reads the extras of a failure, without values of a wrong type. */
const extrasOf = (value: unknown): ErrorExtras => {
  const issues = issuesOf(propertyOf(value, 'issues'));
  const retryAfterMs = propertyOf(value, 'retryAfterMs');
  const retryable = propertyOf(value, 'retryable');
  const cause = propertyOf(value, 'cause');
  const standing = textsOf(propertyOf(value, 'standing'));
  const partial = propertyOf(value, 'partial');
  return {
    suggestions: textsOf(propertyOf(value, 'suggestions')),
    ...(issues.length > 0 && { issues }),
    ...(Number.isFinite(retryAfterMs) && { retryAfterMs: retryAfterMs as number }),
    ...(typeof retryable === 'boolean' && { retryable }),
    ...(isErrorCode(cause) && { cause }),
    ...(standing.length > 0 && { standing }),
    ...(partial !== undefined && { partial }),
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

/** Reads a failure that names a code of the table itself, as `ToolFailure` does. */
export const codedFailure = (thrown: unknown): CodedFailure | undefined => {
  const code = isError(thrown) && has(thrown, 'extras') ? propertyOf(thrown, 'code') : undefined;
  if (!isErrorCode(code)) return undefined;
  return { code, message: thrownText(thrown), extras: extrasOf(propertyOf(thrown, 'extras')) };
};

/** Reads what `handleError` of a tool returned, where that is an error of the table. */
export const returnedError = (value: unknown): CodedFailure | undefined => {
  const code = propertyOf(value, 'code');
  if (!isErrorCode(code)) return undefined;
  const message = propertyOf(value, 'message');
  return { code, message: isText(message) ? message : '', extras: extrasOf(value) };
};

/** Yields the error and its causes, the outermost first. */
function* causes(thrown: unknown): Iterable<unknown> {
  let error = thrown;
  for (let depth = 0; depth < MAX_CAUSES && isError(error); depth++) {
    yield error;
    error = propertyOf(error, 'cause');
  }
}

/** Finds the code of Node or the operating system in the error or its causes. */
export const systemCodeOf = (thrown: unknown): string | undefined => {
  for (const error of causes(thrown)) {
    const code = propertyOf(error, 'code');
    if (isText(code)) return code;
  }
  return undefined;
};

/** Tells whether an error is what an `AbortSignal.timeout` aborts with, also as the cause of another error. */
export const isTimeout = (thrown: unknown): boolean => {
  for (const error of causes(thrown)) if (propertyOf(error, 'name') === 'TimeoutError') return true;
  return false;
};
