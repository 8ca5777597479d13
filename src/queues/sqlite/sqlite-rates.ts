/** Counts the jobs that all workers of a queue have begun, where its rate is limited. */
import type { Database, Statement } from '../../kit/sqlite/open-database.ts';
import type { ClaimRequest } from '../job-table.ts';

export interface Allowed {
  readonly limit: number;
  /** When the next job may begin; set where the rate allows fewer than asked for. */
  readonly freeAt?: number;
}

export class SqliteRates {
  readonly #forget: Statement;
  readonly #count: Statement;
  readonly #add: Statement;

  constructor(database: Database) {
    this.#forget = database.prepare(
      'DELETE FROM job_starts WHERE queue = ? AND (at <= ? OR at > ?)',
    );
    this.#count = database.prepare(
      'SELECT count(*) AS begun, min(at) AS first FROM job_starts WHERE queue = ?',
    );
    this.#add = database.prepare('INSERT INTO job_starts (queue, at) VALUES (?, ?)');
  }

  /** Called inside the transaction of a claim. */
  allowed(queue: string, { rate, limit }: ClaimRequest, now: number): Allowed {
    if (!rate) return { limit: limit() };
    // Those to come are of a clock that was set back since; they would count until it is there again.
    this.#forget.run(queue, now - rate.perMs, now);
    const { begun, first } = this.#count.get(queue) as {
      readonly begun: number;
      readonly first: number | null;
    };
    const left = Math.max(0, rate.max - Number(begun));
    const asked = limit();
    if (asked <= left) return { limit: asked };
    return { limit: left, freeAt: (first ?? now) + rate.perMs + 1 };
  }

  count(queue: string, begun: number, now: number): void {
    for (let n = 0; n < begun; n++) this.#add.run(queue, now);
  }
}
