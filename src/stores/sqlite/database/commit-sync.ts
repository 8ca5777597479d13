/**
 * How commits reach the disk. One that has to survive a power cut is synced by SQLite before it returns.
 * One that has to survive this process only is handed to the system, and the log is synced soon after,
 * beside the event loop, for all such commits of the meantime together.
 */
import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Durability } from '../../../contract/audit.ts';
import type { Runtime, Timer } from '../../../contract/runtime.ts';
import type { Database } from './open-database.ts';

/** How long a commit may stay unsynced, and so how often the disk is bothered at most. */
const SYNC_WITHIN_MS = 20;

const LEVEL: Readonly<Record<Durability, string>> = {
  synced: 'PRAGMA synchronous = FULL',
  written: 'PRAGMA synchronous = NORMAL',
};

const systemSync = promisify(fdatasync);
const closeFile = promisify(close);

export interface CommitSyncOptions {
  readonly database: Database;
  readonly runtime: Runtime;
  /** The write-ahead log; without one every commit is synced at once. */
  readonly log?: string;
  /** The system's own, unless given. */
  readonly syncFile?: (file: number) => Promise<void>;
}

export class CommitSync {
  readonly #options: CommitSyncOptions;
  #level: Durability = 'synced';
  /** None when later syncs cannot be promised. */
  #log: number | undefined;
  #due: Timer | undefined;
  #syncing: Promise<void> | undefined;
  #isDirty = false;

  constructor(options: CommitSyncOptions) {
    this.#options = options;
    if (options.log !== undefined) this.#log = this.#open(options.log);
  }

  /** Before a transaction begins. */
  prepare(wanted: Durability): void {
    const level = this.#log === undefined ? 'synced' : wanted;
    if (level === this.#level) return;
    this.#options.database.exec(LEVEL[level]);
    this.#level = level;
  }

  /** After its commit. */
  committed(): void {
    if (this.#level === 'synced') {
      // That sync took everything with it.
      this.#isDirty = false;
      return;
    }
    this.#isDirty = true;
    if (!this.#syncing) this.#due ??= this.#options.runtime.after(SYNC_WITHIN_MS, this.#syncNow);
  }

  /** Resolves when what was committed until now, by other processes too, is on disk. */
  async settle(): Promise<void> {
    await this.#syncing;
    await this.#sync();
  }

  /** Nothing is left unsynced, and the log is let go of. */
  async close(): Promise<void> {
    this.#due?.cancel();
    this.#due = undefined;
    await this.#syncing;
    if (this.#isDirty) await this.#sync();
    const log = this.#log;
    this.#log = undefined;
    if (log !== undefined) await closeFile(log);
  }

  readonly #syncNow = (): void => {
    this.#due = undefined;
    if (!this.#isDirty) return;
    this.#syncing = this.#sync().then(() => {
      this.#syncing = undefined;
      if (this.#isDirty && this.#log !== undefined) this.committed();
    });
  };

  /** After one failure nobody can tell what is on disk: from then on every commit is synced at once. */
  async #sync(): Promise<void> {
    const { runtime, syncFile = systemSync } = this.#options;
    if (this.#log === undefined) return;
    this.#isDirty = false;
    try {
      await syncFile(this.#log);
    } catch (error) {
      runtime.log.error('The log of the database could not be synced.', {
        error: String(error),
      });
      const log = this.#log;
      this.#log = undefined;
      await closeFile(log).catch(() => undefined);
    }
  }

  #open(path: string): number | undefined {
    try {
      return openSync(path, 'r+');
    } catch (error) {
      this.#options.runtime.log.debug('The log of the database cannot be opened.', {
        error: String(error),
      });
      return undefined;
    }
  }
}
