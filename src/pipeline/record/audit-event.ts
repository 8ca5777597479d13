/** Makes rows of the trail that are no calls: what people decided, granted and revoked. */
import type { AuditEntry, AuditStatus } from '../../contract/audit.ts';

export interface AuditEvent {
  /** What happened, as `noun.verb-ed`. */
  readonly event: string;
  /** The id of the approval or grant. */
  readonly id: string;
  readonly at: number;
  readonly by: string;
  readonly status: AuditStatus;
  readonly tool?: string;
  readonly agentId?: string;
  readonly sessionId?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export const auditEvent = (happened: AuditEvent): AuditEntry => ({
  kind: 'event',
  executionId: happened.id,
  at: happened.at,
  tool: happened.tool ?? '',
  version: '',
  tier: '',
  userId: happened.by,
  agentId: happened.agentId ?? '',
  sessionId: happened.sessionId ?? '',
  status: happened.status,
  code: '',
  durationMs: 0,
  costMicros: 0,
  detail: { event: happened.event, ...happened.detail },
});
