/**
 * The closed table of error codes. Every surface looks its column up here (HTTP status, JSON-RPC
 * number, CLI exit code, the sentence a model may read); nothing else decides what a code means.
 */

export type ErrorType =
  | 'execution'
  | 'validation'
  | 'timeout'
  | 'resource'
  | 'security'
  | 'network'
  | 'dependency';

export type Severity = 'low' | 'medium' | 'high' | 'critical';

export interface ErrorRow {
  readonly type: ErrorType;
  readonly severity: Severity;
  readonly http: number;
  readonly rpc: number;
  /** Would the same call, sent again a little later, stand a chance? */
  readonly retryable: boolean;
  /** Can the caller do something about it (fix the input, ask a person, wait)? */
  readonly recoverable: boolean;
  readonly exit: 1 | 2 | 3 | 4 | 5;
  /** What a model may read. Holds no argument value, path or secret. */
  readonly sentence: string;
}

type Columns = readonly [
  type: ErrorType,
  severity: Severity,
  http: number,
  rpc: number,
  flags: 'retryable' | 'recoverable' | 'final',
  exit: ErrorRow['exit'],
];

const row = (
  [type, severity, http, rpc, flags, exit]: Columns,
  sentence: string,
): Readonly<ErrorRow> => ({
  type,
  severity,
  http,
  rpc,
  retryable: flags === 'retryable',
  recoverable: flags !== 'final',
  exit,
  sentence,
});

export const ERRORS = {
  VALIDATION_ERROR: row(
    ['validation', 'low', 400, -32602, 'recoverable', 2],
    'The input does not match the schema of the tool. Correct the fields named and call again.',
  ),
  TOOL_NOT_FOUND: row(
    ['validation', 'low', 404, -32601, 'recoverable', 2],
    'There is no tool of that name. Search the catalog for the right one.',
  ),
  TOOL_DISABLED: row(
    ['security', 'medium', 403, -32001, 'recoverable', 3],
    'The tool is switched off. A person has to enable it.',
  ),
  TOOL_QUARANTINED: row(
    ['security', 'high', 403, -32001, 'recoverable', 3],
    'The tool came from outside and nobody has accepted it yet. A person has to look at it.',
  ),
  PERMISSION_DENIED: row(
    ['security', 'high', 403, -32001, 'final', 3],
    'No rule allows this call. Do not try it again in another form.',
  ),
  SECURITY_VIOLATION: row(
    ['security', 'critical', 403, -32001, 'final', 3],
    'The input was refused because it looks like an attack. Do not try it again in another form.',
  ),
  // Not 401: the caller is known and allowed; what is missing is a credential of the tool.
  AUTH_MISSING: row(
    ['security', 'medium', 424, -32002, 'recoverable', 3],
    'The tool needs a credential that is not configured. A person has to provide it.',
  ),
  APPROVAL_REQUIRED: row(
    ['security', 'low', 202, -32003, 'recoverable', 5],
    'A person has to approve this call first. It waits in the approvals inbox.',
  ),
  APPROVAL_EXPIRED: row(
    ['security', 'low', 403, -32003, 'recoverable', 3],
    'The approval is used, expired or belongs to another call. Ask for a new one.',
  ),
  USER_CANCELLED: row(
    ['security', 'low', 403, -32003, 'final', 3],
    'A person said no to this call. Do not ask for the same thing again.',
  ),
  BUDGET_EXCEEDED: row(
    ['resource', 'medium', 402, -32004, 'recoverable', 3],
    'The budget does not cover this call. Use a cheaper way or wait for the next period.',
  ),
  RATE_LIMITED: row(
    ['resource', 'low', 429, -32005, 'retryable', 3],
    'Too many calls. Wait as long as the suggestion says, then call again.',
  ),
  PRECONDITION_FAILED: row(
    ['dependency', 'medium', 412, -32006, 'recoverable', 1],
    'Something the tool needs is not in place yet. Meet the conditions named and call again.',
  ),
  TIMEOUT: row(
    ['timeout', 'medium', 504, -32007, 'retryable', 4],
    'The tool did not finish in time. Ask for less at once, or allow it more time.',
  ),
  CANCELLED: row(
    ['execution', 'low', 499, -32008, 'recoverable', 4],
    'The call was cancelled before it finished. Call again if it is still needed.',
  ),
  CIRCUIT_OPEN: row(
    ['dependency', 'medium', 503, -32009, 'retryable', 1],
    'The tool failed too often lately and is resting. Try again later or use another tool.',
  ),
  NETWORK: row(
    ['network', 'medium', 502, -32010, 'retryable', 1],
    'The network or the remote host could not be reached. Try again later or check the address.',
  ),
  SERVER_ERROR: row(
    ['network', 'medium', 502, -32010, 'retryable', 1],
    'The remote service answered with an error. Try again later or change the request.',
  ),
  LOOP_DETECTED: row(
    ['resource', 'medium', 429, -32005, 'recoverable', 3],
    'The same call was made too often in a row. Its result will not change: do something else.',
  ),
  LOCK: row(
    ['resource', 'low', 423, -32011, 'retryable', 1],
    'The resource is locked by someone else at the moment. Try again shortly.',
  ),
  CONFLICT: row(
    ['execution', 'medium', 409, -32012, 'recoverable', 1],
    'The present state does not fit this call. Look at it again before you go on.',
  ),
  UNDO_EXPIRED: row(
    ['execution', 'low', 410, -32026, 'final', 1],
    'What the call changed is no longer kept, so it cannot be undone.',
  ),
  NOT_FOUND: row(
    ['execution', 'low', 404, -32013, 'recoverable', 1],
    'The thing asked for does not exist. List what is there, then ask again.',
  ),
  OUTPUT_INVALID: row(
    ['validation', 'high', 502, -32014, 'final', 1],
    'The tool returned something that its own schema does not allow. Its author has to correct it.',
  ),
  OUTPUT_TOO_LARGE: row(
    ['resource', 'medium', 507, -32015, 'recoverable', 1],
    'The result is larger than allowed. Ask for a smaller part of it.',
  ),
  SANDBOX_ERROR: row(
    ['execution', 'high', 500, -32016, 'final', 1],
    'The isolation this tool needs cannot be given on this machine, or it broke. A person can see what is missing with `toolcrib doctor`.',
  ),
  EFFECT_FAILED: row(
    ['execution', 'high', 500, -32017, 'recoverable', 1],
    'The tool ran, but one of its effects could not be applied. `standing` names those that remain.',
  ),
  MODEL_NOT_CONFIGURED: row(
    ['dependency', 'low', 501, -32018, 'recoverable', 1],
    'This operation needs a language model and none is configured. A person has to set `model`.',
  ),
  DEPENDENCY_MISSING: row(
    ['dependency', 'medium', 424, -32019, 'recoverable', 1],
    'A program, package or tool that this one needs is missing. A person has to install or enable it.',
  ),
  MAX_RETRIES_EXCEEDED: row(
    ['execution', 'medium', 502, -32020, 'recoverable', 1],
    'The tool failed every time it was tried. Look at the last error before you call again.',
  ),
  NO_BRANCH_MATCHED: row(
    ['execution', 'low', 422, -32021, 'final', 1],
    'No branch of the conditional tool fits, and it has no fallback. Change the input, or add a fallback.',
  ),
  CALL_CYCLE: row(
    ['execution', 'high', 508, -32022, 'final', 1],
    'The tools call each other in a circle or too deep.',
  ),
  EXECUTION_FAILED: row(['execution', 'medium', 500, -32023, 'recoverable', 1], 'The tool failed.'),
  STORE_UNAVAILABLE: row(
    ['resource', 'critical', 503, -32024, 'retryable', 1],
    'The store cannot be used right now. Check disk space and permissions, then call again unless the call is in doubt.',
  ),
  CONFIG_INVALID: row(
    ['validation', 'high', 500, -32025, 'final', 2],
    'The configuration is not valid.',
  ),
  INTERNAL: row(
    ['execution', 'critical', 500, -32603, 'final', 1],
    'Something went wrong inside Toolcrib. The log holds the cause.',
  ),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** The error part of a result. It crosses every surface, so it is plain data. */
export interface ToolError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly type: ErrorType;
  readonly severity: Severity;
  readonly recoverable: boolean;
  readonly retryable: boolean;
  readonly suggestions: readonly string[];
  /** Places in the input, for validation errors. */
  readonly issues?: readonly Issue[];
  /** How long to wait before another attempt, where the other side named a time. */
  readonly retryAfterMs?: number;
  /** What the last attempt failed with, when the code speaks of all attempts together. */
  readonly cause?: ErrorCode;
  /** The effects that still stand after a failed one, by their descriptions, oldest first. */
  readonly standing?: readonly string[];
  /** The execution whose effect is unknown; set when that is why the call was refused or failed. */
  readonly inDoubt?: string;
  /**
   * The same call gets its result later under its idempotency key: another call holds the key, or the store
   * failed. No tool can set it.
   */
  readonly keyHeld?: true;
  /** What the parts of a failed composed tool did before it failed. Redacted and capped like data. */
  readonly partial?: unknown;
}

