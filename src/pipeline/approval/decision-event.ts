/** The row of the trail that says who decided what about a call that waited. */
import type { ApprovalRecord } from '../../contract/approver.ts';
import type { AuditEntry } from '../../contract/audit.ts';
import type { Approvals } from '../../contract/store.ts';
import { auditEvent } from '../record/audit-event.ts';

export const decisionEvent = (
  { id, tool, agentId, sessionId, userId, inputDigest }: ApprovalRecord,
  said: Parameters<Approvals['decide']>[1],
): AuditEntry => {
  const { approve, by, at, note, edited } = said;
  const detail = {
    approved: approve,
    for: userId,
    inputDigest,
    ...(note !== undefined && { note }),
    ...(edited && { edited: true }),
  };
  const status = approve ? 'success' : 'denied';
  const event = 'approval.decided';
  return auditEvent({ event, id, at, by, status, tool, agentId, sessionId, detail });
};
