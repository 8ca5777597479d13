/** Reads single jobs as the port describes them. */
import type { Job, NewJob } from '../../contract/queue.ts';
import { type BullmqDeps, indexed, type StoredQueue } from './bullmq-deps.ts';
import { type StoredJob, stateOf, toJob } from './job-record.ts';
import { type IndexedJob, keyIdOf } from './queue-keys.ts';

/** BullMQ keeps the moment of a delayed job in the upper bits of its score. */
const DELAY_FACTOR = 0x1000;

export interface FoundJob {
  readonly job: Job;
  readonly stored?: StoredJob;
  readonly queue: StoredQueue;
}

/** Reads a job that is in a queue of BullMQ; `undefined` where it is not. */
const readStored = async (
  { bullmq, connections: { client } }: BullmqDeps,
  queue: StoredQueue,
  keyId: string,
): Promise<FoundJob | undefined> => {
  // The state first: the record of a job that is over has its result.
  const state = stateOf(await queue.getJobState(keyId));
  if (state === undefined) return undefined;
  const [stored, score] = await Promise.all([
    bullmq.Job.fromId<NewJob, unknown, string>(queue, keyId),
    state === 'delayed' ? client.zscore(queue.toKey('delayed'), keyId) : null,
  ]);
  if (stored === undefined) return undefined;
  const runAt = score === null ? undefined : Math.floor(Number(score) / DELAY_FACTOR);
  return { job: toJob(stored, state, runAt), stored, queue };
};

const readOnce = async (
  deps: BullmqDeps,
  keyId: string,
  entry: IndexedJob,
): Promise<FoundJob | undefined> => {
  const queue = await deps.queueOf(entry.queue);
  const stored = await readStored(deps, queue, keyId);
  // After the queue: a job is recorded as cancelled before it is taken out.
  const record = await deps.connections.client.hget(deps.keys.cancelled, keyId);
  return record === null ? stored : { job: JSON.parse(record), queue };
};

/**
 * Reads a job of the index. The record of a cancellation goes before what is left in the queue. Looks
 * twice, because a job that is being requeued may be missed between its two places.
 */
export const readIndexed = async (
  deps: BullmqDeps,
  keyId: string,
  entry: IndexedJob,
): Promise<FoundJob | undefined> =>
  (await readOnce(deps, keyId, entry)) ?? readOnce(deps, keyId, entry);

export const findJob = async (deps: BullmqDeps, jobId: string): Promise<FoundJob | undefined> => {
  const keyId = keyIdOf(jobId);
  const [entry] = await indexed(deps, [keyId]);
  return entry && readIndexed(deps, keyId, entry);
};
