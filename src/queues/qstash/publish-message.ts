/** Hands a message to QStash, which posts it to an address of ours, later and as often as it takes. */
import { ToolFailure } from '../../contract/errors.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { askQstash, type QstashApiDeps } from './qstash-api.ts';

export interface Message {
  /** Where QStash posts it to. */
  readonly url: string;
  readonly body: string;
  readonly retries: number;
  /** Seconds until the first delivery. */
  readonly delaySeconds: number;
  /** A message of the same id is not delivered twice. */
  readonly deduplicationId: string;
  /** Under which the message is found again. */
  readonly label: string;
}

/** Says whether the message is new. Fails with a code that says what to do. */
export const publishMessage = async (
  { url, body, retries, delaySeconds, deduplicationId, label }: Message,
  deps: QstashApiDeps,
): Promise<{ readonly isNew: boolean }> => {
  const headers = {
    'content-type': 'application/json',
    'upstash-method': 'POST',
    'upstash-retries': String(retries),
    'upstash-deduplication-id': deduplicationId,
    'upstash-label': label,
    ...(delaySeconds > 0 && { 'upstash-delay': `${delaySeconds}s` }),
  };
  const answer = await askQstash({ method: 'POST', path: `publish/${url}`, headers, body }, deps);
  if (isRecord(answer) && typeof answer.messageId === 'string') {
    return { isNew: answer.deduplicated !== true };
  }
  throw new ToolFailure('SERVER_ERROR', 'QStash answered without the id of the message.');
};
