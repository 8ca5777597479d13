/** Makes rows of the trail about the trail itself, which belong to no call. */
import type { AuditEntry } from '../../contract/audit.ts';
import { type Caller, LOCAL_CALLER } from '../../contract/caller.ts';

/** Makes the entry of an event; the local caller by default. */
export const auditEvent = (
  event: Pick<AuditEntry, 'tool' | 'at' | 'detail'>,
  caller: Pick<Caller, 'userId' | 'agentId' | 'sessionId'> = LOCAL_CALLER,
): AuditEntry => ({
  ...event,
  kind: 'event',
  executionId: '',
  version: '',
  tier: '',
  userId: caller.userId,
  agentId: caller.agentId,
  sessionId: caller.sessionId,
  status: 'success',
  code: '',
  durationMs: 0,
  costMicros: 0,
});
