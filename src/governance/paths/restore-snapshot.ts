/** Takes a change back by its snapshot, and tells after a crash whether the change was made. */
import { constants } from 'node:fs';
import { ToolFailure } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/store.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import {
  atSpot,
  DEFAULT_FILE_LIMITS,
  dropFile,
  dropFolder,
  makeFolder,
  type Present,
  putFile,
  type Spot,
  type SpotRequest,
} from './file-slot.ts';
import type { PathGuard } from './path-guard.ts';

export type ChangeState = 'done' | 'not_done' | 'unknown';

/** What there is, as one text: a hash for a file, a word for anything else. */
const stateOf = (present: Present): string =>
  present.kind === 'file' ? sha256Hex(present.bytes) : present.kind;

/** The mode of a removed folder is kept with its type bits; that is how it is told from a file. */
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

const request = async (guard: PathGuard, snapshot: Snapshot): Promise<SpotRequest> => ({
  guard,
  place: await guard.locate(snapshot.path, 'write'),
  maxBytes: DEFAULT_FILE_LIMITS.snapshotBytes,
});

const restore = (snapshot: Snapshot, spot: Spot): Promise<void> => {
  const { before, beforeMode = 0o666 } = snapshot;
  if (before) return putFile(spot, before, beforeMode);
  if (wasFolder(snapshot)) return makeFolder(spot, beforeMode);
  return spot.present.kind === 'folder' ? dropFolder(spot) : dropFile(spot);
};

/**
 * Puts back what was there before the change. Does nothing when that is there already; throws
 * CONFLICT when the file is neither what it was nor what the change made of it.
 */
export const restoreSnapshot = (guard: PathGuard, snapshot: Snapshot): Promise<void> =>
  guard.oneAtATime(snapshot.path, async () =>
    atSpot(await request(guard, snapshot), async (spot) => {
      const state = judge(snapshot, spot.present);
      if (state === 'unknown') {
        throw new ToolFailure('CONFLICT', 'The file was changed after the call.', {
          suggestions: ['Compare the file by hand: taking the call back would lose that change.'],
        });
      }
      if (state === 'done') await restore(snapshot, spot);
    }),
  );

/** Whether the change a snapshot announces was made, by looking at the file. */
export const inspectSnapshot = async (
  guard: PathGuard,
  snapshot: Snapshot,
): Promise<ChangeState> => {
  try {
    return await atSpot(await request(guard, snapshot), async (spot) =>
      judge(snapshot, spot.present),
    );
  } catch (error) {
    // Unreachable or refused now: nobody can tell, which is what the answer says.
    if (error instanceof ToolFailure) return 'unknown';
    throw error;
  }
};
