/** Opens the queues of BullMQ when they are first used. */
import type { StoredQueue } from './bullmq-deps.ts';
import { keyNameOf } from './queue-keys.ts';
import type { RedisConnections } from './redis-connections.ts';

/** Nobody reads the events of BullMQ, which repeat results. */
const MAX_EVENTS = 100;

export interface OpenQueuesDeps {
  readonly bullmq: typeof import('bullmq');
  readonly connections: RedisConnections;
  readonly prefix: string;
}

export interface OpenQueues {
  queueOf(name: string): Promise<StoredQueue>;
  close(): Promise<void>;
}

export const openQueues = ({ bullmq, connections, prefix }: OpenQueuesDeps): OpenQueues => {
  const queues = new Map<string, Promise<StoredQueue>>();

  const open = async (name: string): Promise<StoredQueue> => {
    const queue: StoredQueue = new bullmq.Queue(keyNameOf(name), {
      connection: connections.client,
      prefix,
      streams: { events: { maxLen: MAX_EVENTS } },
    });
    // The connection logs its own errors.
    queue.on('error', () => undefined);
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      // One that failed to open stays broken, so the next use makes another.
      queues.delete(name);
      await queue.close().catch(() => undefined);
      throw error;
    }
  };

  return {
    queueOf: (name) => {
      const queue = queues.get(name) ?? open(name);
      queues.set(name, queue);
      return queue;
    },
    close: async () => {
      const opened = await Promise.allSettled(queues.values());
      for (const each of opened) {
        if (each.status === 'fulfilled') await each.value.close().catch(() => undefined);
      }
    },
  };
};
