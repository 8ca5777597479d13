/** The broker's first question: may the tool still do anything at all? */
import type { CallRequest } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';

/**
 * Throws once the call was answered without its tool: what that tool does from then on would be an
 * effect of a call that is on record as over.
 */
export const assertRunning = ({ notes, control }: CallRequest): void => {
  if (!notes.stopped) return;
  throw new ToolFailure(
    control.reason ?? 'CANCELLED',
    'The call is over: nothing more may be done.',
  );
};
