/** Standing grants in PostgreSQL. Every process sees with its next query that one was revoked. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Grant, Grants } from '../../contract/grant.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { recordText } from '../plain-json.ts';
import { jsonNumber } from './database/json-number.ts';
import type { Statement } from './database/open-database.ts';
import type { PostgresDeps } from './postgres-deps.ts';

export class PostgresGrants implements Grants {
  readonly #deps: PostgresDeps;
  readonly #list: Statement;

  constructor(deps: PostgresDeps) {
    this.#deps = deps;
    this.#list = deps.database.prepare(
      `SELECT record FROM @grants WHERE expires_at IS NULL OR expires_at > $1
       ORDER BY position DESC`,
    );
  }

  async add(grant: Grant): Promise<void> {
    const isNew = await this.#deps.writers.records.write<boolean>({
      op: 'add grant',
      id: toSqlText(grant.id),
      createdAt: jsonNumber(grant.createdAt),
      expiresAt: jsonNumber(grant.expiresAt),
      record: recordText(grant),
    });
    if (!isNew) throw new ToolFailure('CONFLICT', 'A grant of this id exists already.');
  }

  revoke(id: string): Promise<boolean> {
    return this.#deps.writers.records.write<boolean>({ op: 'revoke grant', id: toSqlText(id) });
  }

  async list(now: number): Promise<readonly Grant[]> {
    const rows = await this.#list.all<{ readonly record: string }>(now);
    return rows.map(({ record }) => JSON.parse(record));
  }
}
