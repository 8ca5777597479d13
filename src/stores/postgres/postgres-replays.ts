/** Idempotency keys in PostgreSQL. A key whose process died without an answer is in doubt, not free. */
import type { ToolResult } from '../../contract/result.ts';
import type { ReplayClaim, ReplayRequest, Replays, SettledReplay } from '../../contract/store.ts';
import { fromSqlText, toSqlText } from '../../kit/text/sql-text.ts';
import { isDoubtful } from '../doubtful-result.ts';
import { recordText } from '../plain-json.ts';
import { jsonNumber } from './database/json-number.ts';
import { toKeyText } from './database/key-text.ts';
import type { Statement } from './database/open-database.ts';
import type { PostgresDeps } from './postgres-deps.ts';

/** The server has the result as text. */
type Answer =
  | { readonly state: 'new' | 'mismatch' }
  | { readonly state: 'done'; readonly result: string }
  | { readonly state: 'running' | 'unknown'; readonly executionId: string };

interface HeldRow {
  readonly key: string;
  readonly result: string | null;
  readonly alive: boolean;
}

/** Only a row that is still as it was when the doubt was seen. */
const AS_SEEN = 'key = $1 AND execution_id = $2 AND result IS NOT DISTINCT FROM $3';

export class PostgresReplays implements Replays {
  readonly #deps: PostgresDeps;
  readonly #ofExecution: Statement;
  readonly #settle: Statement;
  readonly #free: Statement;
  readonly #forget: Statement;

  constructor(deps: PostgresDeps) {
    this.#deps = deps;
    this.#forget = deps.database.prepare('DELETE FROM @replays WHERE key = $1');
    // No index: it would cost each claim, and people settle few calls.
    this.#ofExecution = deps.database.prepare(
      `SELECT key, result, owner = $2 OR EXISTS (SELECT 1 FROM @owners AS holder
         WHERE holder.id = owner AND heartbeat_at > clock_timestamp() - lease_ms * interval '1 ms')
         AS alive FROM @replays WHERE execution_id = $1`,
    );
    this.#settle = deps.database.prepare(
      `UPDATE @replays SET result = $4, expires_at = $5 WHERE ${AS_SEEN}`,
    );
    this.#free = deps.database.prepare(`DELETE FROM @replays WHERE ${AS_SEEN}`);
  }

  async claim({ key, digest, executionId, now }: ReplayRequest): Promise<ReplayClaim> {
    const answer = await this.#deps.writers.claims.write<Answer>({
      op: 'claim',
      key: toKeyText(key),
      digest: toSqlText(digest),
      id: toSqlText(executionId),
      now: jsonNumber(now),
    });
    if (answer.state === 'done') return { state: 'done', result: JSON.parse(answer.result) };
    if (!('executionId' in answer)) return { state: answer.state };
    return { state: answer.state, executionId: fromSqlText(answer.executionId) };
  }

  async finish(
    { key, executionId }: { readonly key: string; readonly executionId?: string },
    result: ToolResult,
    expiresAt: number,
  ): Promise<void> {
    await this.#deps.writers.claims.write({
      op: 'finish',
      key: toKeyText(key),
      ...(executionId !== undefined && { id: toSqlText(executionId) }),
      result: recordText(result),
      expiresAt: jsonNumber(expiresAt),
    });
  }

  async abandon(key: string, executionId?: string): Promise<void> {
    await this.#deps.writers.claims.write({
      op: 'abandon',
      key: toKeyText(key),
      ...(executionId !== undefined && { id: toSqlText(executionId) }),
    });
  }

  abandonDead(key: string, executionId: string): Promise<boolean> {
    const operation = { op: 'abandon dead', key: toKeyText(key), id: toSqlText(executionId) };
    return this.#deps.writers.claims.write<boolean>(operation);
  }

  async forget(key: string): Promise<void> {
    await this.#forget.run(toKeyText(key));
  }

  async settle(executionId: string, answer: SettledReplay | undefined): Promise<boolean> {
    const name = toSqlText(executionId);
    const rows = await this.#ofExecution.all<HeldRow>(name, this.#deps.owner.id);
    const row = rows.find(({ result, alive }) =>
      result === null ? !alive : isDoubtful(result, executionId),
    );
    if (!row) return false;
    const seen = [row.key, name, row.result];
    const changes = answer
      ? await this.#settle.run(...seen, recordText(answer.result), answer.expiresAt)
      : await this.#free.run(...seen);
    return changes > 0;
  }
}
