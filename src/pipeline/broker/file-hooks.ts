/** Keeps a snapshot before every change of a file, and announces the change after it. */
import type { Call } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { FileHooks } from '../../governance/paths/change-files.ts';
import type { ResultCache } from '../record/result-cache.ts';
import type { KeptSnapshots } from '../undo/kept-snapshots.ts';
import { assertRunning } from './assert-running.ts';

export interface FileHookDeps {
  readonly snapshots: KeptSnapshots;
  readonly cache: ResultCache;
  readonly events: Events;
}

export const fileHooks = (call: Call<'ready'>, deps: FileHookDeps): FileHooks => {
  const { notes, executionId } = call;
  const used = (path: string): void => {
    notes.resources ??= new Set();
    notes.resources.add(path);
  };
  return {
    used,
    beforeChange: async (snapshot) => {
      // No intent on record: the call was judged as one that only reads.
      if (!notes.intentRecorded) {
        throw new ToolFailure('PERMISSION_DENIED', 'A read-only call may not change files.', {
          suggestions: ['Declare the tool, or this action of it, with the tier write.'],
        });
      }
      assertRunning(call);
      await deps.snapshots.save({ ...snapshot, executionId, order: notes.writes });
      // No await from here to the count, or an outcome could wrongly say that nothing was written.
      assertRunning(call);
      notes.writes++;
    },
    unchanged: () => {
      notes.failedWrites++;
    },
    changed: (path) => {
      used(path);
      deps.cache.changed(path);
      if (deps.events.has('file.changed')) deps.events.emit('file.changed', { path, executionId });
    },
  };
};
