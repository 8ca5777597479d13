/** Whether the session that the browser holds by now is still the one that this tab began with. */
import type { Session } from '../api/call-records.ts';

/**
 * `renewed`: the same person in the same role came in again, so that nothing changes but the proof.
 * `other`: whatever this tab does from now on would be done as somebody else.
 */
export type Whose = 'same' | 'renewed' | 'other';

export const whoseSession = (held: Session, present: Session): Whose => {
  if (present.csrf === held.csrf) return 'same';
  return present.user === held.user && present.role === held.role ? 'renewed' : 'other';
};
