/** Opens the queue of a crib: in the database of its store, in memory, on Redis, or at QStash. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Queue } from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import type { SharedQueueDeps } from './open-shared-queue.ts';

export type OpenQueueDeps = SharedQueueDeps;

export interface OpenedQueue {
  readonly queue: Queue;
  /** No other process can add jobs to it, so they need no seal. */
  readonly isPrivate: boolean;
}

const inMemory = async (runtime: Runtime): Promise<OpenedQueue> => {
  const { createMemoryQueue } = await import('../../queues/memory/create-memory-queue.ts');
  return { queue: createMemoryQueue(runtime), isPrivate: true };
};

/** Opens the queue. Rejects with CONFIG_INVALID when the store cannot hold jobs and no other engine is named. */
export const openQueue = async (store: Store, deps: OpenQueueDeps): Promise<OpenedQueue> => {
  const { config, runtime } = deps;
  const { url, engine } = config.jobs;
  if (url !== undefined || engine === 'qstash') {
    const { openRedisQueue, openQstashQueue } = await import('./open-shared-queue.ts');
    const open = url === undefined ? openQstashQueue(deps) : openRedisQueue(url, deps);
    return { queue: await open, isPrivate: false };
  }
  // Jobs in memory for a store in memory: they would outlive what they refer to.
  if (engine === 'memory' || store.label === 'memory') return inMemory(runtime);
  const { sqliteDepsOf } = await import('../../stores/sqlite/sqlite-store.ts');
  const sqlite = sqliteDepsOf(store);
  if (!sqlite) {
    throw new ToolFailure('CONFIG_INVALID', `The store (${store.label}) cannot hold jobs.`, {
      suggestions: ['Set jobs.url to the address of a Redis.'],
    });
  }
  const { createSqliteQueue } = await import('../../queues/sqlite/create-sqlite-queue.ts');
  return { queue: createSqliteQueue({ ...sqlite, runtime }), isPrivate: false };
};
