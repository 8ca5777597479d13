/** Turns what other processes wrote to the store into events of this process. */
import type { ApprovalRecord } from '../../../contract/approver.ts';
import type { AuditRow } from '../../../contract/audit.ts';
import { MICROS_PER_USD } from '../../../contract/tool-cost.ts';
import type { EventBroadcast } from './create-event-broadcast.ts';
import { finishedSummary, startedSummary } from './event-summaries.ts';

const finishedRow = (row: AuditRow): ReturnType<typeof finishedSummary> => {
  const { executionId, tool, version, userId, status, code, durationMs, costMicros } = row;
  const { approvalId, cached } = row.detail;
  return finishedSummary({
    executionId,
    tool,
    version,
    userId,
    status,
    code: code === '' ? undefined : code,
    approvalId: typeof approvalId === 'string' ? approvalId : undefined,
    durationMs,
    costUsd: costMicros / MICROS_PER_USD,
    cached: cached === true,
  });
};

/** Relays a change of grants; the other events of the trail belong to calls, which are relayed themselves. */
const relayGrant = (events: EventBroadcast, { executionId: grantId, detail }: AuditRow): void => {
  const { event, resource } = detail;
  if (event === 'permission.revoked') events.relay(event, { data: { grantId } });
  if (event === 'permission.granted') events.relay(event, { data: { grantId, resource } });
};

/** Makes the listener. `isRunningHere` tells calls of this process, which sends their events itself. */
export const relayChanges = (
  events: EventBroadcast,
  isRunningHere: (executionId: string) => boolean,
) => ({
  row: (row: AuditRow): void => {
    if (row.kind === 'event') relayGrant(events, row);
    else if (isRunningHere(row.executionId)) return;
    else if (row.kind === 'intent') events.relay('call.started', startedSummary(row));
    else events.relay('call.finished', finishedRow(row));
  },
  asked: ({ id, tool, summary = '' }: ApprovalRecord): void =>
    events.relay('approval.requested', { data: { approvalId: id, tool, summary } }),
  decided: ({ id, state }: ApprovalRecord): void => {
    const approved = state === 'approved' || state === 'used';
    events.relay('approval.decided', { data: { approvalId: id, approved } });
  },
  overflowed: (): void => events.reset(),
});
