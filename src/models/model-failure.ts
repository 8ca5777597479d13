/**
 * Maps the failure of an endpoint to a code of the table. Its own message is left out: it quotes the
 * prompt, and sometimes the key.
 */
import { type ErrorCode, type ErrorExtras, ToolFailure } from '../contract/errors.ts';
import { DAY_MS } from '../kit/data/durations.ts';
import { isCoded } from '../kit/data/reason-of.ts';

/** The part of the library's error that is looked at. */
interface ApiFault {
  readonly statusCode?: unknown;
  readonly responseHeaders?: unknown;
}

type Row = readonly [code: ErrorCode, message: string, suggestion: string];

const KEY: Row = [
  'AUTH_MISSING',
  'The endpoint of the model did not accept the API key.',
  'Check the secret that model.apiKeyRef names, and what it may be used for.',
];
const SLOW: Row = ['TIMEOUT', 'The endpoint of the model did not answer in time.', 'Try again.'];

const BY_STATUS: ReadonlyMap<number, Row> = new Map([
  [401, KEY],
  [403, KEY],
  [
    404,
    [
      'NOT_FOUND',
      'The endpoint does not know the model, or there is none at this address.',
      'Check model.model and model.baseUrl in the configuration.',
    ],
  ],
  [408, SLOW],
  [
    429,
    ['RATE_LIMITED', 'The endpoint of the model takes no more requests just now.', 'Wait a while.'],
  ],
  [504, SLOW],
]);

const rowOf = (status: number): Row => {
  const row = BY_STATUS.get(status);
  if (row) return row;
  return status >= 400 && status < 500
    ? [
        'EXECUTION_FAILED',
        `The endpoint of the model refused the request (${status}).`,
        'Ask less.',
      ]
    : ['SERVER_ERROR', `The endpoint of the model failed (${status}).`, 'Try again later.'];
};

const MAX_WAIT_MS = DAY_MS;

const waitOf = (headers: unknown, now: () => number): number | undefined => {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const own = (name: string): string => {
    const value: unknown = Object.hasOwn(headers, name) ? Reflect.get(headers, name) : undefined;
    return typeof value === 'string' ? value.trim() : '';
  };
  const [exact, header] = [own('retry-after-ms'), own('retry-after')];
  const wait = /^\d+(\.\d+)?$/.test(exact)
    ? Number(exact)
    : /^\d+(\.\d+)?$/.test(header)
      ? Number(header) * 1000
      : Date.parse(header) - now();
  return Number.isFinite(wait) ? Math.min(Math.max(0, Math.ceil(wait)), MAX_WAIT_MS) : undefined;
};

const fromStatus = (status: number, headers: unknown, now: () => number): ToolFailure => {
  const [code, message, suggestion] = rowOf(status);
  const retryAfterMs = code === 'RATE_LIMITED' ? waitOf(headers, now) : undefined;
  const extras: ErrorExtras = {
    suggestions: [suggestion],
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  return new ToolFailure(code, message, extras);
};

const MAX_CAUSE_DEPTH = 8;

/** Lists the error and its causes, outermost first. */
const causesOf = (error: unknown): readonly Error[] => {
  const causes: Error[] = [];
  let next = error;
  while (next instanceof Error && causes.length < MAX_CAUSE_DEPTH) {
    causes.push(next);
    next = next.cause;
  }
  return causes;
};

const SLOW_CODES: ReadonlySet<unknown> = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

export interface Circumstances {
  readonly signal: AbortSignal | undefined;
  now(): number;
}

/** Makes the failure. Never throws. A failure with a code, such as the egress guard's, is passed on as it is. */
export const modelFailure = (error: unknown, { signal, now }: Circumstances): ToolFailure => {
  const causes = causesOf(error);
  const coded = causes.find(isCoded);
  if (coded) return coded;
  if (signal?.aborted) {
    const late = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
    return new ToolFailure(late ? 'TIMEOUT' : 'CANCELLED');
  }
  for (const { statusCode, responseHeaders } of causes as readonly (Error & ApiFault)[]) {
    if (typeof statusCode === 'number') return fromStatus(statusCode, responseHeaders, now);
  }
  const slow = causes.some(
    (cause) => cause.name === 'TimeoutError' || SLOW_CODES.has(Reflect.get(cause, 'code')),
  );
  if (slow) return new ToolFailure('TIMEOUT', SLOW[1]);
  return new ToolFailure('NETWORK', 'The endpoint of the model could not be reached.', {
    suggestions: ['Check model.baseUrl in the configuration, and that the endpoint is up.'],
  });
};
