/** Turns anything thrown into an error of the table. Argument values and secrets are taken out. */
import type { CallRequest } from '../contract/call.ts';
import { type ErrorExtras, isErrorCode, type ToolError, toolError } from '../contract/errors.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Redactor } from '../governance/redaction/redaction.ts';

export interface ErrorDeps {
  readonly runtime: Runtime;
  readonly redactor: Redactor;
}

interface CodedFailure {
  readonly code: string;
  readonly message: string;
  readonly extras?: ErrorExtras;
}

const isCoded = (error: unknown): error is CodedFailure & Error =>
  error instanceof Error && 'code' in error && isErrorCode(error.code) && 'extras' in error;

/** Shorter values are too common in ordinary sentences to be worth hiding. */
const SHORTEST_ARGUMENT = 4;
const LONGEST_MESSAGE = 2000;

/** A word such as `base64` or `content`: it stands in sentences on its own account. */
const WORD = /^[A-Za-z]?[a-z]{1,23}\d{0,3}$/;
const SECRET_NAME = /pass|pwd|secret|token|key|auth|credential|cookie/i;
const IN_WORD = /\w/;

/** Replaces a word only where it stands by itself. */
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
  /** Words that its author wrote for the reader stay, unless their name says that they are secret. */
  readonly keepsWords: boolean;
  readonly path: string;
}

const hideText = (message: string, value: string, { keepsWords, path }: Hiding): string => {
  if (value.length < SHORTEST_ARGUMENT) return message;
  if (!WORD.test(value)) return message.replaceAll(value, () => `‹${path}›`);
  if (keepsWords && !SECRET_NAME.test(path)) return message;
  return replaceWord(message, value, `‹${path}›`);
};

/** Replaces every string of the input that turns up in a message by the place it stood in. */
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

/** More than is kept is looked at: a secret that is cut in half would not be known again. */
const clean = (error: Error, call: CallRequest, deps: ErrorDeps): string => {
  const message = error.message.slice(0, LONGEST_MESSAGE * 8);
  const hidden = hideArguments(message, call.rawInput, { keepsWords: isCoded(error), path: '' });
  return deps.redactor.text(hidden).slice(0, LONGEST_MESSAGE);
};

/** The error with secrets taken out of all its words, whoever wrote them. */
export const redactError = (error: ToolError, redactor: Redactor): ToolError => ({
  ...error,
  message: redactor.text(error.message),
  suggestions: error.suggestions.map((suggestion) => redactor.text(suggestion)),
  ...(error.issues && {
    issues: error.issues.map(({ path, message }) => ({
      path: path.map((key) => (typeof key === 'string' ? redactor.text(key) : key)),
      message: redactor.text(message),
    })),
  }),
});

/** Codes of Node and of fetch that have a counterpart in the table. */
const SYSTEM_CODES: Readonly<Record<string, Parameters<typeof toolError>[0]>> = {
  ECONNREFUSED: 'NETWORK',
  ECONNRESET: 'NETWORK',
  ENOTFOUND: 'NETWORK',
  EAI_AGAIN: 'NETWORK',
  EPIPE: 'NETWORK',
  ETIMEDOUT: 'TIMEOUT',
  UND_ERR_CONNECT_TIMEOUT: 'TIMEOUT',
  ENOENT: 'NOT_FOUND',
  EACCES: 'PERMISSION_DENIED',
  EPERM: 'PERMISSION_DENIED',
  EBUSY: 'LOCK',
  EEXIST: 'CONFLICT',
  ENOSPC: 'EXECUTION_FAILED',
};

const systemCode = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  const own = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return own ?? systemCode(error.cause);
};

/** What a tool threw. A plain error keeps its words, less the arguments in them. */
export const toolThrew = (error: unknown, call: CallRequest, deps: ErrorDeps): ToolError => {
  if (isCoded(error) && isErrorCode(error.code)) {
    return toolError(error.code, clean(error, call, deps), error.extras);
  }
  const system = systemCode(error);
  if (system !== undefined && Object.hasOwn(SYSTEM_CODES, system)) {
    return toolError(SYSTEM_CODES[system] ?? 'EXECUTION_FAILED');
  }
  const thrown = error instanceof Error ? error : new Error(String(error));
  const message = thrown.message === '' ? undefined : clean(thrown, call, deps);
  return toolError('EXECUTION_FAILED', message);
};

/** What escaped a stage: a coded refusal, or a bug of ours whose cause goes to the log alone. */
export const asToolError = (error: unknown, call: CallRequest, deps: ErrorDeps): ToolError => {
  if (isCoded(error) && isErrorCode(error.code)) {
    return toolError(error.code, clean(error, call, deps), error.extras);
  }
  deps.runtime.log.error('internal error', {
    executionId: call.executionId,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return toolError('INTERNAL');
};
