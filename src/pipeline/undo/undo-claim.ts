/**
 * Lets one undo of a call work at a time, in all processes of the store. The claim is a key beside those
 * of callers; that of a process which died stays, so what it left half done is never done again silently. Only
 * files are restored in a second try: each is compared before it is touched.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { ReplayClaim, Store } from '../../contract/store.ts';
import { canonicalJson } from '../../kit/data/canonical-json.ts';
import type { LateWrites } from '../record/late-writes.ts';

export interface UndoClaimDeps {
  readonly store: { readonly replays: Pick<Store['replays'], 'claim' | 'abandon'> };
  readonly late: Pick<LateWrites, 'addCleanUp'>;
  now(): number;
}

/** What is undone, and the call that undoes it. */
export interface UndoOf {
  readonly executionId: string;
  readonly by: string;
  /** Tells whether the undo may be done again whose process has died half way. */
  isRepeatable(): Promise<boolean>;
}

/** Names the claim. Keys of callers have three parts or four, so that nobody can send this one. */
const keyOf = ({ executionId }: Pick<UndoOf, 'executionId'>): string =>
  canonicalJson(['undo', executionId]);

const refusal = (claim: ReplayClaim): ToolFailure =>
  claim.state === 'running'
    ? new ToolFailure('CONFLICT', 'The call is being undone by another request.', {
        suggestions: ['Wait for its end, then look whether the call is undone.'],
      })
    : new ToolFailure(
        'CONFLICT',
        'The process that was undoing the call has died: nobody knows how much of it is undone.',
        { suggestions: ['Look at what is left of the call, and put it right by hand.'] },
      );

/** Frees the claim, or later where the store is away. Never rejects. */
export const freeUndo = async (
  undo: Pick<UndoOf, 'executionId' | 'by'>,
  deps: UndoClaimDeps,
): Promise<void> => {
  const free = (): Promise<void> => deps.store.replays.abandon(keyOf(undo), undo.by);
  try {
    await free();
  } catch {
    deps.late.addCleanUp(free);
  }
};

/** Claims the undo of a call. Throws CONFLICT while another undo of it works, or where that has died. */
export const claimUndo = async (undo: UndoOf, deps: UndoClaimDeps): Promise<void> => {
  const { executionId, by } = undo;
  const request = { key: keyOf(undo), digest: executionId, executionId: by, now: deps.now() };
  let claim: ReplayClaim;
  try {
    claim = await deps.store.replays.claim(request);
    if (claim.state === 'unknown' && (await undo.isRepeatable())) {
      await freeUndo({ executionId, by: claim.executionId }, deps);
      claim = await deps.store.replays.claim(request);
    }
  } catch (error) {
    // The store may have taken the claim before its answer was lost.
    await freeUndo(undo, deps);
    throw error;
  }
  if (claim.state !== 'new') throw refusal(claim);
};
