/** Refuses what a tool does after its call is over. */
import type { CallRequest } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';

/**
 * Throws when the call was answered, whether its tool has settled or not: what the tool does from then on
 * would be an effect of a call that is on record as over.
 */
export const assertRunning = ({ notes, control }: CallRequest): void => {
  if (!notes.stopped && !notes.ended) return;
  throw new ToolFailure(
    control.reason ?? 'CANCELLED',
    'The call is over: nothing more may be done.',
  );
};
