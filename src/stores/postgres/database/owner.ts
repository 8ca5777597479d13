/**
 * Identifies who holds a claim. Each open store is an owner with a lease, measured by the clock of the
 * server; intents, budget holds, replay keys and runs carry its id, so that others can tell claims
 * under way from claims in doubt. Every batch that claims something renews the lease.
 */
import type { Runtime, Timer } from '../../../contract/runtime.ts';
import type { Database, Statement } from './open-database.ts';
import { newOwnerId } from './owner-id.ts';

export interface OwnerDeps {
  readonly database: Database;
  readonly runtime: Runtime;
  /** An owner that has not been heard of for this long is gone. */
  readonly leaseMs: number;
  /** Where the files of this process are: those that a call changed are looked at there. */
  readonly place: string;
}

export class Owner {
  readonly id = newOwnerId();
  readonly place: string;
  readonly #deps: OwnerDeps;
  readonly #text: string;
  readonly #beat: Statement;
  readonly #settle: Statement;
  readonly #remove: Statement;
  #timer: Timer | undefined;
  #beating: Promise<unknown> | undefined;

  constructor(deps: OwnerDeps) {
    this.#deps = deps;
    const { database, leaseMs, place } = deps;
    this.place = place;
    this.#text = JSON.stringify({
      id: this.id,
      place: this.place,
      pid: process.pid,
      leaseMs,
    });
    this.#beat = database.prepare('SELECT @enter_owner($1::jsonb)');
    // A commit that is synced makes everything before it durable, whoever wrote it.
    this.#settle = database.prepare('UPDATE @settled SET at = clock_timestamp()');
    this.#remove = database.prepare('DELETE FROM @owners WHERE id = $1');
  }

  /** Describes the owner for a batch, and begins to renew the lease. */
  claim(): string {
    if (!this.#timer) this.#schedule();
    return this.#text;
  }

  /** Resolves when everything that can be read survives a crash of the server. */
  async settle(): Promise<void> {
    await this.#settle.run();
  }

  /** Removes the owner: what it still claims is in doubt from then on. */
  async retire(): Promise<void> {
    this.#timer?.cancel();
    await this.#beating;
    await this.#remove.run(this.id);
  }

  #schedule(): void {
    const { runtime, leaseMs } = this.#deps;
    this.#timer = runtime.after(leaseMs / 3, () => {
      this.#schedule();
      this.#beating = this.#beat.run(this.#text).catch(() => undefined);
    });
    this.#timer.keepAlive(false);
  }
}
