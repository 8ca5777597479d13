/** What the parts of this engine share. */
import type { Queue as BullQueue } from 'bullmq';
import type { NewJob } from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { LastChances } from '../last-chances.ts';
import type { IndexedJob, QueueKeys } from './queue-keys.ts';
import { readIndexText } from './queue-keys.ts';
import type { RedisConnections } from './redis-connections.ts';

export type StoredQueue = BullQueue<NewJob, unknown, string>;

export interface BullmqDeps {
  readonly bullmq: typeof import('bullmq');
  readonly connections: RedisConnections;
  readonly keys: QueueKeys;
  readonly runtime: Runtime;
  /** Shared by the workers of all queues: a death of the process takes all of their jobs. */
  readonly lastChances: LastChances;
  /** Returns the queue of BullMQ that keeps the jobs of one of ours. */
  queueOf(name: string): Promise<StoredQueue>;
}

/** Reads what the index holds of jobs; `undefined` for one that is not there. */
export const indexed = async (
  { connections, keys }: BullmqDeps,
  keyIds: readonly string[],
  client = connections.client,
): Promise<readonly (IndexedJob | undefined)[]> => {
  if (keyIds.length === 0) return [];
  const texts = await client.hmget(keys.jobs, ...keyIds);
  return texts.map((text) => (text === null ? undefined : readIndexText(text)));
};
