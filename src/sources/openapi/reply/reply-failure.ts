/** Turns an error answer into a failure, with the message of the API. */
import { ToolFailure } from '../../../contract/errors.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { retryAfterMs } from '../../../kit/http/read-reply.ts';
import { codeForStatus } from '../../../kit/http/status-code.ts';
import { shortText } from '../operations/short-text.ts';

const MAX_TEXT = 500;
/** Where APIs put their message, the best first. `detail` and `title` are of problem+json (RFC 9457). */
const WORDS = [
  ...['detail', 'message', 'error_description', 'errorMessage', 'error_message', 'description'],
  ...['title', 'reason', 'msg', 'error', 'errors', 'fault', 'details'],
] as const;
const MAX_DEPTH = 4;

/** Finds the message of an error body; '' when there is none. */
export const errorText = (body: unknown, depth = 0): string => {
  if (typeof body === 'string') return shortText(body, MAX_TEXT);
  if (depth > MAX_DEPTH) return '';
  if (Array.isArray(body)) {
    const texts = body.slice(0, 5).map((one) => errorText(one, depth + 1));
    return shortText(texts.filter((text) => text !== '').join('; '), MAX_TEXT);
  }
  if (!isRecord(body)) return '';
  for (const key of WORDS) {
    const text = Object.hasOwn(body, key) ? errorText(body[key], depth + 1) : '';
    if (text !== '') return text;
  }
  return '';
};

const isRateLimited = (status: number, headers: Headers): boolean =>
  status === 429 ||
  (status === 403 &&
    (headers.get('x-ratelimit-remaining') === '0' || headers.get('ratelimit-remaining') === '0'));

const suggestionsFor = (status: number): readonly string[] => {
  if (status === 401)
    return ['Check the credential: sources.openapi.<source>.auth, and its secret.'];
  if (status === 403) return ['The credential may not do this: give it the right at the API.'];
  if (status >= 300 && status < 400) return ['The API redirects; check baseUrl of the source.'];
  return [];
};

export interface FailedReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  /** Whether the same request may be sent again when its effect is unknown. */
  readonly isIdempotent: boolean;
}

export const replyFailure = ({ status, headers, body, isIdempotent }: FailedReply): ToolFailure => {
  const isLimited = isRateLimited(status, headers);
  const code = isLimited ? 'RATE_LIMITED' : codeForStatus(status);
  const text = errorText(body);
  const wait = retryAfterMs(headers);
  // 503 with a time to wait says that nothing was done.
  const isUndone = isLimited || (status === 503 && wait !== undefined);
  return new ToolFailure(
    code,
    `The API answered HTTP ${status}${text === '' ? '.' : `: ${text}`}`,
    {
      suggestions: suggestionsFor(status),
      ...(wait !== undefined && { retryAfterMs: wait }),
      ...(code === 'SERVER_ERROR' && !isIdempotent && !isUndone && { retryable: false }),
    },
  );
};
