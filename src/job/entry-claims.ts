/**
 * Claims a job at the entry of its handler, in the store: for engines that may hand a job to two workers,
 * or deliver it twice. The claim is taken before any work and given back when the attempt fails, so that
 * of two deliveries one runs, and a job that is done answers what it answered.
 */
import { toolError } from '../contract/errors.ts';
import { type Job, type JobEnd, traceIdOf } from '../contract/queue.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { ReplayClaim, ReplayRequest, Replays } from '../contract/store.ts';
import { canonicalJson, sha256Hex } from '../kit/data/canonical-json.ts';
import { DAY_MS } from '../kit/data/durations.ts';
import { plainMetadata } from '../kit/model/plain-metadata.ts';
import type { LateWrites } from '../pipeline/record/late-writes.ts';
import { sealedText } from './new-job.ts';

export interface EntryClaimDeps {
  readonly runtime: Pick<Runtime, 'now'>;
  readonly replays: Replays;
  /** A claim that stays behind would hold its job up for as long as this process lives. */
  readonly late: Pick<LateWrites, 'add' | 'addCleanUp'>;
  nextId(): string;
}

/** How soon a job is looked at again that another worker has. */
const BUSY_MS = 5_000;
/** How long a second delivery finds the result of the first. */
const REMEMBERED_MS = 30 * DAY_MS;

/** The digest of what a job does and for whom. Which request added it does not matter: a key may come with two. */
const digestOf = ({ traceId: _traceId, trace: _trace, ...job }: Job): string =>
  sha256Hex(sealedText(job));

const storedResult = (job: Job, executionId: string, result: unknown): ToolResult => ({
  success: true,
  status: 'success',
  data: result ?? null,
  metadata: plainMetadata({
    executionId,
    toolName: `job:${job.type}`,
    timestamp: job.createdAt,
    attempts: job.attempts,
    traceId: traceIdOf(job),
    labels: { trust: 'untrusted', sensitivity: 'private' },
  }),
});

const entryKey = (jobId: string): string => canonicalJson(['job', jobId]);

/** Writes what becomes of a claim: later where the store fails, since the attempt has ended as it has. */
const settle = async (
  write: () => Promise<void>,
  { late }: Pick<EntryClaimDeps, 'late'>,
): Promise<void> => {
  try {
    await write();
  } catch {
    late.add(write);
  }
};

type ForgetDeps = Pick<EntryClaimDeps, 'replays' | 'late'>;

/** Forgets that a job was entered, before it is handed out anew. */
export const forgetEntry = (jobId: string, { replays }: ForgetDeps): Promise<void> =>
  replays.forget(entryKey(jobId));

/** Forgets that a job was entered which is gone; later where the store fails. */
export const forgetEntryLater = (jobId: string, deps: ForgetDeps): Promise<void> =>
  settle(() => forgetEntry(jobId, deps), deps);

/** Takes the claim, also of a process that is gone. */
const claimEntry = async (
  request: Omit<ReplayRequest, 'now'>,
  { replays, runtime, late }: EntryClaimDeps,
): Promise<ReplayClaim> => {
  const { key, executionId } = request;
  try {
    const claim = await replays.claim({ ...request, now: runtime.now() });
    if (claim.state !== 'unknown') return claim;
    // What the calls of the dead process have changed is protected by their own keys.
    await replays.abandon(key, claim.executionId);
    return await replays.claim({ ...request, now: runtime.now() });
  } catch (error) {
    // The store may have taken the claim and lost its answer.
    late.addCleanUp(() => replays.abandon(key, executionId));
    throw error;
  }
};

/** Runs an attempt if no other worker does and none has. */
export const claimedAtEntry = async (
  job: Job,
  deps: EntryClaimDeps,
  run: () => Promise<JobEnd>,
): Promise<JobEnd> => {
  const { replays, runtime } = deps;
  const executionId = deps.nextId();
  const key = entryKey(job.id);
  const claim = await claimEntry({ key, digest: digestOf(job), executionId }, deps);
  if (claim.state === 'done') return { state: 'completed', result: claim.result.data };
  if (claim.state === 'mismatch') {
    const message = 'Another job of the same id has run already.';
    return { state: 'failed', error: toolError('CONFLICT', message), retryable: false };
  }
  if (claim.state !== 'new') {
    return { state: 'postponed', retryAfterMs: BUSY_MS, reason: 'Another worker has the job.' };
  }
  const giveBack = () => settle(() => replays.abandon(key, executionId), deps);
  let end: JobEnd;
  try {
    end = await run();
  } catch (error) {
    await giveBack();
    throw error;
  }
  if (end.state === 'completed') {
    const result = storedResult(job, executionId, end.result);
    const expiresAt = runtime.now() + REMEMBERED_MS;
    await settle(() => replays.finish({ key, executionId }, result, expiresAt), deps);
  } else await giveBack();
  return end;
};
