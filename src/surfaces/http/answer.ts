/**
 * An answer before it is sent. Most are plain: a status, headers and a text, which the server writes
 * as they are. Streams, pages and what other handlers make are responses.
 */
import type { SecurityHeaders } from './pages/security-headers.ts';

export type HeaderRecord = Readonly<Record<string, string>>;

export interface PlainAnswer {
  readonly status: number;
  readonly headers: HeaderRecord;
  readonly body: string | null;
}

export type Answer = PlainAnswer | Response;

/** With all its headers, each name before its value, as Node writes them without looking at them again. */
export interface SealedAnswer {
  readonly status: number;
  readonly headers: string[];
  readonly body: string | null;
}

/** Shared by all answers that say nothing else, so that their headers are worked out once. */
export const JSON_HEADERS: HeaderRecord = Object.freeze({ 'content-type': 'application/json' });

const addTo = (headers: Headers, defaults: HeaderRecord, fixed: HeaderRecord): void => {
  for (const [name, value] of Object.entries(defaults)) {
    if (!headers.has(name)) headers.set(name, value);
  }
  for (const [name, value] of Object.entries(fixed)) headers.set(name, value);
};

/** The answer with more headers, which stand above its own. */
export const withHeaders = (answer: Answer, fixed: HeaderRecord): Answer => {
  if (!(answer instanceof Response)) {
    return { ...answer, headers: { ...answer.headers, ...fixed } };
  }
  addTo(answer.headers, {}, fixed);
  return answer;
};

export type Seal = (answer: Answer, requestId: string) => SealedAnswer | Response;

/** Puts on what every answer carries. */
export const createSeal = ({ defaults, fixed, data }: SecurityHeaders): Seal => {
  const flat = (own: HeaderRecord): string[] =>
    Object.entries({ ...defaults, ...own, ...fixed }).flat();
  const json = Object.entries({ ...JSON_HEADERS, ...data }).flat();
  return (answer, requestId) => {
    if (answer instanceof Response) {
      addTo(answer.headers, defaults, { ...fixed, 'x-request-id': requestId });
      return answer;
    }
    const { status, headers, body } = answer;
    const all = headers === JSON_HEADERS ? json : flat(headers);
    return { status, body, headers: [...all, 'x-request-id', requestId] };
  };
};

export const toResponse = (answer: SealedAnswer | Response, method: string): Response => {
  if (answer instanceof Response) return answer;
  const { status, headers: flat, body } = answer;
  const headers = new Headers();
  for (let at = 0; at < flat.length; at += 2) headers.set(flat[at] ?? '', flat[at + 1] ?? '');
  return new Response(method === 'HEAD' ? null : body, { status, headers });
};
