/** Opens queues of jobs for any number of processes and machines: BullMQ on Redis. */
import type { Queue } from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { LastChances } from '../last-chances.ts';
import { BullmqQueue } from './bullmq-queue.ts';
import { loadLibraries } from './load-libraries.ts';
import { openQueues } from './open-queues.ts';
import { DEFAULT_PREFIX, queueKeys } from './queue-keys.ts';
import { placeOfAddress, RedisConnections } from './redis-connections.ts';

export interface BullmqQueueOptions {
  /** `redis://` or `rediss://` with user, password, host, port and database. */
  readonly address: string;
  /** What all keys begin with. Give each installation that shares a Redis its own. */
  readonly prefix?: string;
}

export interface BullmqQueueDeps {
  readonly runtime: Runtime;
}

/** Opens the queues. Connects with the first use; Redis need not be there yet. */
export const createBullmqQueue = async (
  { address, prefix = DEFAULT_PREFIX }: BullmqQueueOptions,
  { runtime }: BullmqQueueDeps,
): Promise<Queue> => {
  placeOfAddress(address);
  const { bullmq, Redis } = await loadLibraries();
  const connections = new RedisConnections(address, { Redis, runtime });
  const queues = openQueues({ bullmq, connections, prefix });
  const keys = queueKeys(prefix);
  const lastChances = new LastChances();
  return new BullmqQueue(
    { bullmq, connections, keys, runtime, lastChances, queueOf: queues.queueOf },
    queues.close,
  );
};