/** One thing wrong with a value, and where. `path` is a JSON Pointer-like list of keys. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export interface ErrorExtras {
  readonly suggestions?: readonly string[];
  readonly issues?: readonly Issue[];
  readonly retryAfterMs?: number;
  /** Overrides the table where a tool knows better about this one failure. */
  readonly retryable?: boolean;
  readonly cause?: ErrorCode;
  readonly standing?: readonly string[];
  readonly inDoubt?: string;
  readonly keyHeld?: true;
  readonly partial?: unknown;
}

/**
 * Tells whether a value is a code of the table. Looks at own keys only, so `constructor` is no code.
 *
 * @example
 * console.log(isErrorCode('TIMEOUT'), isErrorCode('constructor')); // true false
 */
export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(ERRORS, code);

/** Builds the error value for a code; the table fills every column that is not given. */
export const toolError = (
  code: ErrorCode,
  message?: string,
  extras: ErrorExtras = {},
): ToolError => {
  const { type, severity, recoverable, retryable, sentence } = ERRORS[code];
  return {
    code,
    message: message ?? sentence,
    type,
    severity,
    recoverable,
    retryable: extras.retryable ?? retryable,
    suggestions: extras.suggestions ?? [],
    ...(extras.issues && { issues: extras.issues }),
    ...(extras.retryAfterMs !== undefined && { retryAfterMs: extras.retryAfterMs }),
    ...(extras.cause && { cause: extras.cause }),
    ...(extras.standing && { standing: extras.standing }),
    ...(extras.inDoubt !== undefined && { inDoubt: extras.inDoubt }),
    ...(extras.keyHeld && { keyHeld: true }),
    ...(extras.partial !== undefined && { partial: extras.partial }),
  };
};

/**
 * What a tool throws to fail with a code of the table. The pipeline turns it into a value.
 *
 * @example
 * throw new ToolFailure('NOT_FOUND', 'There is no invoice 7.', {
 *   suggestions: ['List the invoices first.'],
 * });
 */
export class ToolFailure extends Error {
  readonly code: ErrorCode;
  readonly extras: ErrorExtras;

  constructor(code: ErrorCode, message?: string, extras: ErrorExtras = {}) {
    super(message ?? ERRORS[code].sentence);
    this.name = 'ToolFailure';
    this.code = code;
    this.extras = extras;
  }
}
