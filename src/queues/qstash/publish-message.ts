/** Hands a message to QStash, which posts it to an address of ours, later and as often as it takes. */
import { ToolFailure } from '../../contract/errors.ts';
import { isRecord } from '../../kit/data/is-record.ts';

export interface PublishDeps {
  /** Where QStash takes messages. */
  readonly api: string;
  /** Reads the token for each message, so that one that was replaced is used at once. */
  token(): Promise<string>;
  /** Under the rules for everything that leaves the machine. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

export interface Message {
  /** Where QStash posts it to. */
  readonly url: string;
  readonly body: string;
  readonly retries: number;
  /** Seconds until the first delivery. */
  readonly delaySeconds: number;
  /** A message of the same id is not delivered twice. */
  readonly deduplicationId: string;
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

/** Returns the id that QStash gives the message. Fails with a code that says what to do. */
export const publishMessage = async (
  { url, body, retries, delaySeconds, deduplicationId }: Message,
  { api, token, fetch }: PublishDeps,
): Promise<string> => {
  const headers = {
    authorization: `Bearer ${await token()}`,
    'content-type': 'application/json',
    'upstash-method': 'POST',
    'upstash-retries': String(retries),
    'upstash-deduplication-id': deduplicationId,
    ...(delaySeconds > 0 && { 'upstash-delay': `${delaySeconds}s` }),
  };
  const init = { method: 'POST', headers, body, redirect: 'manual' } as const;
  const response = await fetch(`${api}/v2/publish/${url}`, init);
  if (!response.ok) {
    await response.body?.cancel();
    throw refused(response.status);
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (isRecord(answer) && typeof answer.messageId === 'string') return answer.messageId;
  throw new ToolFailure('SERVER_ERROR', 'QStash answered without the id of the message.');
};
