/**
 * Turns the status of a failed call into an error of the table, with the details that the server
 * gave.
 */
import type { ServiceError } from '@grpc/grpc-js';
import { type ErrorCode, type Issue, ToolFailure } from '../../../contract/errors.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type ErrorDetails, readErrorDetails } from './error-details.ts';

const MAX_MESSAGE = 1000;

/** By the number of the status. */
const CODES: readonly ErrorCode[] = [
  'SERVER_ERROR', //        0 OK
  'SERVER_ERROR', //        1 CANCELLED, by the server
  'SERVER_ERROR', //        2 UNKNOWN
  'VALIDATION_ERROR', //    3 INVALID_ARGUMENT
  'TIMEOUT', //             4 DEADLINE_EXCEEDED
  'NOT_FOUND', //           5 NOT_FOUND
  'CONFLICT', //            6 ALREADY_EXISTS
  'AUTH_MISSING', //        7 PERMISSION_DENIED
  'RATE_LIMITED', //        8 RESOURCE_EXHAUSTED
  'PRECONDITION_FAILED', // 9 FAILED_PRECONDITION
  'CONFLICT', //           10 ABORTED
  'VALIDATION_ERROR', //   11 OUT_OF_RANGE
  'EXECUTION_FAILED', //   12 UNIMPLEMENTED
  'SERVER_ERROR', //       13 INTERNAL
  'SERVER_ERROR', //       14 UNAVAILABLE
  'SERVER_ERROR', //       15 DATA_LOSS
  'AUTH_MISSING', //       16 UNAUTHENTICATED
];

const NAMES = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND'],
  ...['ALREADY_EXISTS', 'PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION'],
  ...['ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS'],
  'UNAUTHENTICATED',
];

const UNAVAILABLE = 14;
const RESOURCE_EXHAUSTED = 8;
const UNIMPLEMENTED = 12;

/** What grpc-js says itself, before anything was sent. */
const NOT_CONNECTED = /^(?:No connection established|Name resolution failed|Failed to connect)/;
const TOO_LARGE = /^Received message (?:larger than max|that decompresses to a size larger than)/;

export const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'number' &&
  'metadata' in error;

export interface StatusDeps {
  /** A repeated call can do no harm. */
  readonly isRepeatable: boolean;
  redact(text: string): string;
  /** What came before the failure. */
  readonly partial?: unknown;
}

const codeOf = ({ code, details }: ServiceError): ErrorCode => {
  if (code === RESOURCE_EXHAUSTED && TOO_LARGE.test(details)) return 'OUTPUT_TOO_LARGE';
  if (code === UNAVAILABLE && NOT_CONNECTED.test(details)) return 'NETWORK';
  return CODES[code] ?? 'SERVER_ERROR';
};

/** Codes after which the work may have been done all the same. */
const IN_DOUBT: ReadonlySet<ErrorCode> = new Set(['SERVER_ERROR', 'TIMEOUT']);

const SUGGESTIONS: Readonly<Partial<Record<ErrorCode, string>>> = {
  OUTPUT_TOO_LARGE: 'Ask for less, or raise maxOutputBytes of the source.',
  AUTH_MISSING: 'Check the secrets that bearer and metadata of the source refer to.',
};

/** Says in words why there is no connection: grpc-js hands on the words of the TLS library. */
const connectionFault = (details: string): readonly [message: string, suggestion: string] => {
  if (/wrong version number|packet length too long|http2/i.test(details)) {
    return ['The server does not speak TLS.', 'Switch it off: --no-tls, or tls: false.'];
  }
  if (/certificate|self.signed|altname|issuer/i.test(details)) {
    return [
      'The certificate of the server was not accepted.',
      'Name the certificates of its authority: --ca <file>, or the setting ca.',
    ];
  }
  return [
    /ECONNREFUSED/.test(details)
      ? 'The server refused the connection: nothing listens there.'
      : 'The server could not be reached.',
    'Check host and port, whether the server runs, and whether it speaks TLS (--tls, --no-tls).',
  ];
};

const suggestionsOf = (
  code: ErrorCode,
  status: number,
  details: ErrorDetails,
): readonly string[] => {
  const own = SUGGESTIONS[code];
  return [
    ...details.notes,
    ...(own === undefined ? [] : [own]),
    ...(status === UNIMPLEMENTED
      ? ['The server no longer has this method: read the source again with toolcrib.']
      : []),
  ];
};

/** Gives a `ToolFailure` for what a call threw; a failure that is one already stays as it is. */
export const statusFailure = (error: unknown, deps: StatusDeps): ToolFailure => {
  if (error instanceof ToolFailure) return error;
  const { redact, isRepeatable, partial } = deps;
  if (!isServiceError(error)) {
    return new ToolFailure('NETWORK', visibleText(redact(reasonOf(error)).slice(0, MAX_MESSAGE)), {
      retryable: isRepeatable,
    });
  }
  const code = codeOf(error);
  if (code === 'NETWORK') {
    const [message, suggestion] = connectionFault(error.details);
    return new ToolFailure(code, message, { suggestions: [suggestion] });
  }
  const words = visibleText(redact(error.details ?? '').slice(0, MAX_MESSAGE));
  const status = NAMES[error.code] ?? `status ${error.code}`;
  const details = readErrorDetails(error.metadata, redact);
  const issues: readonly Issue[] = details.issues;
  return new ToolFailure(
    code,
    `The server answered ${status}${words === '' ? '.' : `: ${words}`}`,
    {
      suggestions: suggestionsOf(code, error.code, details),
      ...(issues.length > 0 && { issues }),
      ...(details.retryAfterMs !== undefined && { retryAfterMs: details.retryAfterMs }),
      ...(IN_DOUBT.has(code) && { retryable: isRepeatable }),
      ...(partial !== undefined && { partial }),
    },
  );
};
