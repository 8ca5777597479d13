/** Idempotency keys in SQLite. A key whose process died without an answer is in doubt, not free. */
import type { ToolResult } from '../../contract/result.ts';
import type { ReplayClaim, ReplayRequest, Replays, SettledReplay } from '../../contract/store.ts';
import type { Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { fromSqlText, toSqlText } from '../../kit/text/sql-text.ts';
import { isDoubtful } from '../doubtful-result.ts';
import { recordText } from '../plain-json.ts';

interface HeldRow {
  readonly owner: string;
  readonly result: string | null;
}

interface ReplayRow extends HeldRow {
  readonly digest: string;
  readonly execution_id: string;
  readonly expires_at: number | null;
}

export class SqliteReplays implements Replays {
  readonly #deps: SqliteDeps;
  readonly #find: Statement;
  readonly #put: Statement;
  readonly #finish: Statement;
  readonly #abandon: Statement;
  readonly #forget: Statement;
  readonly #sweep: Statement;
  readonly #mayHaveBegun: Statement;
  readonly #ofExecution: Statement;
  readonly #settle: Statement;

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#find = prepare(
      'SELECT digest, execution_id, owner, result, expires_at FROM replays WHERE key = ?',
    );
    this.#put = prepare(
      `INSERT OR REPLACE INTO replays (key, digest, execution_id, owner) VALUES (?, ?, ?, ?)`,
    );
    this.#finish = prepare(
      `UPDATE replays SET result = ?, expires_at = ? WHERE key = ? AND result IS NULL
       AND execution_id = coalesce(?, execution_id)`,
    );
    this.#abandon = prepare(
      `DELETE FROM replays WHERE key = ? AND result IS NULL
       AND execution_id = coalesce(?, execution_id)`,
    );
    this.#forget = prepare('DELETE FROM replays WHERE key = ?');
    this.#sweep = prepare(
      `DELETE FROM replays WHERE key IN
       (SELECT key FROM replays WHERE expires_at <= ? ORDER BY expires_at LIMIT 4)`,
    );
    // In a trail that was pruned the intent may be among the rows that are gone.
    this.#mayHaveBegun = prepare(
      `SELECT 1 FROM audit_anchor UNION ALL
       SELECT 1 FROM audit WHERE execution_id = ? AND kind = 'intent' LIMIT 1`,
    );
    // No index: it would cost each claim, and people settle few calls.
    this.#ofExecution = prepare('SELECT key, owner, result FROM replays WHERE execution_id = ?');
    this.#settle = prepare('UPDATE replays SET result = ?, expires_at = ? WHERE key = ?');
  }

  claim(request: ReplayRequest): Promise<ReplayClaim> {
    return this.#deps.writer.write(() => this.#claim(request));
  }

  async finish(
    { key, executionId }: { readonly key: string; readonly executionId?: string },
    result: ToolResult,
    expiresAt: number,
  ): Promise<void> {
    const text = recordText(result);
    const holder = executionId === undefined ? null : toSqlText(executionId);
    const name = toSqlText(key);
    await this.#deps.writer.write(() => this.#finish.run(text, expiresAt, name, holder));
  }

  async abandon(key: string, executionId?: string): Promise<void> {
    const owner = executionId === undefined ? null : toSqlText(executionId);
    await this.#deps.writer.write(() => this.#abandon.run(toSqlText(key), owner));
  }

  abandonDead(key: string, executionId: string): Promise<boolean> {
    const [name, id] = [toSqlText(key), toSqlText(executionId)];
    return this.#deps.writer.write(() => {
      const row = this.#find.get(name) as ReplayRow | undefined;
      if (row?.execution_id !== id || row.result !== null) return false;
      if (this.#deps.owner.aliveness()(row.owner) || this.#mayHaveBegun.get(id)) return false;
      this.#abandon.run(name, id);
      return true;
    });
  }

  async settle(executionId: string, answer: SettledReplay | undefined): Promise<boolean> {
    const text = answer && recordText(answer.result);
    return this.#deps.writer.write(() => {
      const rows = this.#ofExecution.all(toSqlText(executionId)) as (HeldRow & { key: string })[];
      const row = rows.find((each) => this.#isInDoubt(each, executionId));
      if (!row) return false;
      if (text === undefined) this.#forget.run(row.key);
      else this.#settle.run(text, answer?.expiresAt ?? null, row.key);
      return true;
    });
  }

  async forget(key: string): Promise<void> {
    await this.#deps.writer.write(() => this.#forget.run(toSqlText(key)));
  }

  #isInDoubt({ owner, result }: HeldRow, executionId: string): boolean {
    if (result !== null) return isDoubtful(result, executionId);
    return !this.#deps.owner.aliveness()(owner);
  }

  #claim({ key, digest, executionId, now }: ReplayRequest): ReplayClaim {
    const row = this.#find.get(toSqlText(key)) as ReplayRow | undefined;
    if (!row || (row.expires_at !== null && row.expires_at <= now)) {
      const owner = this.#deps.owner.claim();
      this.#put.run(toSqlText(key), toSqlText(digest), toSqlText(executionId), owner);
      this.#sweep.run(now);
      return { state: 'new' };
    }
    if (row.digest !== toSqlText(digest)) return { state: 'mismatch' };
    if (row.result !== null) return { state: 'done', result: JSON.parse(row.result) };
    const state = this.#deps.owner.aliveness()(row.owner) ? 'running' : 'unknown';
    return { state, executionId: fromSqlText(row.execution_id) };
  }
}
