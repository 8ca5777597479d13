/**
 * Claims a job at the entry of its handler, in the store: for engines that may hand a job to two workers,
 * or deliver it twice. The claim is taken before any work and given back when the attempt fails, so that
 * of two deliveries one runs, and a job that is done answers what it answered.
 */
import { toolError } from '../contract/errors.ts';
import { type Job, type JobEnd, traceIdOf } from '../contract/queue.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Replays } from '../contract/store.ts';
import { canonicalJson, sha256Hex } from '../kit/data/canonical-json.ts';
import { DAY_MS } from '../kit/data/durations.ts';
import { sealedText } from './new-job.ts';

export interface EntryClaimDeps {
  readonly runtime: Pick<Runtime, 'now'>;
  readonly replays: Replays;
  nextId(): string;
}

/** How soon a job is looked at again that another worker has. */
const BUSY_MS = 5_000;
/** How long a second delivery finds the result of the first. */
const REMEMBERED_MS = 30 * DAY_MS;

const storedResult = (job: Job, executionId: string, result: unknown): ToolResult => ({
  ...{ success: true, status: 'success', data: result ?? null },
  metadata: {
    ...{ executionId, toolName: `job:${job.type}`, version: '', timestamp: job.createdAt },
    ...{ duration: 0, attempts: job.attempts, cost: 0, tokensUsed: 0, cached: false },
    ...{ degraded: false, resourcesUsed: [], traceId: traceIdOf(job) },
    labels: { trust: 'untrusted', sensitivity: 'private' },
  },
});

/** Runs an attempt if no other worker does and none has. */
export const claimedAtEntry = async (
  job: Job,
  deps: EntryClaimDeps,
  run: () => Promise<JobEnd>,
): Promise<JobEnd> => {
  const { replays } = deps;
  const executionId = deps.nextId();
  const key = canonicalJson(['job', job.id]);
  const request = { key, digest: sha256Hex(sealedText(job)), executionId };
  let claim = await replays.claim({ ...request, now: deps.runtime.now() });
  if (claim.state === 'unknown') {
    // Its process is gone. What its calls have changed is protected by their own keys.
    await replays.abandon(key, claim.executionId);
    claim = await replays.claim({ ...request, now: deps.runtime.now() });
  }
  if (claim.state === 'done') return { state: 'completed', result: claim.result.data };
  if (claim.state === 'mismatch') {
    const message = 'Another job of the same id has run already.';
    return { state: 'failed', error: toolError('CONFLICT', message), retryable: false };
  }
  if (claim.state !== 'new') return { state: 'postponed', retryAfterMs: BUSY_MS };
  const end = await run();
  if (end.state === 'completed') {
    const result = storedResult(job, executionId, end.result);
    await replays.finish({ key, executionId }, result, deps.runtime.now() + REMEMBERED_MS);
  } else await replays.abandon(key, executionId);
  return end;
};
