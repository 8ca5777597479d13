/** Waits for work of a tool, but no longer than until its call is aborted: the work may never settle. */
import type { CallControl } from '../../contract/call.ts';

export const untilAborted = (
  work: Promise<unknown>,
  control: Pick<CallControl, 'onAbort'>,
): Promise<void> =>
  new Promise((resolve, reject) => {
    control.onAbort(resolve);
    work.then(() => resolve(), reject);
  });
