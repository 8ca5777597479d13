/**
 * Identifies who holds a claim. Each open store is an owner; intents, budget holds and replay keys carry
 * its id, so that after a crash others can tell claims under way from claims in doubt.
 */
import { randomUUID } from 'node:crypto';
import type { Runtime, Timer } from '../../contract/runtime.ts';
import type { Database, Statement } from './open-database.ts';
import { identifyProcess, isProcessAlive, type ProcessIdentity } from './process-identity.ts';
import type { Writer } from './writer.ts';

const HEARTBEAT_MS = 10_000;
/** An owner in another place is alive while its heartbeat is younger than this. */
const SILENCE_MS = 30_000;

/** A difference between the clocks of the machine that grows by more than this between two looks is a step. */
const MAX_DRIFT_MS = 5_000;

/**
 * Tells when the time of day was stepped: set, or taken up again after a suspend. The heartbeats on record
 * then look older than they are, until every owner had time for its next one.
 */
class ClockSteps {
  readonly #runtime: Pick<Runtime, 'now' | 'elapsed'>;
  #offset: number;
  #steppedAt = Number.NEGATIVE_INFINITY;

  constructor(runtime: Pick<Runtime, 'now' | 'elapsed'>) {
    this.#runtime = runtime;
    this.#offset = runtime.now() - runtime.elapsed();
  }

  /** Tells whether heartbeats from before a step may be all that is on record of an owner that lives. */
  areRecent(): boolean {
    const elapsed = this.#runtime.elapsed();
    const offset = this.#runtime.now() - elapsed;
    if (Math.abs(offset - this.#offset) > MAX_DRIFT_MS) this.#steppedAt = elapsed;
    this.#offset = offset;
    return elapsed - this.#steppedAt < SILENCE_MS;
  }
}

export interface OwnerRow extends ProcessIdentity {
  readonly id: string;
  readonly heartbeat_at: number;
}

/** Tells whether the process of a row lives, as a process in this place sees it. */
export const isOwnerAlive = (row: OwnerRow, place: string, now: number): boolean =>
  row.place === place ? isProcessAlive(row) : now - row.heartbeat_at < SILENCE_MS;

interface OwnerDeps {
  readonly database: Database;
  readonly runtime: Runtime;
  readonly writer: Writer;
  readonly identity?: ProcessIdentity;
}

export class Owner {
  readonly id = randomUUID();
  readonly #runtime: Runtime;
  readonly #writer: Writer;
  readonly #identity: ProcessIdentity;
  readonly #find: Statement;
  readonly #all: Statement;
  readonly #beat: Statement;
  readonly #remove: Statement;
  readonly #removeSettled: Statement;
  readonly #steps: ClockSteps;
  #timer: Timer | undefined;

  constructor({ database, runtime, writer, identity = identifyProcess() }: OwnerDeps) {
    this.#runtime = runtime;
    this.#steps = new ClockSteps(runtime);
    this.#writer = writer;
    this.#identity = identity;
    this.#find = database.prepare('SELECT * FROM owners WHERE id = ?');
    this.#all = database.prepare('SELECT * FROM owners');
    this.#beat = database.prepare(
      `INSERT INTO owners (id, place, pid, started, heartbeat_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`,
    );
    this.#remove = database.prepare('DELETE FROM owners WHERE id = ?');
    this.#removeSettled = database.prepare(
      'DELETE FROM owners WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM intents WHERE owner = ?1)',
    );
  }

  /**
   * Puts the owner on record, or shows that it lives when its heartbeat is late: the process may have been
   * silent. Called inside a transaction that claims something.
   */
  claim(): string {
    const row = this.#find.get(this.id) as OwnerRow | undefined;
    if (!row) this.#sweep();
    if (!row || this.#runtime.now() - row.heartbeat_at > HEARTBEAT_MS) this.#enter();
    if (!this.#timer) this.#scheduleHeartbeat();
    return this.id;
  }

  /** Returns a check whether owners are alive, which remembers its answers. One without a row is not. */
  aliveness(): (id: string) => boolean {
    const answers = new Map<string, boolean>([[this.id, true]]);
    return (id) => {
      const alive = answers.get(id) ?? this.#isAlive(this.#find.get(id) as OwnerRow | undefined);
      answers.set(id, alive);
      return alive;
    };
  }

  /** Tells whether the process of an owner has ended for certain. One in another place may only be silent. */
  hasEnded(id: string): boolean {
    const row = this.#find.get(id) as OwnerRow | undefined;
    return row !== undefined && row.place === this.#identity.place && !isProcessAlive(row);
  }

  /** Removes the owner, inside the last transaction: what it still claims is in doubt from then on. */
  retire(): void {
    this.#timer?.cancel();
    this.#remove.run(this.id);
  }

  /**
   * Removes rows of dead owners: an owner without a row counts as dead, too. One with calls in doubt stays,
   * because its row can prove that its process has ended.
   */
  #sweep(): void {
    for (const row of this.#all.all() as OwnerRow[]) {
      if (!this.#isAlive(row)) this.#removeSettled.run(row.id);
    }
  }

  #enter(): void {
    const { place, pid, started } = this.#identity;
    this.#beat.run(this.id, place, pid, started, this.#runtime.now());
  }

  #isAlive(row: OwnerRow | undefined): boolean {
    if (row === undefined) return false;
    const { place } = this.#identity;
    if (isOwnerAlive(row, place, this.#runtime.now())) return true;
    return row.place !== place && this.#steps.areRecent();
  }

  #scheduleHeartbeat(): void {
    this.#timer = this.#runtime.after(HEARTBEAT_MS, () => {
      this.#scheduleHeartbeat();
      this.#writer.write(() => this.#enter()).catch(() => undefined);
    });
    this.#timer.keepAlive(false);
  }
}
