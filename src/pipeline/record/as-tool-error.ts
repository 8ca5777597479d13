/** Turns anything thrown into an error of the table. Argument values and secrets are removed. */
import type { CallRequest } from '../../contract/call.ts';
import { type ToolError, toolError } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { thrownText, thrownTrace } from '../../kit/data/reason-of.ts';
import {
  type CodedFailure,
  codedFailure,
  ignoreRejection,
  isTimeout,
  returnedError,
  systemCodeOf,
} from './read-thrown.ts';

export interface ErrorDeps {
  readonly runtime: Runtime;
  readonly redactor: Redactor;
}

/** Shorter values are too common in ordinary sentences to be worth hiding. */
const MIN_ARGUMENT_LENGTH = 4;
const MAX_MESSAGE_LENGTH = 2000;

/** A plain word such as `base64` or `content`, which messages contain anyway. */
const WORD = /^[A-Za-z]?[a-z]{1,23}\d{0,3}$/;
const SECRET_NAME = /pass|pwd|secret|token|key|auth|credential|cookie/i;
const IN_WORD = /\w/;

/** Replaces whole words only. */
const replaceWord = (message: string, word: string, instead: string): string => {
  let text = '';
  let from = 0;
  for (let at = message.indexOf(word); at >= 0; at = message.indexOf(word, at + 1)) {
    if (at < from || IN_WORD.test(message[at - 1] ?? '')) continue;
    if (IN_WORD.test(message[at + word.length] ?? '')) continue;
    text += message.slice(from, at) + instead;
    from = at + word.length;
  }
  return text + message.slice(from);
};

interface Hiding {
  /** True for a coded message: plain words of the input stay in it, unless their field may hold a secret. */
  readonly keepsWords: boolean;
  readonly path: string;
}

const hideText = (message: string, value: string, { keepsWords, path }: Hiding): string => {
  if (value.length < MIN_ARGUMENT_LENGTH) return message;
  if (!WORD.test(value)) return message.replaceAll(value, () => `‹${path}›`);
  if (keepsWords && !SECRET_NAME.test(path)) return message;
  return replaceWord(message, value, `‹${path}›`);
};

/** Replaces every string of the input that is in a message by its path. */
const hideArguments = (message: string, value: unknown, at: Hiding): string => {
  if (typeof value === 'string') return hideText(message, value, at);
  if (typeof value !== 'object' || value === null) return message;
  let hidden = message;
  for (const [key, item] of Object.entries(value)) {
    const path = at.path === '' ? key : `${at.path}.${key}`;
    hidden = hideArguments(hidden, item, { ...at, path });
  }
  return hidden;
};

/**
 * Removes arguments and secrets, then cuts the message: a secret cut in half would not be found. Where
 * the input cannot be read, its values cannot be removed, and the table's own message is used.
 */
const clean = (
  message: string,
  call: CallRequest,
  { redactor, keepsWords }: ErrorDeps & Pick<Hiding, 'keepsWords'>,
): string | undefined => {
  if (message === '') return undefined;
  try {
    const start = message.slice(0, MAX_MESSAGE_LENGTH * 8);
    const hidden = hideArguments(start, call.rawInput, { keepsWords, path: '' });
    return redactor.text(hidden).slice(0, MAX_MESSAGE_LENGTH);
  } catch {
    return undefined;
  }
};

const errorFrom = (failure: CodedFailure, call: CallRequest, deps: ErrorDeps): ToolError => {
  const message = clean(failure.message, call, { ...deps, keepsWords: true });
  return mapTexts(toolError(failure.code, message, failure.extras), (text) =>
    deps.redactor.text(text).slice(0, MAX_MESSAGE_LENGTH),
  );
};

