/** Notes that a signature was used, for as long as it would be accepted. */
import type { ToolResult } from '../../../contract/result.ts';
import type { Replays } from '../../../contract/store.ts';
import { canonicalJson, sha256Hex } from '../../../kit/data/canonical-json.ts';
import { plainMetadata } from '../../../kit/model/plain-metadata.ts';

export interface UsedSignature {
  /** Who signs, so that signatures of different senders do not meet. */
  readonly sender: string;
  /** Different for each request. */
  readonly id: string;
  /** Milliseconds since the epoch, after which the signature is not accepted any more. */
  readonly expiresAt: number;
}

const usedResult = (executionId: string, sender: string, timestamp: number): ToolResult => ({
  success: true,
  status: 'success',
  data: null,
  metadata: plainMetadata({
    executionId,
    toolName: sender,
    timestamp,
    attempts: 1,
    traceId: executionId,
    labels: { trust: 'untrusted', sensitivity: 'public' },
  }),
});

/** Marks a signature as used; false when it was used already. */
export const useOnce = async (
  replays: Pick<Replays, 'claim' | 'finish'>,
  { sender, id, expiresAt }: UsedSignature,
  now: number,
): Promise<boolean> => {
  const key = canonicalJson([sender, id]);
  const executionId = `${sender}-${sha256Hex(id).slice(0, 32)}`;
  const claim = await replays.claim({ key, digest: '', executionId, now });
  if (claim.state !== 'new') return false;
  await replays.finish({ key, executionId }, usedResult(executionId, sender, now), expiresAt);
  return true;
};
