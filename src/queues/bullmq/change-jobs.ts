/**
 * Cancels, requeues, removes and forgets jobs. BullMQ knows no cancelled jobs: their records are kept
 * beside its queues, and written before a job is taken out, so that none is lost in between.
 */
import type { Job } from '../../contract/queue.ts';
import { forgetJob, indexedFields } from './add-jobs.ts';
import { type BullmqDeps, indexed } from './bullmq-deps.ts';
import { optionsFor, stateOf } from './job-record.ts';
import { keyIdOf } from './queue-keys.ts';
import { type FoundJob, findJob } from './read-jobs.ts';
import { runScript } from './redis-scripts.ts';

/** A worker that takes the job at the same moment drops it; two rounds are rarely needed. */
const MAX_ROUNDS = 20;
/** Finished jobs that are removed at a time. */
const PART = 500;

/** Takes away the worker's lock, so that its end is refused, and deletes the job. False when it is over. */
const takeOut = async (deps: BullmqDeps, entry: FoundJob, keyId: string): Promise<boolean> => {
  const { client } = deps.connections;
  const { queue, job } = entry;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await client.del(deps.keys.lockOf(job.queue, keyId));
    const state = stateOf(await queue.getJobState(keyId));
    if (state === 'completed' || state === 'dead') return false;
    if (state === undefined || (await queue.remove(keyId)) === 1) return true;
  }
  return true;
};

export const cancelJob = async (deps: BullmqDeps, jobId: string): Promise<boolean> => {
  const { connections, keys, runtime } = deps;
  const { client } = connections;
  const entry = await findJob(deps, jobId);
  if (!entry?.stored || entry.job.state === 'completed' || entry.job.state === 'dead') return false;
  const keyId = keyIdOf(jobId);
  const finishedAt = runtime.now();
  const record: Job = { ...entry.job, state: 'cancelled', finishedAt };
  const names = [keys.cancelled, keys.cancelledIn(record.queue)];
  const marks = [...names, keyId, JSON.stringify(record), finishedAt];
  if (!(await runScript(client, 'toolcribMarkCancelled', marks))) return false;
  if (await takeOut(deps, entry, keyId)) {
    // A worker that misses the message finds at the next renewal that its lock is gone.
    await client.publish(keys.cancellations, keyId);
    return true;
  }
  await unmark(deps, record, keyId);
  return false;
};

const unmark = async ({ connections, keys }: BullmqDeps, { queue }: Job, keyId: string) => {
  await connections.client
    .multi()
    .hdel(keys.cancelled, keyId)
    .zrem(keys.cancelledIn(queue), keyId)
    .exec();
};

/** Adds a cancelled job again and deletes the record of its cancellation, in one transaction. */
const requeueCancelled = async (deps: BullmqDeps, entry: FoundJob): Promise<boolean> => {
  const { bullmq, keys, runtime } = deps;
  const { state: _state, attempts: _attempts, ...rest } = entry.job;
  const { finishedAt: _finished, startedAt: _started, error: _error, ...job } = rest;
  const { progress: _progress, result: _result, ...added } = job;
  const keyId = keyIdOf(added.id);
  await takeOut(deps, entry, keyId);
  const transaction = (await entry.queue.getBackend().client).multi();
  const now = runtime.now();
  const again = { ...added, runAt: Math.min(added.runAt, now) };
  transaction.runCommand('hdel', [keys.cancelled, keyId]);
  transaction.runCommand('zrem', [keys.cancelledIn(added.queue), keyId]);
  const options = { ...optionsFor(again, now), timestamp: added.createdAt };
  void new bullmq.Job(entry.queue, added.type, again, options, keyId).addJob(transaction);
  const answers = (await transaction.exec()) ?? [];
  const fault = answers.find(([error]) => error !== null)?.[0];
  if (fault) throw fault;
  return answers[0]?.[1] === 1;
};

export const requeueJob = async (deps: BullmqDeps, jobId: string): Promise<boolean> => {
  const entry = await findJob(deps, jobId);
  if (entry?.job.state === 'cancelled') return requeueCancelled(deps, entry);
  if (entry?.stored === undefined || entry.job.state !== 'dead') return false;
  // The deaths of its workers start from none again, too.
  await deps.connections.client.hdel(deps.keys.jobOf(entry.job.queue, keyIdOf(jobId)), 'stc');
  try {
    await entry.stored.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
    return true;
  } catch (error) {
    // Somebody else was faster: it is not among the dead any more.
    if (typeof (error as { code?: unknown }).code === 'number') return false;
    throw error;
  }
};

export const removeJob = async (deps: BullmqDeps, jobId: string): Promise<boolean> => {
  const keyId = keyIdOf(jobId);
  const entry = await findJob(deps, jobId);
  if (!entry || entry.job.state === 'active') return false;
  if (entry.job.state === 'cancelled') await takeOut(deps, entry, keyId);
  // Refused while a worker holds the job.
  else if ((await entry.queue.remove(keyId)) !== 1) return false;
  // One that was added again in the meantime stays. One that workers took again and again stays cancelled.
  const isForgotten = await forgetJob(deps, keyId, indexedFields(entry.job));
  if (!isForgotten && entry.job.state === 'cancelled') return false;
  await unmark(deps, entry.job, keyId);
  return true;
};

/** Deletes the entries of jobs that BullMQ has deleted. */
const forgetAll = async (deps: BullmqDeps, keyIds: readonly string[]): Promise<void> => {
  const entries = await indexed(deps, keyIds);
  await Promise.all(
    entries.map(async (entry, index) => entry && forgetJob(deps, keyIds[index] ?? '', entry)),
  );
};

const expireCompleted = async (deps: BullmqDeps, name: string, before: number): Promise<number> => {
  const queue = await deps.queueOf(name);
  let count = 0;
  for (;;) {
    // Counted back from the clock by BullMQ, and inclusive.
    const keyIds = await queue.clean(deps.runtime.now() - (before - 1), PART, 'completed');
    await forgetAll(deps, keyIds);
    count += keyIds.length;
    if (keyIds.length < PART) return count;
  }
};

const expireCancelled = async (deps: BullmqDeps, name: string, before: number): Promise<number> => {
  const { connections, keys } = deps;
  const { client } = connections;
  const set = keys.cancelledIn(name);
  let count = 0;
  for (;;) {
    const keyIds = await client.zrange(set, '-inf', `(${before}`, 'BYSCORE', 'LIMIT', 0, PART);
    if (keyIds.length === 0) return count;
    await forgetAll(deps, keyIds);
    await client.hdel(keys.cancelled, ...keyIds);
    await client.zrem(set, ...keyIds);
    count += keyIds.length;
  }
};

export const expireJobs = async (deps: BullmqDeps, before: number): Promise<number> => {
  let count = 0;
  for (const name of await deps.connections.client.smembers(deps.keys.queues)) {
    count += await expireCompleted(deps, name, before);
    count += await expireCancelled(deps, name, before);
  }
  return count;
};