/** Changes all texts of an error. */
const mapTexts = (error: ToolError, change: (text: string) => string): ToolError => ({
  ...error,
  message: change(error.message),
  suggestions: error.suggestions.map(change),
  ...(error.standing && { standing: error.standing.map(change) }),
  ...(error.issues && {
    issues: error.issues.map(({ path, message }) => ({
      path: path.map((key) => (typeof key === 'string' ? change(key) : key)),
      message: change(message),
    })),
  }),
});

/** Redacts all texts of an error. */
export const redactError = (error: ToolError, redactor: Redactor): ToolError =>
  mapTexts(error, (text) => redactor.text(text));

type SystemRow = readonly [code: Parameters<typeof toolError>[0], message?: string];

/** Not PERMISSION_DENIED: the operating system refuses, not a rule. */
const REFUSED_BY_SYSTEM: SystemRow = [
  'EXECUTION_FAILED',
  'The operating system refused access to what the tool needs.',
];

/** Codes of Node and of fetch that have a counterpart in the table. */
const SYSTEM_CODES: Readonly<Record<string, SystemRow>> = {
  ECONNREFUSED: ['NETWORK'],
  ECONNRESET: ['NETWORK'],
  ENOTFOUND: ['NETWORK'],
  EAI_AGAIN: ['NETWORK'],
  EPIPE: ['NETWORK'],
  ETIMEDOUT: ['TIMEOUT'],
  UND_ERR_CONNECT_TIMEOUT: ['TIMEOUT'],
  UND_ERR_HEADERS_TIMEOUT: ['TIMEOUT'],
  UND_ERR_BODY_TIMEOUT: ['TIMEOUT'],
  ENOENT: ['NOT_FOUND'],
  EACCES: REFUSED_BY_SYSTEM,
  EPERM: REFUSED_BY_SYSTEM,
  EROFS: REFUSED_BY_SYSTEM,
  EBUSY: ['LOCK'],
  EEXIST: ['CONFLICT'],
  ENOSPC: ['EXECUTION_FAILED', 'There is no space left on the device.'],
};

/** Explains what a tool threw. A plain error keeps its message, without arguments. Never throws. */
export const toolThrew = (error: unknown, call: CallRequest, deps: ErrorDeps): ToolError => {
  const coded = codedFailure(error);
  if (coded) return errorFrom(coded, call, deps);
  const system = systemCodeOf(error);
  if (system !== undefined && Object.hasOwn(SYSTEM_CODES, system)) {
    const [code, message] = SYSTEM_CODES[system] ?? ['EXECUTION_FAILED'];
    return toolError(code, message);
  }
  if (isTimeout(error)) return toolError('TIMEOUT');
  const words = clean(thrownText(error), call, { ...deps, keepsWords: false });
  return toolError('EXECUTION_FAILED', words);
};

/** Reads the answer of the tool's own `handleError`; `undefined` where that is no error of the table. */
export const toolExplained = (
  returned: unknown,
  call: CallRequest,
  deps: ErrorDeps,
): ToolError | undefined => {
  ignoreRejection(returned);
  const failure = returnedError(returned);
  return failure && errorFrom(failure, call, deps);
};

/** Tells whether the same call may get its result later under its key: another has it, or the store failed. */
const isKeyHeld = (call: CallRequest, { code, retryable }: ToolError): boolean => {
  if (call.notes.isClaimLost) return true;
  const isStoreAway = code === 'STORE_UNAVAILABLE' && retryable;
  return isStoreAway && call.options.idempotencyKey !== undefined;
};

/** Explains what escaped a stage: a coded refusal, or a bug of ours, whose cause goes to the log alone. */
export const asToolError = (error: unknown, call: CallRequest, deps: ErrorDeps): ToolError => {
  const coded = codedFailure(error);
  if (coded) {
    const refusal = errorFrom(coded, call, deps);
    return isKeyHeld(call, refusal) ? { ...refusal, keyHeld: true } : refusal;
  }
  const { executionId } = call;
  deps.runtime.log.error('internal error', { executionId, error: thrownTrace(error) });
  return toolError('INTERNAL');
};
