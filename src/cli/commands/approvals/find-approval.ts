/** Finds an approval by its id, and says what to do when there is none. */
import type { ApprovalRecord, ApprovalState } from '../../../contract/approver.ts';
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { byStart } from '../../input/by-start.ts';

const STATES: readonly ApprovalState[] = ['waiting', 'approved', 'denied', 'used'];

/** By its id, or by a beginning that no other has, in whatever state. Fails with NOT_FOUND. */
export const findApproval = async (crib: Crib, id: string): Promise<ApprovalRecord> => {
  const record = await crib.approvals.get(id);
  if (record) return record;
  const lists = await Promise.all(STATES.map((state) => crib.approvals.list({ state })));
  const found = byStart(lists.flat(), id, ({ id: own }) => own);
  if (found) return found;
  throw new ToolFailure('NOT_FOUND', 'There is no approval of that id.', {
    suggestions: ['See what waits: toolcrib approvals list'],
  });
};
