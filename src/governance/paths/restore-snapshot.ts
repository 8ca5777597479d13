/** Takes a change back by its snapshot, and tells after a crash whether the change was made. */
import { constants } from 'node:fs';
import { ToolFailure } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/store.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import {
  DEFAULT_FILE_LIMITS,
  dropFile,
  dropFolder,
  makeFolder,
  type Present,
  putFile,
  type Slot,
  type SlotRequest,
  withSlot,
} from './file-slot.ts';
import type { PathGuard } from './path-guard.ts';

export type ChangeState = 'done' | 'not_done' | 'unknown';

/** Describes what is present as one text: a hash for a file, a word for anything else. */
const stateOf = (present: Present): string =>
  present.kind === 'file' ? sha256Hex(present.bytes) : present.kind;

/** Tells a removed folder from a file by the type bits of its mode. */
const wasFolder = ({ beforeMode = 0 }: Snapshot): boolean =>
  (beforeMode & constants.S_IFMT) === constants.S_IFDIR;

const stateBefore = (snapshot: Snapshot): string => {
  if (snapshot.before) return sha256Hex(snapshot.before);
  return wasFolder(snapshot) ? 'folder' : 'nothing';
};

const judge = (snapshot: Snapshot, present: Present): ChangeState => {
  const now = stateOf(present);
  if (now === (snapshot.afterHash ?? 'nothing')) return 'done';
  return now === stateBefore(snapshot) ? 'not_done' : 'unknown';
};

const request = async (guard: PathGuard, snapshot: Snapshot): Promise<SlotRequest> => ({
  guard,
  target: await guard.locate(snapshot.path, 'write'),
  maxBytes: DEFAULT_FILE_LIMITS.snapshotBytes,
});

const restore = (snapshot: Snapshot, slot: Slot): Promise<void> => {
  const { before, beforeMode = 0o666 } = snapshot;
  if (before) return putFile(slot, before, { mode: beforeMode });
  if (wasFolder(snapshot)) return makeFolder(slot, beforeMode);
  return slot.present.kind === 'folder' ? dropFolder(slot) : dropFile(slot);
};

/**
 * Puts back what was there before the change. Does nothing when that is there already; throws
 * CONFLICT when the file is neither what it was nor what the change made of it.
 */
export const restoreSnapshot = (guard: PathGuard, snapshot: Snapshot): Promise<void> =>
  guard.oneAtATime(snapshot.path, async () =>
    withSlot(await request(guard, snapshot), async (slot) => {
      const state = judge(snapshot, slot.present);
      if (state === 'unknown') {
        throw new ToolFailure('CONFLICT', 'The file was changed after the call.', {
          suggestions: ['Compare the file by hand: taking the call back would lose that change.'],
        });
      }
      if (state === 'done') await restore(snapshot, slot);
    }),
  );

/** Tells by the file whether the change that a snapshot announces was made. */
export const inspectSnapshot = async (
  guard: PathGuard,
  snapshot: Snapshot,
): Promise<ChangeState> => {
  try {
    return await withSlot(await request(guard, snapshot), async (slot) =>
      judge(snapshot, slot.present),
    );
  } catch (error) {
    // Unreachable or refused now: nobody can tell, which is what the answer says.
    if (error instanceof ToolFailure) return 'unknown';
    throw error;
  }
};
