/** How databases keep an approval: the record as it was asked, and the decision beside it. */
import type { ApprovalRecord, ApprovalState } from '../contract/approver.ts';
import { fromSqlText } from '../kit/text/sql-text.ts';

export interface ApprovalRow {
  readonly record: string;
  readonly state: ApprovalState;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
  readonly decision: string | null;
}

export const toApprovalRecord = (row: ApprovalRow): ApprovalRecord => ({
  ...JSON.parse(row.record),
  ...(row.decision !== null && JSON.parse(row.decision)),
  state: row.state,
  ...(row.decided_by !== null && { decidedBy: fromSqlText(row.decided_by) }),
  ...(row.decided_at !== null && { decidedAt: row.decided_at }),
});
