/** Claims due runs for this process. A claim whose answer was lost is found by the next one. */
import type { ClaimRequest, FlowRun, RunClaim } from '../../contract/flow-store.ts';
import { dueAgain, isClaimable, parseRecord, takenRun } from '../flow-run.ts';
import { toKeyText } from './database/key-text.ts';
import type { Statement } from './database/open-database.ts';
import type { PostgresDeps } from './postgres-deps.ts';
import { exchangeRun, type ReadRun, type RunRow } from './run-rows.ts';
import { UnansweredClaims } from './unanswered-claims.ts';

interface DueRow extends RunRow {
  readonly id: string;
  readonly wake_at: number;
}

/** How many due runs are read at a time. */
const PAGE = 500;

export class RunClaims {
  readonly #deps: PostgresDeps;
  readonly #unanswered: UnansweredClaims;
  readonly #own: Statement;
  readonly #due: Statement;

  constructor(deps: PostgresDeps) {
    this.#deps = deps;
    this.#unanswered = new UnansweredClaims(deps.runtime);
    this.#own = deps.database.prepare(
      'SELECT record, owner, revision FROM @flow_runs WHERE id = ANY ($1::text[]) AND owner = $2',
    );
    this.#due = deps.database.prepare(
      `SELECT id, wake_at, record, owner, revision FROM @flow_runs AS run
       WHERE wake_at <= $1 AND (wake_at, id) > ($2, $3)
       AND (owner IS NULL OR (owner <> $4 AND NOT EXISTS (SELECT 1 FROM @owners AS holder
         WHERE holder.id = run.owner
         AND heartbeat_at > clock_timestamp() - lease_ms * interval '1 ms')))
       ORDER BY wake_at, id LIMIT ${PAGE}`,
    );
  }

  /** Writes a new run that belongs to this process, and remembers it when the write rejects. */
  create(run: RunClaim, write: () => Promise<boolean>): Promise<boolean> {
    return this.#unanswered.attempt(run, write, (isNew) => isNew);
  }

  async claim(request: ClaimRequest): Promise<readonly FlowRun[]> {
    await this.#giveBackUnanswered(request.now);
    const runs: FlowRun[] = [];
    try {
      await this.#claimInto(runs, request);
    } catch (error) {
      // Those that were claimed before the store failed belong to this process: it must learn of them.
      if (runs.length === 0) throw error;
    }
    return runs;
  }

  async unclaimed({ now, flows, limit }: ClaimRequest): Promise<readonly FlowRun[]> {
    const runs: FlowRun[] = [];
    for await (const page of this.#duePages(now)) {
      const others = page.filter(({ run }) => !flows.has(`${run.flow}@${run.version}`));
      runs.push(...others.map(({ run }) => run));
      if (runs.length >= limit) break;
    }
    return runs.slice(0, limit);
  }

  /**
   * Reads all due runs without an owner, page by page: otherwise runs that no process can run would fill
   * the first page.
   */
  async *#duePages(now: number): AsyncGenerator<readonly ReadRun[]> {
    let last: Pick<DueRow, 'id' | 'wake_at'> | undefined = { wake_at: -1, id: '' };
    while (last) {
      const { id } = this.#deps.owner;
      const rows: DueRow[] = await this.#due.all<DueRow>(now, last.wake_at, last.id, id);
      yield rows.map((row) => ({ ...row, run: parseRecord<FlowRun>(row) }));
      last = rows.length < PAGE ? undefined : rows.at(-1);
    }
  }

  async #claimInto(runs: FlowRun[], request: ClaimRequest): Promise<void> {
    const { now, limit } = request;
    for await (const page of this.#duePages(now)) {
      const fitting = page.filter(({ run }) => isClaimable(run, request));
      for (let at = 0; at < fitting.length && runs.length < limit; ) {
        const tried = fitting.slice(at, at + limit - runs.length);
        at += tried.length;
        const taken = await Promise.allSettled(tried.map((read) => this.#take(read, now)));
        for (const each of taken) {
          if (each.status === 'fulfilled' && each.value) runs.push(each.value);
        }
        const failure = taken.find(({ status }) => status === 'rejected');
        if (failure?.status === 'rejected') throw failure.reason;
      }
      if (runs.length >= limit) return;
    }
  }

  async #take(read: ReadRun, now: number): Promise<FlowRun | undefined> {
    const taken = takenRun(read.run, now);
    const result = await this.#unanswered.attempt(
      taken,
      () => exchangeRun(this.#deps, read, { next: taken, holder: 'me', ifFree: true }),
      (answer) => answer === 'done',
    );
    return result === 'done' ? taken : undefined;
  }

  /**
   * Makes runs due again that this process owns without having been told: nobody works on them, and to
   * others their owner is alive.
   */
  async #giveBackUnanswered(now: number): Promise<void> {
    const ids = this.#unanswered.ids();
    if (ids.length === 0) return;
    const readAt = this.#deps.runtime.elapsed();
    const rows = await this.#own.all<RunRow>(ids.map(toKeyText), this.#deps.owner.id);
    const reads = rows.map((row) => ({ ...row, run: parseRecord<FlowRun>(row) }));
    const owned = reads.map(({ run }) => run);
    this.#unanswered.dropVoid(owned, readAt);
    for (const read of reads) {
      if (!this.#unanswered.has(read.run)) continue;
      const result = await exchangeRun(this.#deps, read, { next: dueAgain(read.run, now) });
      // One that has changed since it was read is read again by the next claim.
      if (result === 'done') this.#unanswered.forget(read.run);
    }
  }
}
