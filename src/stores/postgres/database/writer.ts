/**
 * Runs the writes of one write group: tables that one server function writes, under one lock. What waits
 * while a batch is under way is the next batch, which is one statement, one transaction and one sync. The
 * server does all the work of a batch, so a process that freezes never holds the lock of a group.
 */
import type { Durability } from '../../../contract/audit.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import { closedFailure } from '../../../kit/data/store-refusals.ts';
import type { Database, Statement } from './open-database.ts';
import type { Owner } from './owner.ts';
import { isDataError } from './store-failure.ts';

/** The write groups, each named after what it holds. In SQL the table of their locks is called `lanes`. */
export const WRITE_GROUPS = ['audit', 'ledger', 'claims', 'records', 'flows'] as const;
export type WriteGroup = (typeof WRITE_GROUPS)[number];

/** Operations in one batch at most. */
const MAX_BATCH = 500;
/** Characters in one batch, but for a single operation that is larger. */
const MAX_BATCH_TEXT = 16 * 1024 * 1024;

interface Job {
  readonly text: string;
  readonly durability: Durability;
  resolve(answer: never): void;
  reject(error: unknown): void;
}

export interface WriterDeps {
  readonly database: Database;
  readonly runtime: Runtime;
  readonly owner: Owner;
  readonly group: WriteGroup;
  /** Every batch is synced before it is answered. */
  readonly syncEveryRecord: boolean;
}

const isSynced = ({ durability }: Job): boolean => durability === 'synced';

export class Writer {
  readonly #deps: WriterDeps;
  readonly #apply: Statement;
  readonly #applyUnsynced: Statement;
  #queue: Job[] = [];
  #running: Promise<void> | undefined;
  #isClosed = false;
  #commits = 0;

  constructor(deps: WriterDeps) {
    this.#deps = deps;
    const call = `@apply_${deps.group}($1::jsonb, $2::jsonb) AS answer`;
    this.#apply = deps.database.prepare(`SELECT answer FROM ${call}`);
    this.#applyUnsynced = deps.database.prepare(
      `SELECT answer FROM set_config('synchronous_commit', 'off', true), ${call}`,
    );
  }

  /** Returns how many batches of this process the server has answered. */
  get commits(): number {
    return this.#commits;
  }

  /** Adds an operation to the next batch; resolves to its answer when the batch is durable. */
  write<Answer>(operation: object, durability: Durability = 'synced'): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(closedFailure());
    // As text at once: the operation may change before its batch starts.
    const text = JSON.stringify(operation);
    return new Promise<Answer>((resolve, reject) => {
      this.#queue.push({ text, durability, resolve: resolve as Job['resolve'], reject });
      this.#running ??= this.#run();
    });
  }

  /** Finishes what is pending, then refuses everything. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // What arrives in the same turn of the event loop belongs to the same batch.
    await new Promise((done) => setImmediate(done));
    while (this.#queue.length > 0) await this.#runBatch(this.#takeBatch());
    this.#running = undefined;
  }

  #takeBatch(): readonly Job[] {
    let size = 0;
    let length = 0;
    for (const { text } of this.#queue) {
      length += text.length;
      if (size === MAX_BATCH || (size > 0 && length > MAX_BATCH_TEXT)) break;
      size += 1;
    }
    return this.#queue.splice(0, size);
  }

  /** Runs a batch. Never rejects. When the server cannot take a value, it runs the operations one by one. */
  async #runBatch(jobs: readonly Job[]): Promise<void> {
    try {
      const answers = await this.#send(jobs);
      for (const [index, job] of jobs.entries()) job.resolve(answers[index] as never);
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (jobs.length > 1 && isDataError(cause))
        for (const job of jobs) await this.#runBatch([job]);
      else for (const job of jobs) job.reject(error);
    }
  }

  async #send(jobs: readonly Job[]): Promise<readonly unknown[]> {
    const { owner, syncEveryRecord } = this.#deps;
    const statement = syncEveryRecord || jobs.some(isSynced) ? this.#apply : this.#applyUnsynced;
    const operations = `[${jobs.map(({ text }) => text).join(',')}]`;
    const rows = await statement.all<{ readonly answer: unknown }>(operations, owner.claim());
    this.#commits += 1;
    return rows.map(({ answer }) => answer);
  }
}
