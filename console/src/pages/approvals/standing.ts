/** How a question stands now: one that nobody answered in time can no longer be answered. */
import type { ApprovalRecord } from '../../api/call-records.ts';

export const standingOf = (
  { state, expiresAt }: Pick<ApprovalRecord, 'state' | 'expiresAt'>,
  now: number,
): ApprovalRecord['state'] | 'expired' =>
  (state === 'waiting' || state === 'approved') && expiresAt <= now ? 'expired' : state;
