/** Finds an approval by its id, and says what to do when there is none. */
import type { ApprovalRecord } from '../../../contract/approver.ts';
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';

/** Fails with VALIDATION_ERROR for an id that nothing has. */
export const findApproval = async (crib: Crib, id: string): Promise<ApprovalRecord> => {
  const record = await crib.approvals.get(id);
  if (record) return record;
  throw new ToolFailure('VALIDATION_ERROR', 'There is no approval of that id.', {
    suggestions: ['See what waits: toolcrib approvals list'],
  });
};
