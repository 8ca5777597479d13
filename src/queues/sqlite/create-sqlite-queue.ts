/**
 * Opens the queue in the database of a SQLite store, on the store's own connection: jobs, intents and
 * budgets of one turn of the event loop share one transaction and one sync, and the queue is trusted
 * exactly as far as the store is. Closing the queue leaves the store open.
 */
import type { Queue } from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { EmbeddedQueue } from '../embedded-queue.ts';
import { SqliteJobs } from './sqlite-jobs.ts';

export interface SqliteQueueDeps extends SqliteDeps {
  readonly runtime: Runtime;
}

export const createSqliteQueue = (deps: SqliteQueueDeps): Queue =>
  new EmbeddedQueue({ table: new SqliteJobs(deps), runtime: deps.runtime });
