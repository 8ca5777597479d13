/** Opens the queue of a crib: in the database of its store, or in memory. */
import type { Config } from '../config/schema.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Queue } from '../contract/queue.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Store } from '../contract/store.ts';

export interface OpenQueueDeps {
  readonly config: Pick<Config, 'jobs'>;
  readonly runtime: Runtime;
}

export interface OpenedQueue {
  readonly queue: Queue;
  /** Nobody else can add jobs to it, so they need no seal. */
  readonly isPrivate: boolean;
}

const inMemory = async (runtime: Runtime): Promise<OpenedQueue> => {
  const { createMemoryQueue } = await import('../queues/memory/create-memory-queue.ts');
  return { queue: createMemoryQueue(runtime), isPrivate: true };
};

/** Rejects with CONFIG_INVALID where the store cannot hold jobs and no other engine is named. */
export const openQueue = async (
  store: Store,
  { config, runtime }: OpenQueueDeps,
): Promise<OpenedQueue> => {
  // A store that forgets everything with the process has no use for jobs that outlive it.
  if (config.jobs.engine === 'memory' || store.label === 'memory') return inMemory(runtime);
  const { sqliteDepsOf } = await import('../stores/sqlite/sqlite-store.ts');
  const deps = sqliteDepsOf(store);
  if (!deps) {
    throw new ToolFailure('CONFIG_INVALID', `The store (${store.label}) cannot hold jobs.`, {
      suggestions: ['Set jobs.engine to an engine of its own.'],
    });
  }
  const { createSqliteQueue } = await import('../queues/sqlite/create-sqlite-queue.ts');
  return { queue: createSqliteQueue({ ...deps, runtime }), isPrivate: false };
};
