/** The state of a question now: one that was not answered in time can no longer be answered. */
import type { ApprovalRecord } from '../../api/call-records.ts';

export const stateAt = (
  { state, expiresAt }: Pick<ApprovalRecord, 'state' | 'expiresAt'>,
  now: number,
): ApprovalRecord['state'] | 'expired' =>
  (state === 'waiting' || state === 'approved') && expiresAt <= now ? 'expired' : state;
