/**
 * Lists jobs newest first. The index is read in parts, without payloads; only the jobs of the page are
 * read in full.
 */
import type { Job, JobFilter, JobState } from '../../contract/queue.ts';
import { type BullmqDeps, indexed, type StoredQueue } from './bullmq-deps.ts';
import type { IndexedJob, QueueKeys } from './queue-keys.ts';
import { placeOf } from './queue-keys.ts';
import { readIndexed } from './read-jobs.ts';

const DEFAULT_LIMIT = 100;
/** Entries of the index that are read at a time. */
const PART = 1_000;
/** A state with at most this many jobs is read as a whole and sorted. */
const MAX_SORTED = 10_000;

interface Entry extends IndexedJob {
  readonly keyId: string;
}

/** The sets and lists of BullMQ in which the jobs of a state are. */
const SETS: Readonly<Record<Exclude<JobState, 'cancelled'>, readonly string[]>> = {
  waiting: ['prioritized'],
  delayed: ['delayed'],
  active: [],
  completed: ['completed'],
  dead: ['failed'],
};
/** Short ones: what runs, and what was taken from a dead worker. */
const LISTS: Readonly<Partial<Record<JobState, string>>> = { active: 'active', waiting: 'wait' };

const setsOf = (keys: QueueKeys, queue: StoredQueue, of: { queue: string; state: JobState }) =>
  of.state === 'cancelled'
    ? [keys.cancelledIn(of.queue)]
    : SETS[of.state].map((name) => queue.toKey(name));

/** Returns those of the ids that are in a state. */
const inState = async (
  deps: BullmqDeps,
  entries: readonly Entry[],
  state: JobState,
): Promise<ReadonlySet<string>> => {
  const { client } = deps.connections;
  const waiting = new Set<string>();
  for (const name of new Set(entries.map(({ queue }) => queue))) {
    const queue = await deps.queueOf(name);
    const ids = entries.filter((each) => each.queue === name).map(({ keyId }) => keyId);
    for (const set of setsOf(deps.keys, queue, { queue: name, state })) {
      const scores = await client.zmscore(set, ...ids);
      for (const [index, id] of ids.entries()) if (scores[index] !== null) waiting.add(id);
    }
    const list = LISTS[state];
    if (list !== undefined) {
      for (const id of await client.lrange(queue.toKey(list), 0, MAX_SORTED)) waiting.add(id);
    }
  }
  return waiting;
};

/** Reads entries of the index and leaves out those that the filter does not fit. */
const fitting = async (
  deps: BullmqDeps,
  keyIds: readonly string[],
  { queue, type, userId, state }: JobFilter,
): Promise<readonly Entry[]> => {
  const entries = (await indexed(deps, keyIds)).flatMap((entry, index): readonly Entry[] =>
    entry === undefined ? [] : [{ ...entry, keyId: keyIds[index] ?? '' }],
  );
  const fit = entries.filter(
    (entry) =>
      (queue ?? entry.queue) === entry.queue &&
      (type ?? entry.type) === entry.type &&
      (userId ?? entry.userId) === entry.userId,
  );
  if (state === undefined || fit.length === 0) return fit;
  const ids = await inState(deps, fit, state);
  return fit.filter(({ keyId }) => ids.has(keyId));
};

/** Returns the sorted set with the fewest jobs among those that the filter names. */
const narrowest = async ({ connections, keys }: BullmqDeps, filter: JobFilter) => {
  const { queue, type, userId } = filter;
  const names = [
    ...(queue === undefined ? [] : [keys.added('queue', queue)]),
    ...(type === undefined ? [] : [keys.added('type', type)]),
    ...(userId === undefined ? [] : [keys.added('user', userId)]),
  ];
  const candidates = names.length > 0 ? names : [keys.added()];
  const sizes = await Promise.all(candidates.map((name) => connections.client.zcard(name)));
  const size = Math.min(...sizes);
  return { name: candidates[sizes.indexOf(size)] ?? keys.added(), size };
};

/** Returns all ids of a state, newest first; `undefined` where there are too many to sort. */
const sortedState = async (
  deps: BullmqDeps,
  state: JobState,
  { queue: only, before, size }: { queue?: string; before?: number; size: number },
): Promise<readonly string[] | undefined> => {
  const { connections, keys } = deps;
  const { client } = connections;
  const names = only === undefined ? await client.smembers(keys.queues) : [only];
  const queues = await Promise.all(
    names.map(async (name) => ({ name, queue: await deps.queueOf(name) })),
  );
  const sets = queues.flatMap(({ name, queue }) => setsOf(keys, queue, { queue: name, state }));
  const list = LISTS[state];
  const lists = list === undefined ? [] : queues.map(({ queue }) => queue.toKey(list));
  const sizes = await Promise.all([
    ...sets.map((each) => client.zcard(each)),
    ...lists.map((each) => client.llen(each)),
  ]);
  const total = sizes.reduce((sum, each) => sum + each, 0);
  if (total > MAX_SORTED || total >= size) return undefined;
  const ids = (
    await Promise.all([
      ...sets.map((each) => client.zrange(each, 0, `${MAX_SORTED}`)),
      ...lists.map((each) => client.lrange(each, 0, MAX_SORTED)),
    ])
  ).flat();
  if (ids.length === 0) return [];
  const places = await client.zmscore(keys.added(), ...ids);
  const end = before === undefined ? Number.POSITIVE_INFINITY : placeOf(before, 0);
  return ids
    .map((id, index) => ({ id, place: Number(places[index] ?? Number.NaN) }))
    .filter(({ place }) => place < end)
    .sort((one, other) => other.place - one.place)
    .map(({ id }) => id);
};

/** Hands out ids newest first, part by part. */
async function* idsFor(deps: BullmqDeps, filter: JobFilter): AsyncGenerator<readonly string[]> {
  const { client } = deps.connections;
  const { name, size } = await narrowest(deps, filter);
  if (filter.state !== undefined) {
    const ids = await sortedState(deps, filter.state, { ...filter, size });
    if (ids !== undefined) {
      for (let at = 0; at < ids.length; at += PART) yield ids.slice(at, at + PART);
      return;
    }
  }
  const { before } = filter;
  const skipped = before === undefined ? 0 : await client.zcount(name, placeOf(before, 0), '+inf');
  for (let at = skipped; ; at += PART) {
    const ids = await client.zrevrange(name, at, at + PART - 1);
    yield ids;
    if (ids.length < PART) return;
  }
}

/** Returns the newest jobs that the filter fits. */
export const listJobs = async (deps: BullmqDeps, filter: JobFilter): Promise<readonly Job[]> => {
  const limit = filter.limit ?? DEFAULT_LIMIT;
  // By id: ranks shift while jobs are added, so that one may come twice.
  const jobs = new Map<string, Job>();
  for await (const ids of idsFor(deps, filter)) {
    const entries = await fitting(deps, ids, filter);
    for (let at = 0; at < entries.length && jobs.size < limit; ) {
      const page = entries.slice(at, at + limit - jobs.size);
      at += page.length;
      const pages = await Promise.all(
        page.map(({ keyId, ...entry }) => readIndexed(deps, keyId, entry)),
      );
      for (const each of pages) {
        const isFit = each && (filter.state ?? each.job.state) === each.job.state;
        if (isFit) jobs.set(each.job.id, each.job);
      }
    }
    if (jobs.size >= limit) break;
  }
  return [...jobs.values()];
};
