/** Posts JSON to an address that the user configured, through an egress guard. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Egress } from '../../governance/egress/create-egress.ts';
import { scopeOf } from './open-egress.ts';

export interface JsonPost {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Names the receiver in the message of a failure, e.g. `The webhook`. */
  readonly receiver: string;
  /** Tells whether an answer with this status is worth another try. */
  isRetryable?(status: number): boolean;
}

/** Posts JSON and drops the answer. Rejects with NETWORK for a status that is no success. */
export const postJson = async (
  egress: Pick<Egress, 'fetch'>,
  address: URL,
  { body, headers, timeoutMs, receiver, isRetryable }: JsonPost,
): Promise<void> => {
  const response = await egress.fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    // Does not follow redirects: one that turns the POST into a GET would look like a delivery.
    redirect: 'manual',
    scope: scopeOf([address.hostname], AbortSignal.timeout(timeoutMs)),
  });
  await response.body?.cancel();
  if (response.ok) return;
  throw new ToolFailure('NETWORK', `${receiver} answered with status ${response.status}.`, {
    ...(isRetryable && { retryable: isRetryable(response.status) }),
  });
};
