/** Idempotency keys in memory. The process that claimed one is this one, so it is always alive. */
import type { ReplayClaim, Replays } from '../../contract/store.ts';
import { isDoubtful } from '../doubtful-result.ts';
import { recordText } from '../plain-json.ts';

interface Claim {
  readonly digest: string;
  readonly executionId: string;
  readonly result?: string;
  readonly expiresAt?: number;
}

const isOver = (claim: Claim, now: number): boolean =>
  claim.expiresAt !== undefined && claim.expiresAt <= now;

export const memoryReplays = (): Replays => {
  const claims = new Map<string, Claim>();
  let sweepAt = 1024;

  const sweep = (now: number): void => {
    if (claims.size < sweepAt) return;
    for (const [key, claim] of claims) if (isOver(claim, now)) claims.delete(key);
    sweepAt = Math.max(1024, claims.size * 2);
  };

  return {
    async claim({ key, digest, executionId, now }): Promise<ReplayClaim> {
      const claim = claims.get(key);
      if (!claim || isOver(claim, now)) {
        claims.set(key, { digest, executionId });
        sweep(now);
        return { state: 'new' };
      }
      if (claim.digest !== digest) return { state: 'mismatch' };
      if (claim.result === undefined) return { state: 'running', executionId: claim.executionId };
      return { state: 'done', result: JSON.parse(claim.result) };
    },
    async finish({ key, executionId }, result, expiresAt) {
      const claim = claims.get(key);
      const text = recordText(result);
      const isOwn = executionId === undefined || claim?.executionId === executionId;
      if (claim && isOwn && claim.result === undefined) {
        claims.set(key, { ...claim, result: text, expiresAt });
      }
    },
    async abandon(key, executionId) {
      const claim = claims.get(key);
      if (claim?.result !== undefined) return;
      if (executionId === undefined || claim?.executionId === executionId) claims.delete(key);
    },
    async abandonDead() {
      return false;
    },
    async forget(key) {
      claims.delete(key);
    },
    async settle(executionId, answer) {
      for (const [key, claim] of claims) {
        const { result } = claim;
        if (claim.executionId !== executionId || result === undefined) continue;
        if (!isDoubtful(result, executionId)) continue;
        if (answer) {
          const { expiresAt } = answer;
          claims.set(key, { ...claim, result: recordText(answer.result), expiresAt });
        } else claims.delete(key);
        return true;
      }
      return false;
    },
  };
};
