/**
 * Names of what lies in Redis. The prefix is a hash tag, so that all keys are in one slot and one
 * transaction may touch several queues.
 */
export const DEFAULT_PREFIX = '{toolcrib}';

/** Encodes an id. BullMQ refuses `:` and numbers, and its own keys lie beside those of jobs. */
export const keyIdOf = (jobId: string): string => `j.${encodeURIComponent(jobId)}`;

/** Encodes the name of a queue. */
export const keyNameOf = (queue: string): string => `q.${encodeURIComponent(queue)}`;

export interface QueueKeys {
  readonly prefix: string;
  /** Hash: the encoded id of each job to its queue, type and user. */
  readonly jobs: string;
  /** Set: the names of all queues. */
  readonly queues: string;
  /** Counter: orders jobs that were added in the same millisecond. */
  readonly sequence: string;
  /** Hash: the encoded id of each cancelled job to its record. */
  readonly cancelled: string;
  /** Channel: encoded ids of jobs that were cancelled while they ran. */
  readonly cancellations: string;
  /** Hash: schedules by id. */
  readonly schedules: string;
  /** Sorted set: ids of schedules by their next moment. */
  readonly due: string;
  /** Sorted sets of encoded ids by the time at which they were added. */
  added(by?: 'queue' | 'type' | 'user', value?: string): string;
  /** Sorted set: encoded ids of the cancelled jobs of a queue by when they were cancelled. */
  cancelledIn(queue: string): string;
  lockOf(queue: string, keyId: string): string;
  jobOf(queue: string, keyId: string): string;
}

export const queueKeys = (prefix: string): QueueKeys => ({
  prefix,
  jobs: `${prefix}:jobs`,
  queues: `${prefix}:queues`,
  sequence: `${prefix}:sequence`,
  cancelled: `${prefix}:cancelled`,
  cancellations: `${prefix}:cancellations`,
  schedules: `${prefix}:schedules`,
  due: `${prefix}:due`,
  added: (by, value = '') =>
    by === undefined ? `${prefix}:added` : `${prefix}:added:${by}:${encodeURIComponent(value)}`,
  cancelledIn: (queue) => `${prefix}:cancelled:${keyNameOf(queue)}`,
  jobOf: (queue, keyId) => `${prefix}:${keyNameOf(queue)}:${keyId}`,
  lockOf: (queue, keyId) => `${prefix}:${keyNameOf(queue)}:${keyId}:lock`,
});

/** What the index holds of a job, so that lists are filtered without reading payloads. */
export interface IndexedJob {
  readonly queue: string;
  readonly type: string;
  readonly userId: string;
}

export const indexText = ({ queue, type, userId }: IndexedJob): string =>
  JSON.stringify([queue, type, userId]);

export const readIndexText = (text: string): IndexedJob => {
  const [queue = '', type = '', userId = ''] = JSON.parse(text) as readonly string[];
  return { queue, type, userId };
};

/** Jobs of one millisecond that keep the order in which they were added. */
const ORDERED_PER_MS = 1_024;

/** The place of a job in the order of time. Stays below 2^53 until the year 2248. */
export const placeOf = (createdAt: number, sequence: number): number =>
  createdAt * ORDERED_PER_MS + (sequence % ORDERED_PER_MS);
