/** Holds the files and the working folder of an approved call to what the approver saw. */
import type { Call } from '../../contract/call.ts';
import { assertApprovedPath, exchanged } from '../../governance/approvals/approved-paths.ts';
import type { LocatedPath, PathGuard } from '../../governance/paths/path-guard.ts';
import { isSamePath, pathState } from '../../governance/paths/path-state.ts';
import { evidenceOf } from '../pipeline.ts';
import type { ExecSettings } from './brokered-exec.ts';

/**
 * Tells whether the call has changed something: from then on its paths may differ by its own work.
 */
const hasActed = ({ notes }: Call<'ready'>): boolean =>
  notes.writes > 0 ||
  notes.innerIntent ||
  [...(notes.resources ?? [])].some((resource) => resource.startsWith('program:'));

/** Throws when a path of an approved call has other content than the approver saw. */
const assertApprovedStates = (call: Call<'ready'>, rootOf: PathGuard['rootOf']): void => {
  const approval = evidenceOf(call).approval;
  if (typeof approval !== 'object' || hasActed(call)) return;
  const { paths, askedAt = Number.POSITIVE_INFINITY } = approval;
  for (const { real, state } of paths) {
    if (real === undefined || state === undefined) continue;
    const now = pathState({ ...rootOf(real), use: state.use });
    if (!isSamePath(state, now, askedAt)) throw exchanged();
  }
};

/** Holds file access to the approval, which is read at each use: preconditions run before there is one. */
export const approvedPlaces =
  (call: Call<'ready'>, rootOf: PathGuard['rootOf']) =>
  (place: LocatedPath, access: 'read' | 'write'): void => {
    const approval = evidenceOf(call).approval;
    if (typeof approval !== 'object') return;
    assertApprovedPath(approval, place, access);
    assertApprovedStates(call, rootOf);
  };

/** Checks the same before the first program of a call, and resolves its paths anew. */
export const approvedPrograms =
  (guard: PathGuard): ExecSettings['assertApproved'] =>
  async (call) => {
    const approval = evidenceOf(call).approval;
    if (typeof approval !== 'object' || hasActed(call)) return;
    for (const { asked, real } of approval.paths) {
      if (real === undefined) continue;
      const { absolute } = await guard.locate(asked, 'read');
      if (absolute !== real) throw exchanged();
    }
    assertApprovedStates(call, guard.rootOf);
  };

/** Returns the real path of an approved call's folder, so that a link made meanwhile is not followed. */
export const approvedFolder =
  (guard: PathGuard): ExecSettings['workingFolder'] =>
  async (call, cwd) => {
    const approval = evidenceOf(call).approval;
    if (typeof approval !== 'object') return cwd;
    const place = await guard.locate(cwd, 'read');
    assertApprovedPath(approval, place, 'read');
    return place.absolute;
  };
