/**
 * Takes over jobs of another queue as they are, in one transaction: what waits, what is dead, what is over.
 * BullMQ has no call that adds a finished job, so one is added and moved within the transaction, before
 * any worker can see it.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { AdoptedJob, Job, NewJob, StoredSchedule } from '../../contract/queue.ts';
import { indexedFields, listsOf } from './add-jobs.ts';
import { type BullmqDeps, indexed, type StoredQueue } from './bullmq-deps.ts';
import { optionsFor } from './job-record.ts';
import { indexText, keyIdOf, placeOf } from './queue-keys.ts';
import { NOTE_JOB_COMMAND } from './redis-scripts.ts';

interface Transaction {
  runCommand(name: string, args: readonly (string | number)[]): unknown;
}

/** Takes off what a job gets while it lives. */
const newJobOf = (job: Job): NewJob => {
  const { state: _state, attempts: _attempts, progress: _progress, result: _result, ...rest } = job;
  const { startedAt: _startedAt, finishedAt: _finishedAt, error: _error, ...added } = rest;
  return added;
};

/** The fields of BullMQ's record that say what has happened to a job. */
const pastOf = ({ job, failures, deaths }: AdoptedJob): readonly (string | number)[] => {
  const { attempts, progress, startedAt, finishedAt, error, result, state } = job;
  const isOver = state === 'completed' || state === 'dead';
  return [
    ...['atm', failures, 'ats', attempts],
    ...(deaths > 0 ? ['stc', deaths] : []),
    ...(progress === undefined ? [] : ['progress', JSON.stringify({ progress })]),
    ...(startedAt === undefined ? [] : ['processedOn', startedAt]),
    ...(isOver ? ['finishedOn', finishedAt ?? 0] : []),
    ...(error === undefined ? [] : ['failedReason', JSON.stringify(error)]),
    ...(state === 'completed'
      ? ['returnvalue', JSON.stringify(result === undefined ? {} : { result })]
      : []),
  ];
};

/** Moves a job that was just added among those that are over. */
const finish = (transaction: Transaction, queue: StoredQueue, { job }: AdoptedJob): void => {
  const keyId = keyIdOf(job.id);
  const set = job.state === 'completed' ? 'completed' : 'failed';
  transaction.runCommand('zrem', [queue.toKey('prioritized'), keyId]);
  transaction.runCommand('zadd', [queue.toKey(set), job.finishedAt ?? 0, keyId]);
};

const adopt = (
  transaction: Transaction,
  { bullmq, keys, runtime }: BullmqDeps,
  [adopted, queue, place]: readonly [AdoptedJob, StoredQueue, number],
): void => {
  const { job } = adopted;
  const keyId = keyIdOf(job.id);
  const entry = indexedFields(job);
  const names = [keys.jobs, keys.queues, ...listsOf(keys, entry)];
  transaction.runCommand(NOTE_JOB_COMMAND, [
    ...names,
    ...[keyId, indexText(entry), job.queue, place],
  ]);
  if (job.state === 'cancelled') {
    transaction.runCommand('hmset', [keys.cancelled, keyId, JSON.stringify(job)]);
    transaction.runCommand('zadd', [keys.cancelledIn(job.queue), job.finishedAt ?? 0, keyId]);
    return;
  }
  const isOver = job.state === 'completed' || job.state === 'dead';
  const now = isOver ? Number.POSITIVE_INFINITY : runtime.now();
  const added = newJobOf(job);
  const options = optionsFor(added, now);
  void new bullmq.Job(queue, job.type, added, options, keyId).addJob(transaction as never);
  transaction.runCommand('hmset', [keys.jobOf(job.queue, keyId), ...pastOf(adopted)]);
  if (isOver) finish(transaction, queue, adopted);
};

/** Says for each job whether it was taken; one whose id is there already stays as it is. */
export const adoptJobs = async (
  deps: BullmqDeps,
  jobs: readonly AdoptedJob[],
): Promise<readonly boolean[]> => {
  const { connections, keys } = deps;
  const entries = await indexed(
    deps,
    jobs.map(({ job }) => keyIdOf(job.id)),
  );
  const missing = jobs.filter((_, index) => entries[index] === undefined);
  const queues = new Map<string, StoredQueue>();
  for (const { job } of missing) queues.set(job.queue, await deps.queueOf(job.queue));
  const [first] = queues.values();
  if (first) {
    const last = await connections.client.incrby(keys.sequence, missing.length);
    const transaction = (await first.getBackend().client).multi();
    for (const [index, each] of missing.entries()) {
      const place = placeOf(each.job.createdAt, last - missing.length + index);
      const queue = queues.get(each.job.queue) ?? first;
      adopt(transaction as unknown as Transaction, deps, [each, queue, place]);
    }
    const answers = (await transaction.exec()) ?? [];
    const fault = answers.find(([error]) => error !== null)?.[0];
    if (fault) throw fault;
  }
  return entries.map((entry) => entry === undefined);
};

/** Takes schedules over with their next moments; one that is there already stays as it is. */
export const adoptSchedules = async (
  { connections: { client }, keys }: BullmqDeps,
  schedules: readonly StoredSchedule[],
): Promise<readonly boolean[]> => {
  if (schedules.length === 0) return [];
  const transaction = client.multi();
  for (const { nextAt, ...schedule } of schedules) {
    transaction.hsetnx(keys.schedules, schedule.id, JSON.stringify(schedule));
    transaction.zadd(keys.due, 'NX', nextAt, schedule.id);
  }
  const answers = await transaction.exec();
  const fault = answers?.find(([error]) => error !== null)?.[0];
  if (fault) throw fault;
  if (!answers) throw new ToolFailure('STORE_UNAVAILABLE', 'Redis did not take the schedules.');
  return schedules.map((_, index) => answers[2 * index]?.[1] === 1);
};
