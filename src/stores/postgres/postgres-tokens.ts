/** Tokens in PostgreSQL. Every process sees with its next query that one was revoked. */
import { ToolFailure } from '../../contract/errors.ts';
import type { TokenRecord, Tokens } from '../../contract/tokens.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { recordText } from '../plain-json.ts';
import { type TokenRow, toTokenRecord } from '../token-row.ts';
import { jsonNumber } from './database/json-number.ts';
import type { Statement } from './database/open-database.ts';
import type { PostgresDeps } from './postgres-deps.ts';

const COLUMNS = 'record, revoked_at, last_used_at';

export class PostgresTokens implements Tokens {
  readonly #deps: PostgresDeps;
  readonly #find: Statement;
  readonly #all: Statement;

  constructor(deps: PostgresDeps) {
    this.#deps = deps;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#find = prepare(`SELECT ${COLUMNS} FROM @tokens WHERE id = $1`);
    this.#all = prepare(`SELECT ${COLUMNS} FROM @tokens ORDER BY position DESC`);
  }

  async add(record: TokenRecord): Promise<void> {
    const { revokedAt, lastUsedAt, ...fixed } = record;
    const isNew = await this.#deps.writers.records.write<boolean>({
      op: 'add token',
      id: toSqlText(record.id),
      revokedAt: jsonNumber(revokedAt),
      lastUsedAt: jsonNumber(lastUsedAt),
      record: recordText(fixed),
    });
    if (!isNew) throw new ToolFailure('CONFLICT', 'A token of this id exists already.');
  }

  async get(id: string): Promise<TokenRecord | undefined> {
    const row = await this.#find.get<TokenRow>(toSqlText(id));
    return row && toTokenRecord(row);
  }

  async list(): Promise<readonly TokenRecord[]> {
    return (await this.#all.all<TokenRow>()).map(toTokenRecord);
  }

  revoke(id: string, at: number): Promise<boolean> {
    const operation = { op: 'revoke token', id: toSqlText(id), at: jsonNumber(at) };
    return this.#deps.writers.records.write<boolean>(operation);
  }

  async touch(id: string, at: number): Promise<void> {
    const operation = { op: 'touch token', id: toSqlText(id), at: jsonNumber(at) };
    await this.#deps.writers.records.write(operation, 'written');
  }
}
