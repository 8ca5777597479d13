/** Names the columns of the audit table, and turns a database row into an audit row. */
import type { AuditRow } from '../contract/audit.ts';
import { fromSqlText } from '../kit/text/sql-text.ts';
import { readDetail } from './audit-row.ts';

/** In the order of the table, which is the order of the placeholders of an insert. */
export const AUDIT_COLUMNS = `seq, at, kind, execution_id, tool, version, tier, user_id, agent_id,
  session_id, status, code, duration_ms, cost_micros, detail, hash`;

export interface AuditRecord {
  readonly seq: number;
  readonly at: number;
  readonly kind: AuditRow['kind'];
  readonly execution_id: string;
  readonly tool: string;
  readonly version: string;
  readonly tier: AuditRow['tier'];
  readonly user_id: string;
  readonly agent_id: string;
  readonly session_id: string;
  readonly status: AuditRow['status'];
  readonly code: AuditRow['code'];
  readonly duration_ms: number;
  readonly cost_micros: number;
  readonly detail: string;
  readonly hash: string;
}

export const fromAuditRecord = (record: AuditRecord): AuditRow => ({
  seq: record.seq,
  hash: record.hash,
  kind: record.kind,
  executionId: fromSqlText(record.execution_id),
  at: record.at,
  tool: fromSqlText(record.tool),
  version: fromSqlText(record.version),
  tier: record.tier,
  userId: fromSqlText(record.user_id),
  agentId: fromSqlText(record.agent_id),
  sessionId: fromSqlText(record.session_id),
  status: record.status,
  code: record.code,
  durationMs: record.duration_ms,
  costMicros: record.cost_micros,
  detail: readDetail(record.detail),
});
