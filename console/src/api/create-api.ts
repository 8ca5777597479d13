/** The one way to the server: JSON in and out, the CSRF proof on every change, errors as `ApiError`. */
import { ApiError, asApiError } from './api-error.ts';
import type { Session } from './call-records.ts';
import { isRecord } from './is-record.ts';
import type { ErrorBody, ToolResult } from './tool-records.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;
export type Method = 'POST' | 'PATCH' | 'DELETE';

export interface Api {
  /** Makes the address of a path, for links and downloads. */
  url(path: string, query?: Query): string;
  get<T>(path: string, query?: Query): Promise<T>;
  send<T>(method: Method, path: string, body?: unknown): Promise<T>;
  /** Calls a tool: a refused or failed call is a result too, and is returned. */
  run(path: string, body?: unknown): Promise<ToolResult>;
  /** Reads whose session the browser holds at this moment: another tab may have signed in. */
  present(): Promise<Session>;
  /** Turns a one-time code into a session. */
  signIn(code: string): Promise<Session>;
  /** Sets the proof that came with the session; empty when signed out. */
  setCsrf(csrf: string): void;
}

export interface ApiDeps {
  readonly fetch: typeof fetch;
  /** Called when the session is over: somebody has to sign in again. */
  onSignedOut(): void;
  /** Called when a request was refused before it did anything. True when it is worth another try. */
  onForbidden(): Promise<boolean>;
}

const isResult = (body: unknown): body is ToolResult =>
  isRecord(body) && typeof body.status === 'string' && isRecord(body.metadata);

interface Answered {
  readonly answer: Response;
  readonly body: unknown;
}

/** Reads the body of an answer; `undefined` when there is none or it is not JSON. */
const readBody = async (answer: Response): Promise<unknown> => {
  const text = await answer.text();
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};

const errorOf = (body: unknown, answer: Response): ApiError => {
  const error = isRecord(body) && isRecord(body.error) ? body.error : undefined;
  const isCoded = typeof error?.code === 'string' && typeof error.message === 'string';
  const fallback = { code: `HTTP_${answer.status}`, message: 'The server refused the request.' };
  const requestId = answer.headers.get('x-request-id') ?? '';
  return new ApiError(
    isCoded ? (error as unknown as ErrorBody) : fallback,
    answer.status,
    requestId,
  );
};

const answered = async (asking: () => Promise<Response>): Promise<Answered> => {
  const answer = await asking();
  return { answer, body: await readBody(answer) };
};

export const withQuery = (path: string, query: Query = {}): string => {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parts.set(name, String(value));
  }
  const text = parts.toString();
  return text === '' ? path : `${path}?${text}`;
};

export const createApi = ({ fetch, onSignedOut, onForbidden }: ApiDeps): Api => {
  let csrf = '';
  const ask = (path: string, init: RequestInit): Promise<Response> =>
    fetch(path, { credentials: 'same-origin', ...init }).catch((error: unknown) => {
      throw asApiError(error);
    });
  const refused = (body: unknown, answer: Response): ApiError => {
    if (answer.status === 401) onSignedOut();
    return errorOf(body, answer);
  };
  const change = (method: Method, path: string, body: unknown): Promise<Response> =>
    ask(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(csrf === '' ? {} : { 'x-toolcrib-csrf': csrf }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  /** Asks once more after a refusal, but never for a result of a call: a tool that refuses may have begun. */
  const settled = async (asking: () => Promise<Response>): Promise<Answered> => {
    const first = await answered(asking);
    if (first.answer.status !== 403 || isResult(first.body)) return first;
    return (await onForbidden()) ? answered(asking) : first;
  };
  const open = <T>({ answer, body }: Answered): T => {
    if (!answer.ok) throw refused(body, answer);
    return body as T;
  };
  const read = (path: string) => () => ask(path, { headers: { accept: 'application/json' } });
  return {
    url: withQuery,
    get: async (path, query) => open(await settled(read(withQuery(path, query)))),
    send: async (method, path, body) => open(await settled(() => change(method, path, body))),
    present: async () => open(await answered(read('/v1/session'))),
    signIn: async (code) => {
      const { answer, body } = await answered(() => change('POST', '/v1/session', { code }));
      // A code that is refused says nothing about the session one has.
      if (!answer.ok) throw errorOf(body, answer);
      return body as Session;
    },
    run: async (path, body) => {
      const { answer, body: result } = await settled(() => change('POST', path, body));
      if (isResult(result)) return result;
      throw refused(result, answer);
    },
    setCsrf: (value) => {
      csrf = value;
    },
  };
};
