/** Idempotency keys in PostgreSQL. A key whose process died without an answer is in doubt, not free. */
import type { ToolResult } from '../../contract/result.ts';
import type { ReplayClaim, ReplayRequest, Replays } from '../../contract/store.ts';
import { fromSqlText, toSqlText } from '../../kit/text/sql-text.ts';
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

export class PostgresReplays implements Replays {
  readonly #deps: PostgresDeps;
  readonly #forget: Statement;

  constructor(deps: PostgresDeps) {
    this.#deps = deps;
    this.#forget = deps.database.prepare('DELETE FROM @replays WHERE key = $1');
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
}
