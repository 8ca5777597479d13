/** Holds the files and the working folder of an approved call to what the approver saw. */
import type { Call } from '../../contract/call.ts';
import { assertApprovedPath } from '../../governance/approvals/approved-paths.ts';
import type { PathGuard, Place } from '../../governance/paths/path-guard.ts';
import { evidence } from '../pipeline.ts';
import type { ExecSettings } from './brokered-exec.ts';

/** Holds file access to the approval. It is read at each use: preconditions run before there is one. */
export const approvedPlaces =
  (call: Call<'ready'>) =>
  (place: Place, access: 'read' | 'write'): void => {
    const approval = evidence(call, 'approval');
    if (typeof approval === 'object') assertApprovedPath(approval, place, access);
  };

/** Gives the real path of an approved call's folder, so that a link made meanwhile is not followed. */
export const approvedFolder =
  (guard: PathGuard): ExecSettings['workingFolder'] =>
  async (call, cwd) => {
    const approval = evidence(call, 'approval');
    if (typeof approval !== 'object') return cwd;
    const place = await guard.locate(cwd, 'read');
    assertApprovedPath(approval, place, 'read');
    return place.absolute;
  };
