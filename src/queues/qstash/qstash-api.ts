/** One request to the REST API of QStash, by the rules for everything that leaves the machine. */
import { ToolFailure } from '../../contract/errors.ts';

export interface QstashApiDeps {
  /** Where QStash takes requests. */
  readonly api: string;
  /** Reads the token for each request, so that one that was replaced is used at once. */
  token(): Promise<string>;
  /** Under the rules for everything that leaves the machine. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

export interface QstashRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/v2/`, encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const refused = (status: number): ToolFailure => {
  if (status === 401 || status === 403) {
    return new ToolFailure('AUTH_MISSING', 'QStash does not accept the token.', {
      suggestions: ['Set QSTASH_TOKEN to the token that the console of QStash shows.'],
    });
  }
  if (status === 429) return new ToolFailure('RATE_LIMITED', 'QStash takes no more messages now.');
  if (status >= 500) {
    return new ToolFailure('SERVER_ERROR', `QStash answered with status ${status}.`);
  }
  return new ToolFailure('VALIDATION_ERROR', `QStash refused the job with status ${status}.`, {
    suggestions: ['QStash has to reach WORKER_ENDPOINT; the plan limits size, delay and retries.'],
  });
};

const addressOf = (api: string, { path, query = {} }: QstashRequest): string => {
  const named = Object.entries(query).filter(([, value]) => value !== undefined);
  const texts = Object.fromEntries(named.map(([key, value]) => [key, String(value)]));
  const search = new URLSearchParams(texts).toString();
  return `${api}/v2/${path}${search === '' ? '' : `?${search}`}`;
};

/** Returns the answer; `undefined` for one that is no JSON, and for status 404 of what is not there. */
export const askQstash = async (
  request: QstashRequest,
  { api, token, fetch }: QstashApiDeps,
): Promise<unknown> => {
  const { method, headers = {}, body } = request;
  const response = await fetch(addressOf(api, request), {
    method,
    headers: { authorization: `Bearer ${await token()}`, ...headers },
    ...(body !== undefined && { body }),
    redirect: 'manual',
  });
  if (response.ok) return response.json().catch(() => undefined);
  await response.body?.cancel();
  if (response.status === 404 && method !== 'POST') return undefined;
  throw refused(response.status);
};
