/** Adds jobs in one transaction: index and queue of each, all or none. */
import type { NewJob } from '../../contract/queue.ts';
import { type BullmqDeps, indexed } from './bullmq-deps.ts';
import { optionsFor } from './job-record.ts';
import { type IndexedJob, indexText, keyIdOf, placeOf, type QueueKeys } from './queue-keys.ts';
import { NOTE_JOB_COMMAND, runScript } from './redis-scripts.ts';

export const indexedFields = ({ queue, type, caller }: NewJob): IndexedJob => ({
  queue,
  type,
  userId: caller.userId,
});

/** The sorted sets that a job is listed in. */
export const listsOf = (
  keys: QueueKeys,
  { queue, type, userId }: IndexedJob,
): readonly string[] => [
  keys.added(),
  keys.added('queue', queue),
  keys.added('type', type),
  keys.added('user', userId),
];

/** Deletes the entries of a job that is gone; false for one that is there. */
export const forgetJob = (
  { connections: { client }, keys }: BullmqDeps,
  keyId: string,
  entry: IndexedJob,
): Promise<boolean> => {
  const names = [keys.jobs, keys.jobOf(entry.queue, keyId), ...listsOf(keys, entry)];
  return runScript(client, 'toolcribForgetJob', [...names, keyId]);
};

/**
 * Tells whether an id is in use. An entry without its job is what a process left that died while it removed
 * the job; it is deleted.
 */
const isTaken = async (
  deps: BullmqDeps,
  keyId: string,
  entry: IndexedJob | undefined,
): Promise<boolean> => {
  if (entry === undefined) return false;
  const { connections, keys } = deps;
  const { client } = connections;
  // In this order: a job is recorded as cancelled before it is taken out.
  if ((await client.exists(keys.jobOf(entry.queue, keyId))) === 1) return true;
  if ((await client.hexists(keys.cancelled, keyId)) === 1) return true;
  return !(await forgetJob(deps, keyId, entry));
};

interface Placed {
  readonly job: NewJob;
  readonly keyId: string;
  readonly place: number;
}

/** Makes the transaction; says for each job whether its index entry is new. */
const commit = async (deps: BullmqDeps, placed: readonly Placed[]): Promise<readonly boolean[]> => {
  const { bullmq, keys, runtime } = deps;
  const queues = new Map(
    await Promise.all(
      [...new Set(placed.map(({ job }) => job.queue))].map(
        async (name) => [name, await deps.queueOf(name)] as const,
      ),
    ),
  );
  const [first] = queues.values();
  if (first === undefined) return [];
  const transaction = (await first.getBackend().client).multi();
  for (const { job, keyId, place } of placed) {
    const queue = queues.get(job.queue) ?? first;
    const entry = indexedFields(job);
    const names = [keys.jobs, keys.queues, ...listsOf(keys, entry)];
    transaction.runCommand(NOTE_JOB_COMMAND, [
      ...names,
      ...[keyId, indexText(entry), job.queue, place],
    ]);
    const options = optionsFor(job, runtime.now());
    // Only queued here; an error of the script comes with the answer of the transaction.
    void new bullmq.Job(queue, job.type, job, options, keyId).addJob(transaction);
  }
  const answers = (await transaction.exec()) ?? [];
  const fault = answers.find(([error]) => error !== null)?.[0];
  if (fault) throw fault;
  return placed.map((_, index) => answers[2 * index]?.[1] === 1);
};

/**
 * Removes what a job left in its queue when another process added the same id to another queue at the
 * same moment. A worker that was faster finds the other queue in the index and drops the job.
 */
const settleConflict = async (deps: BullmqDeps, { job, keyId }: Placed): Promise<void> => {
  const [entry] = await indexed(deps, [keyId]);
  if (entry === undefined || entry.queue === job.queue) return;
  const queue = await deps.queueOf(job.queue);
  await queue.remove(keyId);
};

/** Adds jobs whose ids are not there yet; says for each whether it is new. */
export const addJobs = async (
  deps: BullmqDeps,
  jobs: readonly NewJob[],
): Promise<readonly boolean[]> => {
  if (jobs.length === 0) return [];
  const keyIds = jobs.map(({ id }) => keyIdOf(id));
  const [entries, last] = await Promise.all([
    indexed(deps, keyIds),
    deps.connections.client.incrby(deps.keys.sequence, jobs.length),
  ]);
  const taken = await Promise.all(
    entries.map((entry, index) => isTaken(deps, keyIds[index] ?? '', entry)),
  );
  const seen = new Set<string>();
  const placed = jobs.flatMap((job, index): readonly Placed[] => {
    const keyId = keyIds[index] ?? '';
    if (taken[index] || seen.size === seen.add(keyId).size) return [];
    return [{ job, keyId, place: placeOf(job.createdAt, last - jobs.length + index) }];
  });
  const isNew = await commit(deps, placed);
  const added = new Map(placed.map((each, index) => [each.job, isNew[index] === true]));
  await Promise.all(
    placed.filter((_, index) => isNew[index] !== true).map((each) => settleConflict(deps, each)),
  );
  return jobs.map((job) => added.get(job) ?? false);
};
