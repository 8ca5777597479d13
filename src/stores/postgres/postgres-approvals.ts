/** Approvals in PostgreSQL: decided once and used once, by conditional updates. */
import {
  type ApprovalRecord,
  type ApprovalState,
  NOBODY_IN_TIME,
} from '../../contract/approver.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Approvals, Parking, ParkOutcome } from '../../contract/store.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { type ApprovalRow, toApprovalRecord } from '../approval-row.ts';
import { recordText } from '../plain-json.ts';
import { jsonNumber } from './database/json-number.ts';
import type { Statement } from './database/open-database.ts';
import type { PostgresDeps } from './postgres-deps.ts';

type ParkAnswer =
  | { readonly state: 'parked' | 'full' | 'taken' }
  | { readonly state: 'same'; readonly row: ApprovalRow };

/** Returns the record as the server stores it. */
const toFields = (record: ApprovalRecord): object => ({
  id: toSqlText(record.id),
  createdAt: jsonNumber(record.createdAt),
  expiresAt: jsonNumber(record.expiresAt),
  userId: toSqlText(record.userId),
  callKey: record.callKey ?? null,
  state: record.state,
  decidedBy: record.decidedBy === undefined ? null : toSqlText(record.decidedBy),
  decidedAt: jsonNumber(record.decidedAt),
  record: recordText(record),
});

const taken = (): ToolFailure =>
  new ToolFailure('CONFLICT', 'An approval of this id exists already.');

const COLUMNS = 'record, state, decided_by, decided_at, decision';

export class PostgresApprovals implements Approvals {
  readonly #deps: PostgresDeps;
  readonly #find: Statement;
  readonly #all: Statement;
  readonly #inState: Statement;
  readonly #ofCall: Statement;

  constructor(deps: PostgresDeps) {
    this.#deps = deps;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#find = prepare(`SELECT ${COLUMNS} FROM @approvals WHERE id = $1`);
    const newest = 'ORDER BY created_at DESC, position DESC';
    this.#all = prepare(`SELECT ${COLUMNS} FROM @approvals ${newest}`);
    this.#inState = prepare(`SELECT ${COLUMNS} FROM @approvals WHERE state = $1 ${newest}`);
    this.#ofCall = prepare(
      `SELECT ${COLUMNS} FROM @approvals WHERE call_key = $1 AND state = $2 ${newest}`,
    );
  }

  async create(record: ApprovalRecord): Promise<void> {
    const isNew = await this.#write<boolean>({ op: 'create', ...toFields(record) });
    if (!isNew) throw taken();
  }

  async park({ record, maxWaiting, reuse, now }: Parking): Promise<ParkOutcome> {
    const answer = await this.#write<ParkAnswer>({
      op: 'park',
      ...toFields(record),
      maxWaiting: jsonNumber(maxWaiting),
      reuse,
      now: jsonNumber(now),
      nobody: NOBODY_IN_TIME,
    });
    if (answer.state === 'taken') throw taken();
    if (answer.state === 'same') return { state: 'same', record: toApprovalRecord(answer.row) };
    return { state: answer.state };
  }

  async matching(callKey: string, state: ApprovalState): Promise<readonly ApprovalRecord[]> {
    return (await this.#ofCall.all<ApprovalRow>(callKey, state)).map(toApprovalRecord);
  }

  async get(id: string): Promise<ApprovalRecord | undefined> {
    const row = await this.#find.get<ApprovalRow>(toSqlText(id));
    return row && toApprovalRecord(row);
  }

  async list(state?: ApprovalState): Promise<readonly ApprovalRecord[]> {
    const rows =
      state === undefined
        ? await this.#all.all<ApprovalRow>()
        : await this.#inState.all<ApprovalRow>(state);
    return rows.map(toApprovalRecord);
  }

  async decide(id: string, answer: Parameters<Approvals['decide']>[1]): Promise<boolean> {
    const { approve, by, at, ...rest } = answer;
    return this.#write<boolean>({
      op: 'decide',
      id: toSqlText(id),
      state: approve ? 'approved' : 'denied',
      by: toSqlText(by),
      at: jsonNumber(at),
      decision: recordText(rest),
    });
  }

  use(id: string, now: number): Promise<boolean> {
    return this.#write<boolean>({ op: 'use', id: toSqlText(id), now: jsonNumber(now) });
  }

  #write<Answer>(operation: object): Promise<Answer> {
    return this.#deps.writers.records.write<Answer>(operation);
  }
}
