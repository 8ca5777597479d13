/** How a store is copied from one database to another: table by table, in pages of plain rows. */

/** A value of a row: bytes are text in PostgreSQL's form, `\x` and hexadecimal digits. */
export type CopiedRow = Readonly<Record<string, unknown>>;

const TOKEN_COLUMNS = 'id, revoked_at, last_used_at, record';

/** The tables and columns that are copied, in this order. Owners are not: their processes are gone. */
export const COPIED_TABLES = {
  audit:
    'seq, at, kind, execution_id, tool, version, tier, user_id, agent_id, session_id, status, code, duration_ms, cost_micros, detail, hash',
  audit_anchor: 'one, seq, hash, checkpoint',
  intents: 'execution_id, seq, owner',
  budgets: 'key, spent, held, calls, held_calls, tokens, held_tokens',
  holds: 'execution_id, amount, tokens, scopes, owner',
  counters: 'key, size_ms, start, ends, hits',
  replays: 'key, digest, execution_id, owner, result, expires_at',
  memory: 'space, key, value, expires_at',
  snapshots: 'execution_id, step, path, before, before_mode, after_hash, kept_at',
  approvals:
    'id, created_at, expires_at, user_id, call_key, state, decided_by, decided_at, decision, record',
  grants: 'id, created_at, expires_at, record',
  tokens: TOKEN_COLUMNS,
  results: 'handle, user_id, execution_id, text, kept_at',
  flow_runs: 'id, flow, user_id, status, owner, wake_at, created_at, updated_at, epoch, record',
  flow_steps: 'run_id, key, record',
  flow_events: 'id, run_id, record',
  vectors: 'user_key, kind, id_key, id, model, dimensions, vector, stored_at',
  roll_ups: 'kind, grain, start, name, counts',
  metric_mark: 'one, seq',
} as const;

export type CopiedTable = keyof typeof COPIED_TABLES;

export interface TableSource {
  /** Pages of a table, in the order in which its rows were added. */
  pages(table: CopiedTable): Iterable<readonly CopiedRow[]>;
  /** How many rows all tables hold. */
  readonly total: number;
  /** The greatest id that an event has had, also of one that was forgotten: steps name it. */
  readonly lastEventId: number;
}
